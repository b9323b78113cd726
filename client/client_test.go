package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/client"
)

// call is a request that the stub received.
type call struct {
	method, path, authorization string
	body                        string
}

// newStub answers every request with the same answer and keeps the last request.
func newStub(t *testing.T, status int, answer string) (*client.Client, *call) {
	t.Helper()
	last := &call{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*last = call{r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"), string(body)}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	return client.New(server.URL+"/", 1).With("token"), last
}

func TestToken_IsVerifiable(t *testing.T) {
	t.Parallel()
	verifier, err := auth.NewHS256(auth.HS256Options{Secret: "unsafe", Audience: "aud", Times: auth.Times{Now: time.Now}})
	require.NoError(t, err)

	verified, err := verifier.Verify(t.Context(), client.Token("unsafe", "aud", "alice"))
	require.NoError(t, err)
	require.Equal(t, "alice", verified.UserID)

	_, err = verifier.Verify(t.Context(), client.Token("other", "aud", "alice"))
	require.Error(t, err, "another secret")
}

func TestClient_SendsRequests(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer string
		do     func(context.Context, *client.Client) (any, error)
		method string
		path   string
		body   string // as JSON
		result any
	}{
		{
			name: "allocate a party", answer: `{"partyDetails":{"party":"alice::1220"}}`,
			do: func(ctx context.Context, c *client.Client) (any, error) {
				return c.AllocateParty(ctx, "alice", "user")
			},
			method: "POST", path: "/v2/parties", body: `{"partyIdHint":"alice","userId":"user"}`, result: "alice::1220",
		},
		{
			name: "list parties", answer: `{"partyDetails":[{"party":"DSO::1220"},{"party":"DSO::1221"}],"nextPageToken":""}`,
			do: func(ctx context.Context, c *client.Client) (any, error) {
				return c.Parties(ctx, "DSO::")
			},
			method: "GET", path: "/v2/parties?filter-party=DSO%3A%3A", result: []string{"DSO::1220", "DSO::1221"},
		},
		{
			name: "create a user", answer: `{"user":{}}`,
			do: func(ctx context.Context, c *client.Client) (any, error) {
				return nil, c.CreateUser(ctx, "u", "p", client.CanActAs("p"), client.ParticipantAdmin())
			},
			method: "POST", path: "/v2/users",
			body: `{"user":{"id":"u","primaryParty":"p"},"rights":[{"kind":{"CanActAs":{"value":{"party":"p"}}}},
				{"kind":{"ParticipantAdmin":{"value":{}}}}]}`,
		},
		{
			name: "submit", answer: `{}`,
			do: func(ctx context.Context, c *client.Client) (any, error) {
				create := client.Create{TemplateID: "#p:M:T", CreateArguments: map[string]string{"owner": "alice"}}
				return nil, c.Submit(ctx, client.Commands{
					CommandID: "c", ActAs: []string{"alice"}, Commands: []client.Command{{Create: &create}},
				})
			},
			method: "POST", path: "/v2/commands/async/submit",
			body: `{"commandId":"c","actAs":["alice"],
				"commands":[{"CreateCommand":{"templateId":"#p:M:T","createArguments":{"owner":"alice"}}}]}`,
		},
		{
			name: "submit and wait", answer: `{"updateId":"1220","completionOffset":7}`,
			do: func(ctx context.Context, c *client.Client) (any, error) {
				return c.SubmitAndWait(ctx, client.Commands{CommandID: "c", Commands: []client.Command{}})
			},
			method: "POST", path: "/v2/commands/submit-and-wait", body: `{"commandId":"c","actAs":null,"commands":[]}`,
			result: client.Outcome{UpdateID: "1220", CompletionOffset: 7},
		},
		{
			name: "read the ledger's end", answer: `{"offset":42}`,
			do: func(ctx context.Context, c *client.Client) (any, error) {
				return c.LedgerEnd(ctx)
			},
			method: "GET", path: "/v2/state/ledger-end", result: int64(42),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, last := newStub(t, http.StatusOK, test.answer)
			result, err := test.do(t.Context(), client)
			require.NoError(t, err)
			require.Equal(t, test.result, result)
			require.Equal(t, test.method, last.method)
			require.Equal(t, test.path, last.path)
			require.Equal(t, "Bearer token", last.authorization)
			if test.body == "" {
				require.Empty(t, last.body)
			} else {
				require.JSONEq(t, test.body, last.body)
			}
		})
	}
}

