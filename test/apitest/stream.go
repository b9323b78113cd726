package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/v2"
)

// Patience limits the wait of tests for something that should happen at once.
const Patience = time.Minute

// liveServer is the server on a real port, which streams need. It starts with the first stream.
type liveServer struct {
	tb   testing.TB
	once sync.Once
	url  string
	// frames are the schemas of each stream in the AsyncAPI document.
	frames map[string]frameSchemas
}

// frameSchemas describe the frames of a stream.
type frameSchemas struct{ element, failure *jsonschema.Schema }

// URL is the address of the server.
func (s *Server) URL() string {
	s.tb.Helper()
	s.live.once.Do(s.listen)
	return s.live.url
}

// listen serves on a real port until the test of the server ends, and reads the AsyncAPI document.
func (s *Server) listen() {
	server := httptest.NewServer(s.Handler)
	s.live.tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.live.tb.Context()), Patience)
		defer cancel()
		require.NoError(s.live.tb, s.Streams.Close(ctx))
		server.Close()
	})
	s.live.url, s.live.frames = server.URL, map[string]frameSchemas{}
	answer := s.Send(http.MethodGet, "/docs/asyncapi", http.Header{"Accept": {"application/json"}}, nil)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(answer.Text)))
	require.NoError(s.tb, err)
	var described struct {
		Channels map[string]struct {
			Subscribe struct {
				Message struct {
					OneOf []struct {
						Ref string `json:"$ref"`
					} `json:"oneOf"`
				} `json:"message"`
			} `json:"subscribe"`
		} `json:"channels"`
	}
	answer.OK(&described)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	require.NoError(s.tb, compiler.AddResource("asyncapi.json", document))
	for path, channel := range described.Channels {
		require.Len(s.tb, channel.Subscribe.Message.OneOf, 2, path)
		var schemas [2]*jsonschema.Schema
		for i, message := range channel.Subscribe.Message.OneOf {
			schemas[i], err = compiler.Compile("asyncapi.json" + message.Ref + "/payload")
			require.NoError(s.tb, err, path)
		}
		s.live.frames[path] = frameSchemas{element: schemas[0], failure: schemas[1]}
	}
}

// Stream is a client's end of a stream.
type Stream struct {
	Conn *websocket.Conn

	tb      testing.TB
	schemas frameSchemas
}

// Open opens a stream as the user, or without a token for "", and sends the request.
func (s *Server) Open(userID, path string, request any) *Stream {
	s.tb.Helper()
	token := ""
	if userID != "" {
		token = Token(s.tb, userID)
	}
	return s.OpenWith(token, path, request)
}

// OpenWith opens a stream with a token, or without one for "". It sends a string as it is, other requests as JSON, and
// nothing for nil.
func (s *Server) OpenWith(token, path string, request any) *Stream {
	s.tb.Helper()
	protocols := []string{"daml.ws.auth"}
	if token != "" {
		protocols = append(protocols, "jwt.token."+token)
	}
	ctx, cancel := context.WithTimeout(s.tb.Context(), Patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, s.URL()+path, &websocket.DialOptions{
		Subprotocols: protocols, HTTPHeader: http.Header{"Accept-Encoding": {"gzip"}}, // as browsers send it
	})
	require.NoError(s.tb, err)
	require.Equal(s.tb, "daml.ws.auth", conn.Subprotocol())
	conn.SetReadLimit(-1)
	s.tb.Cleanup(func() { _ = conn.CloseNow() })
	stream := &Stream{Conn: conn, tb: s.tb, schemas: s.live.frames["/"+strings.TrimLeft(path, "/")]}
	require.NotNil(s.tb, stream.schemas.element, "the document has no stream %s", path)
	switch request := request.(type) {
	case nil:
	case string:
		require.NoError(s.tb, conn.Write(ctx, websocket.MessageText, []byte(request)))
	default:
		body, err := json.Marshal(request)
		require.NoError(s.tb, err)
		require.NoError(s.tb, conn.Write(ctx, websocket.MessageText, body))
	}
	return stream
}

// Next is the next frame, which must be an element or an error as the document describes it.
func (s *Stream) Next() []byte {
	s.tb.Helper()
	frame, _ := s.next()
	return frame
}

func (s *Stream) next() (frame []byte, failure bool) {
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(s.tb.Context(), Patience)
	defer cancel()
	kind, frame, err := s.Conn.Read(ctx)
	require.NoError(s.tb, err)
	require.Equal(s.tb, websocket.MessageText, kind)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(frame))
	require.NoError(s.tb, err, "%s", frame)
	object, _ := value.(map[string]any)
	schema := s.schemas.element
	if _, failure = object["code"]; failure { // clients use it, too
		schema = s.schemas.failure
	}
	require.NoError(s.tb, schema.Validate(value), "%s", frame)
	return frame, failure
}

// Element reads the next frame, which must be an element, into target.
func (s *Stream) Element(target any) {
	s.tb.Helper()
	frame, failure := s.next()
	require.False(s.tb, failure, "%s", frame)
	require.NoError(s.tb, json.Unmarshal(frame, target), "%s", frame)
}

// Failed requires that the next frame, after any checkpoints, is an error with the code, and returns the error.
func (s *Stream) Failed(code string) v2.JsCantonError {
	s.tb.Helper()
	var body v2.JsCantonError
	frame := s.Next()
	for until := time.Now().Add(Patience); bytes.Contains(frame, []byte(`"OffsetCheckpoint"`)); frame = s.Next() {
		require.True(s.tb, time.Now().Before(until), "the stream goes on, and should have ended with %s", code)
	}
	require.NoError(s.tb, json.Unmarshal(frame, &body), "%s", frame)
	require.Equal(s.tb, code, body.Code, "%s", frame)
	require.NotEmpty(s.tb, body.Cause)
	s.Ended()
	return body
}

// Ended requires that the stream has ended.
func (s *Stream) Ended() {
	s.tb.Helper()
	require.Equal(s.tb, websocket.CloseError{Code: websocket.StatusNormalClosure}, s.Closed())
}

// Closed requires that no frame comes, and returns the close frame.
func (s *Stream) Closed() websocket.CloseError {
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(s.tb.Context(), Patience)
	defer cancel()
	_, frame, err := s.Conn.Read(ctx)
	require.Error(s.tb, err, "%s", frame)
	var closed websocket.CloseError
	require.ErrorAs(s.tb, err, &closed)
	return closed
}

// Leave closes the stream as clients do.
func (s *Stream) Leave() {
	s.tb.Helper()
	require.NoError(s.tb, s.Conn.Close(websocket.StatusNormalClosure, ""))
}
