package endpoint_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
)

// clock is a clock that only the test moves.
type clock struct{ since atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(1_800_000_000, c.since.Load()) }

func (c *clock) pass(d time.Duration) { c.since.Add(int64(d)) }

// The opcodes of frames (RFC 6455, 5.2), each the last frame of its message.
const (
	textFrame  = 0x81
	closeFrame = 0x88
	pingFrame  = 0x89
	pongFrame  = 0x8a
)

// rawClient sends frames that libraries do not send.
type rawClient struct {
	t    *testing.T
	conn net.Conn
	read *bufio.Reader
}

// raw opens the stream.
func (s *streamServer) raw() *rawClient {
	s.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(s.t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(s.t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = conn.Write([]byte("GET /count HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Authorization: Bearer alice\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"))
	require.NoError(s.t, err)
	c := &rawClient{s.t, conn, bufio.NewReader(conn)}
	//nolint:bodyclose // what follows is no body
	response, err := http.ReadResponse(c.read, nil)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusSwitchingProtocols, response.StatusCode)
	return c
}

// frame is a short frame of a client, masked with zeros.
func frame(opcode byte, payload string) []byte {
	const masked = 0x80
	return append([]byte{opcode, masked | byte(len(payload)), 0, 0, 0, 0}, payload...)
}

// untilClosed counts the pongs, and returns the close code.
func (c *rawClient) untilClosed() (pongs int, reason websocket.CloseError) {
	c.t.Helper()
	for {
		var head [2]byte
		_, err := io.ReadFull(c.read, head[:])
		require.NoError(c.t, err)
		payload := make([]byte, head[1])
		_, err = io.ReadFull(c.read, payload)
		require.NoError(c.t, err)
		switch head[0] {
		case pongFrame:
			pongs++
		case closeFrame:
			code := binary.BigEndian.Uint16(payload)
			return pongs, websocket.CloseError{Code: websocket.StatusCode(code), Reason: string(payload[2:])}
		}
	}
}

func TestStream_AllowsOnePingPerSecond(t *testing.T) {
	t.Parallel()
	var clock clock
	s := serveStreamWithin(t, endpoint.StreamOptions{}, admission.Options{Now: clock.now})
	c := s.open("alice", `{"upTo":1,"then":"wait"}`)
	require.Contains(t, c.next(), `"number":1`)
	c.CloseRead(t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for range 1000 {
		require.NoError(t, c.Ping(ctx))
		clock.pass(time.Second)
	}
	require.Equal(t, 1, s.streams.Open())
}

// A client may send anything, but no flood, neither before nor after its request.
func TestStream_EndsOnFloodOfFrames(t *testing.T) {
	t.Parallel()
	const request = `{"then":"wait"}`
	for name, flood := range map[string]struct {
		before string // the client's request, if any
		opcode byte
	}{
		"pings before a request":  {"", pingFrame},
		"answers to pings":        {request, pongFrame},
		"messages that come late": {request, textFrame},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var clock clock
			s := serveStreamWithin(t, endpoint.StreamOptions{}, admission.Options{Now: clock.now})
			c := s.raw()
			var sent []byte
			if flood.before != "" {
				sent = frame(textFrame, flood.before)
			}
			const count = 10_000
			sent = append(sent, bytes.Repeat(frame(flood.opcode, "x"), count)...)
			go func() { _, _ = c.conn.Write(sent) }() // the server need not read all of it
			pongs, end := c.untilClosed()
			require.Equal(t, websocket.StatusPolicyViolation, end.Code)
			require.Equal(t, "The client sent more than 10 frames a second. Send one request, and a ping from time "+
				"to time.", end.Reason)
			require.LessOrEqual(t, pongs, 50)
			require.Eventually(t, func() bool { return s.streams.Open() == 0 }, patience, time.Millisecond)
			s.logged("more than 10 frames a second")
		})
	}
}

// A message can come in empty frames, which the limit of its length does not end.
func TestStream_EndsOnMessageWithoutEnd(t *testing.T) {
	t.Parallel()
	s := serveStreamWithin(t, endpoint.StreamOptions{}, admission.Options{})
	c := s.raw()
	const begun, continued = 0x01, 0x00
	_, err := c.conn.Write(append(frame(textFrame, `{"then":"wait"}`), frame(begun, "x")...))
	require.NoError(t, err)
	empty := bytes.Repeat(frame(continued, ""), 100)
	for err == nil {
		_, err = c.conn.Write(empty)
	}
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Eventually(t, func() bool { return s.streams.Open() == 0 }, patience, time.Millisecond)
	s.logged("a message after the request took longer than 2s")
}