func TestText_ReturnsAnswer(t *testing.T) {
	t.Parallel()
	api, last := newStub(t, http.StatusOK, "readyz check passed\n")
	text, err := api.Text(t.Context(), "/readyz?verbose")
	require.NoError(t, err)
	require.Equal(t, "readyz check passed\n", text)
	require.Equal(t, "GET", last.method)
	require.Equal(t, "/readyz?verbose", last.path)

	api, _ = newStub(t, http.StatusServiceUnavailable, "[-] ledger failed")
	_, err = api.Text(t.Context(), "/readyz")
	require.ErrorContains(t, err, "HTTP 503: [-] ledger failed")
}

func TestError_ReadsBody(t *testing.T) {
	t.Parallel()

	t.Run("an error body is read", func(t *testing.T) {
		t.Parallel()
		api, _ := newStub(t, http.StatusNotFound, `{"code":"CONTRACT_NOT_FOUND","cause":"gone","errorCategory":11,
			"context":{"category":"11"},"resources":[["CONTRACT_ID","00"]]}`)
		err := api.Submit(t.Context(), client.Commands{})
		require.Equal(t, "CONTRACT_NOT_FOUND", client.Code(err))
		var refused *client.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, http.StatusNotFound, refused.Status)
		require.Equal(t, 11, refused.Category)
		require.ErrorContains(t, err, "HTTP 404 CONTRACT_NOT_FOUND: gone")
	})

	t.Run("a text body is shown", func(t *testing.T) {
		t.Parallel()
		api, _ := newStub(t, http.StatusBadRequest, "Invalid value for: body")
		_, err := api.LedgerEnd(t.Context())
		require.Empty(t, client.Code(err))
		require.ErrorContains(t, err, "HTTP 400: Invalid value for: body")
	})

	t.Run("an answer that is not JSON is refused", func(t *testing.T) {
		t.Parallel()
		client, _ := newStub(t, http.StatusOK, "hello")
		_, err := client.LedgerEnd(t.Context())
		require.ErrorContains(t, err, "GET /v2/state/ledger-end: decode the answer")
	})
}

func TestCompletions_ReturnsCompletionsAndOffset(t *testing.T) {
	t.Parallel()
	const completion = `{"completionResponse":{"Completion":{"value":{"commandId":"c","status":{"code":9,"message":"no"},
		"offset":14,"updateId":"","deduplicationPeriod":{"Empty":{}}}}}}`
	const checkpoint = `{"completionResponse":{"OffsetCheckpoint":{"value":{"offset":20,"synchronizerTimes":[]}}}}`
	request := client.CompletionsRequest{
		Parties: []string{"alice"}, BeginExclusive: 12, Limit: 10, Idle: 50 * time.Millisecond,
	}

	t.Run("gives completions and how far they reach", func(t *testing.T) {
		t.Parallel()
		client, last := newStub(t, http.StatusOK, "["+completion+","+checkpoint+"]")
		completions, reached, err := client.Completions(t.Context(), request)
		require.NoError(t, err)
		require.Len(t, completions, 1)
		require.Equal(t, "c", completions[0].CommandID)
		require.Equal(t, int32(9), completions[0].Status.Code)
		require.Equal(t, int64(20), reached)
		require.Equal(t, "/v2/commands/completions?limit=10&stream_idle_timeout_ms=50", last.path)
		require.JSONEq(t, `{"userId":"","parties":["alice"],"beginExclusive":12}`, last.body)
	})

	t.Run("stays where it is when there are none", func(t *testing.T) {
		t.Parallel()
		client, _ := newStub(t, http.StatusOK, "[]")
		completions, reached, err := client.Completions(t.Context(), request)
		require.NoError(t, err)
		require.Empty(t, completions)
		require.Equal(t, int64(12), reached)
	})

	t.Run("refuses kinds that it does not know", func(t *testing.T) {
		t.Parallel()
		client, _ := newStub(t, http.StatusOK, `[{"completionResponse":{"Surprise":{"value":{}}}}]`)
		_, _, err := client.Completions(t.Context(), request)
		require.ErrorContains(t, err, `unknown kind "Surprise"`)
	})

	t.Run("refuses elements of two kinds", func(t *testing.T) {
		t.Parallel()
		client, _ := newStub(t, http.StatusOK, `[{"completionResponse":{"A":{},"B":{}}}]`)
		_, _, err := client.Completions(t.Context(), request)
		require.ErrorContains(t, err, "exactly one kind, got [A B]")
	})
}

func TestSubmitAndWait_ReturnsTransaction(t *testing.T) {
	t.Parallel()
	api, last := newStub(t, http.StatusOK, `{"transaction":{"updateId":"1220","offset":14,"events":[
		{"CreatedEvent":{"contractId":"00a","templateId":"5f0e:Splice.Amulet:Amulet","createArgument":{"owner":"alice"}}},
		{"CreatedEvent":{"contractId":"00b","templateId":"5f0e:Splice.Amulet:LockedAmulet"}},
		{"ArchivedEvent":{"contractId":"00c","templateId":"5f0e:Splice.Amulet:Amulet"}}]}}`)
	transaction, err := api.SubmitAndWaitForTransaction(t.Context(), client.Commands{CommandID: "c"})
	require.NoError(t, err)
	require.Equal(t, int64(14), transaction.Offset)
	created := transaction.Created(client.AmuletEntity)
	require.Len(t, created, 1)
	require.Equal(t, "00a", created[0].ContractID)
	require.JSONEq(t, `{"commands":{"commandId":"c","actAs":null,"commands":null}}`, last.body)
}

