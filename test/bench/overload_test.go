package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

func TestRawClient_NumbersItsRequests(t *testing.T) {
	t.Parallel()
	var count atomic.Int32
	bodies := make(chan string, 4)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- r.Header.Get("Authorization") + " " + r.URL.Path + " " + string(body)
		switch count.Add(1) {
		case 1:
			_, _ = w.Write([]byte("{}"))
		case 2:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"code":"SERVER_OVERLOADED","cause":"too many"}`))
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte("not now"))
		}
	}))
	t.Cleanup(server.Close)
	c, err := newRawClient(server.URL, "token", "/submit", []byte(`{"commandId":"tap-000"}`), "tap-")
	require.NoError(t, err)
	t.Cleanup(c.close)

	require.NoError(t, c.send(t.Context(), "001"))
	require.Equal(t, `Bearer token /submit {"commandId":"tap-001"}`, <-bodies)
	var refusal *client.Error
	require.ErrorAs(t, c.send(t.Context(), "002"), &refusal)
	require.Equal(t, http.StatusTooManyRequests, refusal.Status)
	require.Equal(t, "SERVER_OVERLOADED", refusal.Code)
	require.Equal(t, `Bearer token /submit {"commandId":"tap-002"}`, <-bodies)
	require.ErrorAs(t, c.send(t.Context(), "003"), &refusal)
	require.Equal(t, map[string]int{"200": 1, "429 SERVER_OVERLOADED": 1, "503": 1}, c.answers)

	_, err = newRawClient("https://node.example", "token", "/", []byte("tap-"), "tap-")
	require.ErrorContains(t, err, "needs a node at http://host:port")
	_, err = newRawClient(server.URL, "token", "/", []byte("{}"), "tap-")
	require.ErrorContains(t, err, "no number")
}

func TestSchedule_EndsWithItsDuration(t *testing.T) {
	t.Parallel()
	next := schedule(t.Context(), 1000, 50*time.Millisecond)
	var due []time.Time
	for at, ok := next(); ok; at, ok = next() {
		due = append(due, at)
	}
	require.NotEmpty(t, due)
	require.LessOrEqual(t, len(due), 50)
	require.Less(t, due[len(due)-1].Sub(due[0]), 50*time.Millisecond)
	for i := range due[1:] {
		require.Equal(t, time.Millisecond, due[i+1].Sub(due[i]))
	}
}

func TestOverload_IsReportedAndJudged(t *testing.T) {
	t.Parallel()
	before, most := 200.0, 240.0
	o := &Overload{
		Factor: 10, Peak: 1040, PeakAfter: 960, PeakClients: 64, Clients: 500, Asked: 10_000, Made: 1900, Goodput: 950,
		OfPeak:  0.95,
		Answers: map[string]int{"200": 9500, "429 SERVER_OVERLOADED": 9500}, NodeBefore: &before, NodeMax: &most,
	}
	r := Report{Overload: o}
	r.judge()
	require.Len(t, r.Goals, 1)
	require.True(t, *r.Goals[0].Met)
	var out strings.Builder
	require.NoError(t, r.print(&out))
	for _, want := range []string{
		"10 times the highest rate, over 500 connections", "960", "answered 429 SERVER_OVERLOADED: 9500",
		"200 before, 240 at most",
		"met     completed under overload, of the highest rate, at least 0.9: 0.95 (10 times the load)",
	} {
		require.Contains(t, out.String(), want)
	}
	o.OfPeak = 0.89
	r.judge()
	require.False(t, *r.Goals[0].Met)
}
