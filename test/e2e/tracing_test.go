//go:build long

package e2e_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/telemetry/tracing"
)

// spanCollector is an OTLP collector that stores the spans.
type spanCollector struct {
	*httptest.Server

	mu    sync.Mutex
	spans []*tracepb.Span
}

func collectSpans(t *testing.T) *spanCollector {
	t.Helper()
	c := &spanCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/traces" {
			return // metrics
		}
		request := &collector.ExportTraceServiceRequest{}
		if err == nil {
			err = proto.Unmarshal(body, request)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, resource := range request.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *spanCollector) all() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// of are the spans of a trace by their names.
func (c *spanCollector) of(trace string) map[string]*tracepb.Span {
	found := map[string]*tracepb.Span{}
	for _, span := range c.all() {
		if hex.EncodeToString(span.GetTraceId()) == trace {
			found[span.GetName()] = span
		}
	}
	return found
}

// below requires that each span is a child of the one before it, and the first is a child of the id.
func below(found map[string]*tracepb.Span, id string, names ...string) error {
	for _, name := range names {
		span := found[name]
		if span == nil {
			return fmt.Errorf("%s is missing", name)
		}
		if parent := hex.EncodeToString(span.GetParentSpanId()); parent != id {
			return fmt.Errorf("%s is within %s instead of %s", name, parent, id)
		}
		id = hex.EncodeToString(span.GetSpanId())
	}
	return nil
}

// roundTrips requires a database query within a span.
func roundTrips(found map[string]*tracepb.Span, within string) error {
	for name, span := range found {
		if strings.HasPrefix(name, "database ") && bytes.Equal(span.GetParentSpanId(), found[within].GetSpanId()) {
			return nil
		}
	}
	return fmt.Errorf("%s has no round trip in %v", within, slices.Sorted(maps.Keys(found)))
}

const (
	clientTrace = "0af7651916cd43dd8448eb211c80319c"
	clientSpan  = "b7ad6b7169203331"
)

// TestTracing_FollowsARequestToTheReader follows a submission through a separate API and worker.
func TestTracing_FollowsARequestToTheReader(t *testing.T) {
	t.Parallel()
	spans := collectSpans(t)
	at := install(t)
	environment := append(at.environment(), "OTEL_EXPORTER_OTLP_ENDPOINT="+spans.URL, "OTEL_BSP_SCHEDULE_DELAY=50")
	launched := func(what string) *servedNode {
		return &servedNode{program: start(t, environment, what, "--listen", "127.0.0.1:0", "--log-level", "warn",
			"--stop-delay", "0s"), what: what}
	}
	api, worker := launched("api"), launched("worker")
	worker.awaitReady(t)
	api.awaitReady(t)
	dso := findDSO(t, api.endpoint)
	alice := newAccount(t, api.endpoint, dso, "alice", "alice")
	coin, err := api.admin().FindCoin(t.Context(), dso)
	require.NoError(t, err)

	const parent = "00-" + clientTrace + "-" + clientSpan + "-01"
	const amount = 7654321
	_, err = alice.WithHeader("Traceparent", parent).SubmitAndWait(t.Context(), alice.tap(coin, "traced", amount))
	require.NoError(t, err)
	var answer []struct {
		CompletionResponse struct {
			Completion struct {
				Value struct {
					CommandID    string                       `json:"commandId"`
					TraceContext struct{ Traceparent string } `json:"traceContext"`
				} `json:"value"`
			} `json:"Completion"`
		} `json:"completionResponse"`
	}
	require.NoError(t, alice.Post(t.Context(), "/v2/commands/completions?limit=1", map[string]any{
		"userId": alice.user, "parties": alice.parties, "beginExclusive": 0,
	}, &answer))
	require.Len(t, answer, 1)
	require.Equal(t, "traced", answer[0].CompletionResponse.Completion.Value.CommandID)
	require.Equal(t, parent, answer[0].CompletionResponse.Completion.Value.TraceContext.Traceparent)

	await(t, "the trace of the submission is whole", func() error {
		found := spans.of(clientTrace)
		if len(found["deliver completion"].GetLinks()) != 1 {
			return fmt.Errorf("the reader is missing in %v", found)
		}
		return errors.Join(
			below(found, clientSpan, "POST /v2/commands/submit-and-wait", "wait for a workflow", "start workflow",
				"StartWorkflow:SubmitCommands"),
			below(found, hex.EncodeToString(found["StartWorkflow:SubmitCommands"].GetSpanId()), "RunWorkflow:SubmitCommands",
				"StartActivity:CommitSubmissions", "RunActivity:CommitSubmissions"),
			below(found, hex.EncodeToString(found["RunActivity:CommitSubmissions"].GetSpanId()), "interpret"),
			roundTrips(found, "POST /v2/commands/submit-and-wait"), roundTrips(found, "RunActivity:CommitSubmissions"),
			below(found, clientSpan, "deliver completion"),
		)
	})

	bob := newAccount(t, api.endpoint, dso, "bob", "bob")
	const offering = "1af7651916cd43dd8448eb211c80319c"
	_, err = alice.WithHeader("Traceparent", "00-"+offering+"-"+clientSpan+"-01").SubmitAndWait(t.Context(),
		client.Commands{CommandID: "offer", ActAs: alice.parties, Commands: []client.Command{{
			Create: &client.Create{TemplateID: offerTemplate, CreateArguments: offer{
				"sender": alice.party(), "receiver": bob.party(), "dso": dso, "trackingId": "traced", "description": "",
				"amount":    map[string]string{"amount": "7654321.0", "unit": "AmuletUnit"},
				"expiresAt": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339),
			}},
		}}})
	require.NoError(t, err)
	requireLink(t, spans, offering)
	requireQuiet(t, spans.all(), "7654321", alice.token(), secret)
}

// requireLink requires that the workflow of the contract of a traced submission links to its trace.
func requireLink(t *testing.T, spans *spanCollector, trace string) {
	t.Helper()
	await(t, "a plan links to what caused it", func() error {
		for _, span := range spans.all() {
			if span.GetName() == "RunActivity:PlanLifecycle" && slices.ContainsFunc(span.GetLinks(),
				func(link *tracepb.Span_Link) bool { return hex.EncodeToString(link.GetTraceId()) == trace }) {
				return nil
			}
		}
		return errors.New("none does")
	})
}

// requireQuiet requires that spans have only the allowed attributes, and none of the words.
func requireQuiet(t *testing.T, spans []*tracepb.Span, words ...string) {
	t.Helper()
	may := append(tracing.Keys(), "temporalWorkflowID", "temporalRunID", "temporalActivityID")
	for _, span := range spans {
		require.Empty(t, span.GetEvents(), span.GetName())
		require.Empty(t, span.GetStatus().GetMessage(), span.GetName())
		for _, fact := range span.GetAttributes() {
			require.Contains(t, may, fact.GetKey(), span.GetName())
		}
		for _, word := range words {
			require.NotContains(t, span.String(), word, "content of a span")
		}
	}
}
