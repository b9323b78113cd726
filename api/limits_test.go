package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// still is a clock that stands still, so that rates do not recover.
func still() time.Time { return time.Unix(1_800_000_000, 0) }

func TestOverload_HasErrorFormatOfEachFamily(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Limits: admission.New(admission.Options{UserRate: 0.25, Now: still})})
	for _, user := range []string{"ledger", "validator"} {
		s.Rights(user, ledger.Right{Kind: ledger.ParticipantAdmin})
	}
	s.Call("ledger", http.MethodGet, "/v2/state/ledger-end", nil).OK(nil)
	answer := s.Call("ledger", http.MethodGet, "/v2/state/ledger-end", nil)
	body := answer.Refused(http.StatusTooManyRequests, "SERVER_OVERLOADED")
	require.Equal(t, `User "ledger" made more than 0.25 requests a second.`, body.Cause)
	require.Equal(t, "4", answer.Header.Get("Retry-After"))
	require.Equal(t, "1 second", *body.RetryInfo)
	require.Contains(t, *body.Hint, "Wait 4s")

	s.Call("validator", http.MethodGet, "/v0/admin/audit", nil).OK(nil)
	answer = s.Call("validator", http.MethodGet, "/v0/admin/audit", nil)
	require.Equal(t, http.StatusTooManyRequests, answer.Status)
	require.Equal(t, "4", answer.Header.Get("Retry-After"))
	var refusal struct {
		Error string `json:"error"`
	}
	require.NoError(t, json.Unmarshal([]byte(answer.Text), &refusal))
	require.Contains(t, refusal.Error, `User "validator" made more than 0.25 requests a second`)
}

// slowClient reads an answer when the test lets it.
type slowClient struct {
	*httptest.ResponseRecorder

	answered chan struct{} // closed by the first write
	release  chan struct{}
}

// Write implements [http.ResponseWriter].
func (c *slowClient) Write(content []byte) (int, error) {
	select {
	case <-c.answered:
	default:
		close(c.answered)
	}
	<-c.release
	return c.ResponseRecorder.Write(content)
}

func TestOverload_HealthIsStillServed(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{
		Limits: admission.New(admission.Options{Requests: 1}),
	})
	s.Onboard("alice")
	export := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v0/wallet/transactions", nil)
	export.Header.Set("Authorization", "Bearer "+apitest.Token(t, "alice"))
	export.Header.Set("Accept", "text/csv")
	answer := &slowClient{
		ResponseRecorder: httptest.NewRecorder(), answered: make(chan struct{}), release: make(chan struct{}),
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.Handler.ServeHTTP(answer, export) // a stream: it keeps its place until the client has read it
	}()
	within(t, answer.answered, "no answer is written")
	require.Equal(t, http.StatusTooManyRequests, s.Call("alice", http.MethodGet, "/v2/state/ledger-end", nil).Status,
		"the only place is taken by a request whose client takes no answer")
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		require.Equal(t, http.StatusOK, s.Call("", http.MethodGet, path, nil).Status, path)
	}
	close(answer.release)
	within(t, served, "the answer is not finished")
	require.Equal(t, http.StatusOK, answer.Code)
	s.Call("alice", http.MethodGet, "/v2/state/ledger-end", nil).OK(nil)
}

// within waits for a channel to be closed.
func within(t *testing.T, closed <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-closed:
	case <-time.After(apitest.Patience):
		require.Fail(t, otherwise)
	}
}

func TestSubmission_LimitsCommandsContractsAndParties(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Settings: ledgerapi.Settings{
		Counts: ledgerapi.Counts{Commands: 2, Disclosed: 3, Parties: 4},
	}})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	list := func(count int, element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", count), ",") + "]"
	}
	note := fmt.Sprintf(`{"CreateCommand":{"templateId":%q,"createArguments":{"owner":%q,"readers":[],"label":"LABEL",`+
		`"amount":"1"}}}`, apitest.NoteTemplate, alice)
	submission := func(field, value string) string {
		command := strings.Replace(note, "LABEL", field, 1)
		fields := map[string]string{
			"commands": "[" + command + "]", "commandId": `"of-` + field + `"`, "actAs": fmt.Sprintf("[%q]", alice),
		}
		fields[field] = value
		var parts []string
		for name, content := range fields {
			parts = append(parts, fmt.Sprintf("%q:%s", name, content))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	for _, test := range []struct {
		field, name, element string
		most                 int
	}{
		{"commands", "commands", note, 2},
		{"actAs", "act_as", fmt.Sprintf("%q", alice), 4},
		{"readAs", "read_as", fmt.Sprintf("%q", alice), 4},
		{"packageIdSelectionPreference", "package_id_selection_preference", `"` + apitest.NotePackage + `"`, 3},
		{
			"disclosedContracts", "disclosed_contracts",
			`{"templateId":"` + apitest.NoteTemplate + `","contractId":"00","createdEventBlob":"","synchronizerId":""}`, 3,
		},
		{
			"prefetchContractKeys", "prefetch_contract_keys",
			`{"templateId":"` + apitest.NoteTemplate + `","contractKey":{}}`, 3,
		},
	} {
		for _, path := range []string{"/v2/commands/submit-and-wait", "/v2/interactive-submission/prepare"} {
			t.Run(test.field+" at "+path, func(t *testing.T) {
				t.Parallel()
				s := s.In(t)
				body := s.Call("alice", http.MethodPost, path, submission(test.field, list(test.most+1, test.element))).
					Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
				require.Contains(t, body.Cause, fmt.Sprintf("%s has %d elements; the maximum in one submission is %d",
					test.name, test.most+1, test.most))
				require.Equal(t, "Split it into several submissions.", *body.Hint)
				full := s.Call("alice", http.MethodPost, path, submission(test.field, list(test.most, test.element)))
				require.NotContains(t, full.Text, "the maximum in one submission", "as many as may be")
			})
		}
	}
}

func TestJSON_RefusesDeepNestingAtEveryEndpoint(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 257) + strings.Repeat("]", 257)
	eachBody(t, func(t *testing.T, send func(body any) apitest.Answer, _ *openapi3.SchemaRef, _ any) {
		t.Helper()
		text := send(`{"value":` + deep + `}`).Plain(http.StatusBadRequest)
		require.Contains(t, text, "the JSON is nested more than 256 levels deep at byte 265")
		text = send(`{"value":[` + strings.Repeat("0,", 10_000) + `0]}`).Plain(http.StatusBadRequest)
		require.Contains(t, text, "an array or object has more than 10000 elements")
	})
	s := hostileServer(t)
	stream := s.Open(caller, "/v2/updates", `{"value":`+deep+`}`)
	require.Contains(t, stream.Closed().Reason, "the JSON is nested more than 256 levels deep")
}

func TestSecurityHeaders_AreOnEveryAnswer(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	for _, path := range []string{"/v2/version", "/v2/nope", "/v2/users", "/v0/validator-user", "/docs", "/livez"} {
		header := s.Call("", http.MethodGet, path, nil).Header
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
		require.Equal(t, "DENY", header.Get("X-Frame-Options"), path)
		require.Equal(t, "same-origin", header.Get("Cross-Origin-Resource-Policy"), path)
		require.Equal(t, "no-referrer", header.Get("Referrer-Policy"), path)
		require.Equal(t, "no-store", header.Get("Cache-Control"), path)
		require.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'", path)
		require.Contains(t, header.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
		require.Empty(t, header.Get("Access-Control-Allow-Origin"), path)
		require.Empty(t, header.Get("Server"), path)
	}
}
