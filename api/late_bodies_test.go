package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// partialRequest is a request of an admitted caller whose body lacks the last byte.
type partialRequest struct {
	t      *testing.T
	conn   net.Conn
	answer *bufio.Reader
	last   string
}

// begin sends a request without the last byte of its body. The node asks for the body only after it admits the caller.
func (w *world) begin(token, method, path string, body any) *partialRequest {
	w.t.Helper()
	text, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		require.NoError(w.t, err)
		text = string(encoded)
	}
	address, err := url.Parse(w.URL())
	require.NoError(w.t, err)
	conn, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", address.Host)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(w.t, conn.SetDeadline(time.Now().Add(time.Minute)))
	h := &partialRequest{t: w.t, conn: conn, answer: bufio.NewReader(conn), last: text[len(text)-1:]}
	h.send(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", method, path, address.Host, token, len(text)))
	line, err := h.answer.ReadString('\n')
	require.NoError(w.t, err)
	require.Equal(w.t, "HTTP/1.1 100 Continue\r\n", line, "the body of %s %s is read before its caller is refused", method,
		path)
	_, err = h.answer.ReadString('\n')
	require.NoError(w.t, err)
	h.send(text[:len(text)-1])
	return h
}

func (h *partialRequest) send(text string) {
	h.t.Helper()
	_, err := h.conn.Write([]byte(text))
	require.NoError(h.t, err)
}

// end sends the last byte, and returns the status of the answer.
func (h *partialRequest) end() int {
	h.t.Helper()
	h.send(h.last)
	answer, err := http.ReadResponse(h.answer, nil)
	require.NoError(h.t, err)
	require.NoError(h.t, answer.Body.Close())
	return answer.StatusCode
}

// everybody lists all users with their rights.
func (w *world) everybody() map[string][]ledger.Right {
	w.t.Helper()
	all := map[string][]ledger.Right{}
	for _, provider := range []string{"", "acme", "globex"} {
		users, err := w.DB.Users(w.t.Context(), provider, "", 1000)
		require.NoError(w.t, err)
		for _, user := range users {
			all[provider+"/"+user.ID], err = w.DB.UserRights(w.t.Context(), user.ID)
			require.NoError(w.t, err)
		}
	}
	return all
}

// An administrator with all rights begins every changing request, loses its rights, and sends the rest of the request.
func TestLateBodies_RightsAreCheckedAfterTheWholeBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	routes := w.operations(t)
	var operations []string
	for operation, route := range routes {
		if route.method != http.MethodGet && route.method != "WS" {
			operations = append(operations, operation)
		}
	}
	slices.Sort(operations)
	require.Greater(t, len(operations), 80)
	before := w.everybody()
	head, err := w.DB.Head(t.Context())
	require.NoError(t, err)
	for i, operation := range operations {
		user := "late-" + w.count()
		w.Rights(user, ledger.Right{Kind: ledger.ParticipantAdmin}, ledger.Right{Kind: ledger.CanActAsAnyParty})
		path, body := w.request(routes[operation],
			cell{caller: user, aim: "own", holder: w.parties["alice"], user: "reader"})
		if body == nil {
			body = " " // the server reads it even if the endpoint expects none
		}
		request := w.begin(apitest.Token(t, user), routes[operation].method, path, body)
		ways := waysToLoseRights(user, w.parties["alice"].party)[1:]
		way := ways[i%len(ways)]
		w.Call(apitest.Admin, way.method, way.path, way.body).OK(nil)
		ask := func(user string) int {
			return w.Call(user, routes[operation].method, path, body).Status
		}
		atTheDoor := ask(user)
		if atTheDoor != http.StatusForbidden && atTheDoor != http.StatusNotFound { // 404: the caller has no wallet
			require.Equal(t, ask("stranger"), atTheDoor, "%s is for everybody", operation)
		}
		require.Equal(t, atTheDoor, request.end(), "%s by a user who was %s", operation, way.name)
	}
	after := w.everybody()
	for name := range after {
		if strings.Contains(name, "/late-") || strings.Contains(name, "/moved-") { // the subjects of the requests
			delete(after, name)
		}
	}
	require.Equal(t, before, after)
	now, err := w.DB.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, head.Offset, now.Offset)
}

func TestLateBodies_RevokedAdminGrantsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admins := []object{{"kind": object{"ParticipantAdmin": object{"value": object{}}}}}
	w.Rights("evil", ledger.Right{Kind: ledger.ParticipantAdmin})
	w.Rights("friend")
	request := w.begin(apitest.Token(t, "evil"), http.MethodPost, "/v2/users/friend/rights",
		object{"userId": "friend", "rights": admins})
	w.Call(apitest.Admin, http.MethodPatch, "/v2/users/evil/rights", object{"userId": "evil", "rights": admins}).OK(nil)
	require.Equal(t, http.StatusForbidden, request.end())
	rights, err := w.DB.UserRights(t.Context(), "friend")
	require.NoError(t, err)
	require.Empty(t, rights)
}
