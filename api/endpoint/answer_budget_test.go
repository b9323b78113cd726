package endpoint_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger/fault"
)

// answerServer serves answers of the size in the path, made from as many bytes, to callers that read them at any time.
func answerServer(t *testing.T, options admission.Options) func(user, size string, taken <-chan struct{}) int {
	t.Helper()
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Limits: admission.New(options),
	})
	require.NoError(t, err)
	router := chi.NewRouter()
	router.Use(server.Observe)
	type sized struct {
		Size int64 `path:"size"`
	}
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{endpoint.New(
		info(http.MethodGet, "/{size}", endpoint.Open), func(ctx context.Context, req sized) (endpoint.Content, error) {
			if err := budget.Of(ctx).Take(req.Size); err != nil {
				return endpoint.Content{}, err
			}
			return endpoint.TextContent(http.StatusOK, strings.Repeat("x", int(req.Size))), nil
		}), endpoint.New(
		info(http.MethodGet, "/row/{size}", endpoint.Open), func(ctx context.Context, req sized) (endpoint.Content, error) {
			if err := budget.Of(ctx).TakeRow(req.Size); err != nil {
				return endpoint.Content{}, err
			}
			return endpoint.TextContent(http.StatusOK, strings.Repeat("x", 2*int(req.Size))), nil
		})}))
	return func(user, size string, taken <-chan struct{}) int {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+size, nil)
		if user != "" {
			request.Header.Set("Authorization", "Bearer "+user)
		}
		recorder := &slowly{ResponseRecorder: httptest.NewRecorder(), taken: taken}
		router.ServeHTTP(recorder, request)
		return recorder.Code
	}
}

// slowly reads the body of an answer when the test lets it.
type slowly struct {
	*httptest.ResponseRecorder

	taken <-chan struct{}
}

func (s *slowly) Write(body []byte) (int, error) {
	if s.taken != nil {
		<-s.taken // the answer is complete
		<-s.taken // and read
	}
	return s.ResponseRecorder.Write(body)
}

func TestAnswers_LimitMemoryPerUser(t *testing.T) {
	t.Parallel()
	ask := answerServer(t, admission.Options{Answer: 1 << 20, AnswerMemory: 500_000, UserAnswerMemory: 200_000})
	const large, usual = "200000", "60000"
	for _, greedy := range []string{"greedy", ""} {
		taken, answered := make(chan struct{}), make(chan int)
		go func() { answered <- ask(greedy, large, taken) }()
		taken <- struct{}{}
		require.Equal(t, http.StatusTooManyRequests, ask(greedy, large, nil), "an unread answer counts")
		require.Equal(t, http.StatusOK, ask(greedy, usual, nil), "usual answers need no room")
		require.Equal(t, http.StatusOK, ask("modest", large, nil))
		close(taken)
		require.Equal(t, http.StatusOK, <-answered)
		require.Equal(t, http.StatusOK, ask(greedy, large, nil), "the bytes are free again")
	}
}

func TestAnswers_CountUsualAnswersOfManyUnreadRequests(t *testing.T) {
	t.Parallel()
	ask := answerServer(t, admission.Options{UserRequests: 2, Answer: 1 << 20, UserAnswerMemory: 100_000})
	const usual = "60000"
	answered := make(chan int)
	var made []chan struct{}
	for range 3 { // two free ones, and one that counts
		taken := make(chan struct{})
		go func() { answered <- ask("greedy", usual, taken) }()
		taken <- struct{}{}
		made = append(made, taken)
	}
	require.Equal(t, http.StatusTooManyRequests, ask("greedy", usual, nil))
	require.Equal(t, http.StatusOK, ask("modest", usual, nil))
	for _, taken := range made {
		close(taken)
	}
	for range made {
		require.Equal(t, http.StatusOK, <-answered)
	}
	for range 2 {
		require.Equal(t, http.StatusOK, ask("greedy", usual, nil), "the bytes are free again")
	}
}

func TestAnswers_RefuseLargerThanLimit(t *testing.T) {
	t.Parallel()
	ask := answerServer(t, admission.Options{Answer: 100_000})
	require.Equal(t, http.StatusOK, ask("alice", "100000", nil))
	require.Equal(t, fault.AnswerTooLarge.HTTP(), ask("alice", "100001", nil))
	require.Equal(t, http.StatusRequestEntityTooLarge, fault.AnswerTooLarge.HTTP())
}

// A row above the limit of an answer is served, one at a time, and takes no room from other requests.
func TestAnswers_OversizedRowsAreReadOneAtATime(t *testing.T) {
	t.Parallel()
	ask := answerServer(t, admission.Options{Answer: 100_000, AnswerMemory: 120_000, UserAnswerMemory: 110_000})
	const huge, fits, usual = "row/300000", "row/40000", "100000"
	taken, answered := make(chan struct{}), make(chan int)
	go func() { answered <- ask("greedy", huge, taken) }()
	taken <- struct{}{}
	require.Equal(t, http.StatusTooManyRequests, ask("modest", huge, nil), "one at a time")
	require.Equal(t, http.StatusOK, ask("modest", usual, nil), "it takes nothing from others")
	require.Equal(t, http.StatusOK, ask("modest", fits, nil))
	require.Equal(t, fault.AnswerTooLarge.HTTP(), ask("", huge, nil), "anonymous callers do not take the place")
	close(taken)
	require.Equal(t, http.StatusOK, <-answered)
	require.Equal(t, http.StatusOK, ask("modest", huge, nil), "the place is free again")
	require.Equal(t, fault.AnswerTooLarge.HTTP(), ask("modest", "100001", nil), "what is many small rows is refused")
}
