package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/client"
)

func idleTimeout(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, s.dso, "idle", "idle")
	outcome, err := alice.SubmitAndWait(t.Context(), alice.tap(s.coin, "idle", 1))
	require.NoError(t, err)
	for _, idle := range []time.Duration{time.Millisecond, 1500 * time.Millisecond} {
		began := time.Now()
		found, reached, err := alice.Completions(t.Context(), client.CompletionsRequest{
			Parties: alice.parties, BeginExclusive: outcome.CompletionOffset, Idle: idle,
		})
		require.NoError(t, err)
		require.Empty(t, found)
		require.GreaterOrEqual(t, reached, outcome.CompletionOffset)
		require.GreaterOrEqual(t, time.Since(began), idle)
	}
	_, _, err = alice.Completions(t.Context(), client.CompletionsRequest{
		Parties: alice.parties, BeginExclusive: outcome.CompletionOffset, Idle: -time.Second,
	})
	require.NoError(t, err, "the client leaves it out")
	status, body := s.post(t, alice.token(), "/v2/commands/completions?stream_idle_timeout_ms=soon", `{"parties":[]}`)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, "stream_idle_timeout_ms")
}

// redactedError is the error for a caller without the right: it has no details.
type redactedError struct {
	Code          string            `json:"code"`
	Cause         string            `json:"cause"`
	Context       map[string]string `json:"context"`
	Resources     []any             `json:"resources"`
	ErrorCategory int               `json:"errorCategory"`
}

func requireRedacted(t *testing.T, status, expected int, body string) {
	t.Helper()
	require.Equal(t, expected, status, body)
	var answer redactedError
	require.NoError(t, json.Unmarshal([]byte(body), &answer), body)
	require.Equal(t, "NA", answer.Code)
	require.Equal(t, "A security-sensitive error has been received", answer.Cause)
	require.Equal(t, -1, answer.ErrorCategory)
	require.Empty(t, answer.Resources)
}

func refusedTokens(t *testing.T, s sharedNode) {
	t.Helper()
	const path = "/v2/commands/completions"
	alice := newAccount(t, s.endpoint, "", "tokens", "tokens")
	body := fmt.Sprintf(`{"parties":[%q],"beginExclusive":0}`, alice.party())
	longAgo := time.Now().Add(-time.Hour)
	expired, err := auth.Mint(secret, audience, alice.user, time.Minute, longAgo)
	require.NoError(t, err)
	fresh, err := auth.Mint(secret, audience, alice.user, time.Hour, time.Now())
	require.NoError(t, err)
	for _, token := range []string{alice.token(), fresh} {
		status, answer := s.post(t, token, path, body)
		require.Equal(t, http.StatusOK, status, answer)
	}
	for name, token := range map[string]string{
		"none":                "",
		"garbage":             "garbage",
		"of another secret":   client.Token("guessed", audience, alice.user),
		"for somebody else":   client.Token(secret, "https://example.com", alice.user),
		"that has expired":    expired,
		"that nobody signed":  "eyJhbGciOiJub25lIn0.eyJzdWIiOiJsZWRnZXItYXBpLXVzZXIifQ.",
		"cut off at the dots": ".." + alice.token(),
	} {
		status, answer := s.post(t, token, path, body)
		require.Equal(t, http.StatusUnauthorized, status, "token %s: %s", name, answer)
		requireRedacted(t, status, http.StatusUnauthorized, answer)
	}
	status, answer := s.post(t, client.Token(secret, audience, ""), path, body)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, answer, "INVALID_TOKEN", "the signature is valid, so the node may say what is missing")
	status, answer = s.post(t, client.Token(secret, audience, "nobody-knows"), path, body)
	requireRedacted(t, status, http.StatusForbidden, answer)
}

func refusedUsers(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, s.dso, "rights-alice", "rights-alice")
	require.NoError(t, s.admin().CreateUser(t.Context(), "rights-none", ""))
	powerless := s.as("rights-none")
	_, err := powerless.LedgerEnd(t.Context())
	require.NoError(t, err, "every user may read public data")
	token := client.Token(secret, audience, "rights-none")
	tap, err := json.Marshal(alice.tap(s.coin, "rights", 1))
	require.NoError(t, err)
	for path, body := range map[string]string{
		"/v2/commands/async/submit":    string(tap),
		"/v2/commands/submit-and-wait": string(tap),
		"/v2/commands/completions":     fmt.Sprintf(`{"parties":[%q]}`, alice.party()),
		"/v2/users":                    `{"user":{"id":"rights-more"},"rights":[]}`,
		"/v2/parties":                  `{"partyIdHint":"rights-more"}`,
	} {
		status, answer := s.post(t, token, path, body)
		requireRedacted(t, status, http.StatusForbidden, answer)
	}
	// A user may only use its own id, with any rights.
	status, answer := s.post(t, alice.token(), "/v2/commands/completions",
		fmt.Sprintf(`{"userId":"rights-none","parties":[%q]}`, alice.party()))
	requireRedacted(t, status, http.StatusForbidden, answer)
	// Reading is not acting.
	require.NoError(t, s.admin().CreateUser(t.Context(), "rights-reads", "",
		client.CanReadAs(alice.party()), client.CanReadAs(s.dso)))
	reader := client.Token(secret, audience, "rights-reads")
	status, answer = s.post(t, reader, "/v2/commands/submit-and-wait", string(tap))
	requireRedacted(t, status, http.StatusForbidden, answer)
	completions, err := alice.completionsFrom(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, completions, "the ledger got none of them")
}

