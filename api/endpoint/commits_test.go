package endpoint_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
)

// serveCommits serves changes that commit without a submission.
func serveCommits(t *testing.T) *readers {
	t.Helper()
	r := &readers{t: t, working: make(chan string), goOn: make(chan string)}
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Limits: admission.New(admission.Options{}),
	})
	require.NoError(t, err)
	router := chi.NewRouter()
	router.Use(server.Observe)
	type named struct {
		Name string `path:"name"`
	}
	commit := func(ctx context.Context, req named) (endpoint.Empty, error) {
		release, err := db.TakeTurn(ctx) // as in each transaction of the record
		if err != nil {
			return endpoint.Empty{}, err
		}
		defer release()
		r.working <- req.Name
		<-r.goOn
		return endpoint.Empty{}, nil
	}
	onboard := func(ctx context.Context, req named) (endpoint.Empty, error) {
		return endpoint.OnboardInTurn(ctx, func() (endpoint.Empty, error) {
			r.working <- req.Name
			<-r.goOn
			return endpoint.Empty{}, nil
		})
	}
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{
		endpoint.New(info(http.MethodPost, "/commit/{name}", endpoint.Open), commit),
		endpoint.New(info(http.MethodPost, "/onboard/{name}", endpoint.Open), onboard),
	}))
	r.handler = router
	return r
}

func (r *readers) post(user, path string) <-chan int {
	return r.ask(r.t.Context(), user, http.MethodPost, path, httptest.NewRecorder())
}

func TestDirectCommits_LimitEachUser(t *testing.T) {
	t.Parallel()
	r := serveCommits(t)
	var greedy []<-chan int
	for range admission.UserDirectCommits {
		greedy = append(greedy, r.post("greedy", "/commit/greedy"))
		r.works("greedy")
	}
	r.getsNoTurn("greedy", http.MethodPost, "/commit/leaving")
	behind := r.post("greedy", "/commit/behind") // runs only after one of those before it
	modest := r.post("modest", "/commit/modest")
	r.works("modest")
	for range admission.UserDirectCommits + 1 {
		r.goOn <- ""
	}
	for _, status := range append(greedy, modest) {
		r.answered(status)
	}
	r.works("behind")
	r.goOn <- ""
	r.answered(behind)
}

// An onboarding waits for a workflow, possibly for long. A revocation does not wait for it.
func TestDirectCommits_OnboardingsBlockNoChange(t *testing.T) {
	t.Parallel()
	r := serveCommits(t)
	var all []<-chan int
	for i := range admission.DirectCommits {
		all = append(all, r.post(fmt.Sprintf("newcomer-%d", i), "/onboard/party"))
		r.works("party")
	}
	all = append(all, r.post("operator", "/commit/change"))
	r.works("change")
	for range all {
		r.goOn <- ""
	}
	for _, status := range all {
		r.answered(status)
	}
}