func TestFindCoin_PicksRulesAndRound(t *testing.T) {
	t.Parallel()
	// find answers both requests of FindCoin with the active contracts.
	find := func(t *testing.T, contracts ...string) (client.Coin, error) {
		t.Helper()
		mux := http.NewServeMux()
		mux.HandleFunc("GET /v2/state/ledger-end", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"offset":9}`))
		})
		mux.HandleFunc("POST /v2/state/active-contracts", func(w http.ResponseWriter, _ *http.Request) {
			elements := []any{map[string]any{"contractEntry": map[string]any{"JsEmpty": map[string]any{}}}}
			for _, contract := range contracts {
				elements = append(elements, map[string]any{"contractEntry": map[string]any{
					"JsActiveContract": map[string]any{"createdEvent": json.RawMessage(contract)},
				}})
			}
			_ = json.NewEncoder(w).Encode(elements)
		})
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		return client.New(server.URL, 1).FindCoin(t.Context(), "DSO::1220")
	}
	const rules = `{"contractId":"00a","templateId":"3c:Splice.AmuletRules:AmuletRules"}`
	const second = `{"contractId":"00c","templateId":"3c:Splice.Round:OpenMiningRound",
		"createArgument":{"round":{"number":"2"}}}`
	const first = `{"contractId":"00b","templateId":"3c:Splice.Round:OpenMiningRound",
		"createArgument":{"round":{"number":"1"}}}`

	t.Run("takes the lowest round, which is open", func(t *testing.T) {
		t.Parallel()
		coin, err := find(t, second, rules, first)
		require.NoError(t, err)
		require.Equal(t, client.Coin{DSO: "DSO::1220", Rules: "00a", Round: "00b"}, coin)
	})

	t.Run("says when there is none", func(t *testing.T) {
		t.Parallel()
		_, err := find(t, rules)
		require.ErrorContains(t, err, "no open round visible to DSO::1220")
	})
}

func TestCoin_BuildsCommands(t *testing.T) {
	t.Parallel()
	coin := client.Coin{DSO: "dso", Rules: "00a", Round: "00b"}
	encoded, err := json.Marshal([]client.Command{
		coin.Tap("alice", "1.0"),
		coin.Transfer("alice", []string{"00c"}, client.Output{Receiver: "bob", Amount: "0.5"}),
	})
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"ExerciseCommand":{"templateId":"#splice-amulet:Splice.AmuletRules:AmuletRules","contractId":"00a",
			"choice":"AmuletRules_DevNet_Tap","choiceArgument":{"receiver":"alice","amount":"1.0","openRound":"00b"}}},
		{"ExerciseCommand":{"templateId":"#splice-amulet:Splice.AmuletRules:AmuletRules","contractId":"00a",
			"choice":"AmuletRules_Transfer","choiceArgument":{"expectedDso":"dso",
			"context":{"openMiningRound":"00b","issuingMiningRounds":[],"validatorRights":[]},
			"transfer":{"sender":"alice","provider":"alice","inputs":[{"tag":"InputAmulet","value":"00c"}],
				"outputs":[{"receiver":"bob","amount":"0.5","receiverFeeRatio":"0.0"}]}}}}]`, string(encoded))
}

type transportFunc func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (w transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

func TestClient_UsesTransportAndHeaders(t *testing.T) {
	t.Parallel()
	way := transportFunc(func(r *http.Request) (*http.Response, error) {
		require.Equal(t, "Bearer token", r.Header.Get("Authorization"))
		answer := httptest.NewRecorder()
		answer.Header().Set("Retry-After", "1")
		answer.WriteHeader(http.StatusConflict)
		_, _ = answer.WriteString(`{"code":"X","cause":"c","hint":"` + r.Header.Get("Idempotency-Key") + `"}`)
		return answer.Result(), nil
	})
	api := client.New("http://node", 1).With("token").Over(way)
	keyed := api.WithHeader("Idempotency-Key", "k")
	for key, api := range map[string]*client.Client{"": api, "k": keyed} {
		refused, ok := errors.AsType[*client.Error](api.Get(t.Context(), "/v0/x", nil))
		require.True(t, ok)
		require.True(t, refused.Again)
		require.Equal(t, key, refused.Hint)
	}
}