func readAs(t *testing.T, s sharedNode) {
	t.Helper()
	alice := newAccount(t, s.endpoint, s.dso, "reads-alice", "reads-alice")
	bob := newAccount(t, s.endpoint, "", "reads-bob", "reads-bob")
	_, err := alice.SubmitAndWait(t.Context(), alice.tap(s.coin, "reads", 1))
	require.NoError(t, err)
	unread := alice.tap(s.coin, "does not read", 1)
	unread.ReadAs = nil
	_, err = alice.SubmitAndWait(t.Context(), unread)
	require.Equal(t, "CONTRACT_NOT_FOUND", client.Code(err),
		"the right alone shows nothing: readAs must name the party")
	body, err := json.Marshal(bob.tap(s.coin, "may not read", 1))
	require.NoError(t, err)
	status, answer := s.post(t, bob.token(), "/v2/commands/submit-and-wait", string(body))
	requireRedacted(t, status, http.StatusForbidden, answer)
}

func disclosedContracts(t *testing.T, s sharedNode) {
	t.Helper()
	bob := newAccount(t, s.endpoint, "", "shown", "shown") // cannot read as the DSO
	commands := map[string]any{
		"commandId": "shown", "actAs": bob.parties, "commands": bob.tap(s.coin, "", 7).Commands,
	}
	err := bob.Post(t.Context(), "/v2/commands/submit-and-wait", commands, nil)
	require.Equal(t, "CONTRACT_NOT_FOUND", client.Code(err))

	blobs := s.blobs(t, client.AmuletRulesTemplate, client.OpenMiningRoundTemplate)
	disclosed := []map[string]string{
		{"contractId": s.coin.Rules, "createdEventBlob": blobs[s.coin.Rules], "templateId": client.AmuletRulesTemplate},
		{"contractId": s.coin.Round, "createdEventBlob": blobs[s.coin.Round]},
	}
	commands["disclosedContracts"] = disclosed
	var outcome client.Outcome
	require.NoError(t, bob.Post(t.Context(), "/v2/commands/submit-and-wait", commands, &outcome))
	holdings, err := bob.ActiveContracts(t.Context(), outcome.CompletionOffset, bob.party(), client.AmuletTemplate)
	require.NoError(t, err)
	require.Len(t, holdings, 1)

	// A disclosed contract must match its contract id.
	commands["commandId"] = "forged"
	disclosed[0]["contractId"], disclosed[1]["contractId"] = disclosed[1]["contractId"], disclosed[0]["contractId"]
	err = bob.Post(t.Context(), "/v2/commands/submit-and-wait", commands, nil)
	require.Equal(t, "INVALID_ARGUMENT", client.Code(err))
}

// blobs reads the contracts of the templates as the DSO, in the form of disclosed contracts.
func (s sharedNode) blobs(t *testing.T, templates ...string) map[string]string {
	t.Helper()
	end, err := s.admin().LedgerEnd(t.Context())
	require.NoError(t, err)
	var filters []any
	for _, template := range templates {
		filters = append(filters, map[string]any{"identifierFilter": map[string]any{"TemplateFilter": map[string]any{
			"value": map[string]any{"templateId": template, "includeCreatedEventBlob": true},
		}}})
	}
	var answer []struct {
		ContractEntry struct {
			Active struct {
				CreatedEvent client.CreatedEvent `json:"createdEvent"`
			} `json:"JsActiveContract"`
		} `json:"contractEntry"`
	}
	require.NoError(t, s.admin().Post(t.Context(), "/v2/state/active-contracts", map[string]any{
		"activeAtOffset": end, "eventFormat": map[string]any{
			"filtersByParty": map[string]any{s.dso: map[string]any{"cumulative": filters}},
		},
	}, &answer))
	blobs := map[string]string{}
	for _, element := range answer {
		created := element.ContractEntry.Active.CreatedEvent
		require.NotEmpty(t, created.CreatedEventBlob)
		blobs[created.ContractID] = created.CreatedEventBlob
	}
	return blobs
}

func userPages(t *testing.T, s sharedNode) {
	t.Helper()
	for i := range 3 {
		require.NoError(t, s.admin().CreateUser(t.Context(), fmt.Sprintf("page-%d", i), ""))
	}
	seen := map[string]bool{}
	last, token := "", ""
	for {
		var page struct {
			Users []struct {
				ID string `json:"id"`
			} `json:"users"`
			NextPageToken string `json:"nextPageToken"`
		}
		require.NoError(t, s.admin().Get(t.Context(), "/v2/users?pageSize=2&pageToken="+token, &page))
		require.LessOrEqual(t, len(page.Users), 2)
		for _, user := range page.Users {
			require.Greater(t, user.ID, last, "ordered by id")
			last, seen[user.ID] = user.ID, true
		}
		if token = page.NextPageToken; token == "" {
			break
		}
	}
	for _, expected := range []string{"page-0", "page-1", "page-2", adminUser, "participant_admin", "app-user"} {
		require.True(t, seen[expected], expected)
	}
}
