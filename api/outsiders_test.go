package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// outsider is a caller without rights. It asks about things that it could use earlier, or about things of the user with
// the same name.
type outsider struct {
	name, token string
	existing    subject
}

// servesOutsiders are the rules of the table of rights whose endpoints serve some outsiders. Their answers are public,
// and they write nothing.
var servesOutsiders = []string{"none:", "public:", "token:"}

// Outsiders call every endpoint: without a token, with a token of another identity provider and the name of a user, and
// as users who lost their rights, are deactivated or deleted. No table changes by a byte, and the answers about
// existing things are the same as about others.
func TestOutsiders_ChangeAndLearnNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, apitest.RequestPackage())
	outsiders, missing := w.outsiders(), w.missing()
	public := publicOperations(t)
	served := w.operations(t)
	before := w.fingerprint()
	for _, operation := range slices.Sorted(maps.Keys(served)) {
		route := served[operation]
		for _, o := range outsiders {
			exists, doesNot := w.ask(route, o, w.question(route, o.existing)), w.ask(route, o, w.question(route, missing))
			if !public[operation] {
				require.Equal(t, doesNot, exists, "%s, as %s: the answers about what does not exist, and what does",
					operation, o.name)
			}
		}
		require.Empty(t, before.Difference(w.fingerprint()), "%s wrote something", operation)
	}
}

// publicOperations are the operations that serve outsiders.
func publicOperations(t *testing.T) map[string]bool {
	t.Helper()
	public := map[string]bool{}
	for _, rule := range readRights(t) {
		for operation := range rule.endpoints {
			public[operation] = slices.ContainsFunc(servesOutsiders, func(of string) bool {
				return strings.HasPrefix(rule.name, of)
			})
		}
	}
	return public
}

// The test compares the public endpoints of the table of rights with those of the security page, which says what each
// of them reveals.
func TestSecurityPage_ListsEveryPublicEndpoint(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/security.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## What is public\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	listed := 0
	for _, rule := range readRights(t) {
		if !strings.HasPrefix(rule.name, "none:") && !strings.HasPrefix(rule.name, "token:") {
			continue
		}
		for operation := range rule.endpoints {
			_, path, _ := strings.Cut(operation, " ")
			for _, base := range []string{
				"/api/scan/v0", "/api/scan/v1", "/v0/scan-proxy", "/v1/scan-proxy", "/registry",
			} {
				path = strings.TrimPrefix(path, base)
			}
			if head, tail, context := strings.Cut(path, "/choice-contexts/"); context {
				require.Contains(t, section, "`"+head+"/choice-contexts/", operation)
				path = "/" + tail
				if !strings.Contains(section, "`"+path+"`") {
					path = head + "/choice-contexts/" + tail
				}
			}
			path = strings.TrimSuffix(path, "/")
			if strings.HasPrefix(path, "/docs/") {
				path = "/docs"
			}
			require.Contains(t, section, "`"+path+"`", "%s is for everybody, and %s does not say what it tells", operation,
				"docs/security.md")
			listed++
		}
	}
	require.Greater(t, listed, 60)
}

func (w *world) fingerprint() (state db.Fingerprint) {
	w.t.Helper()
	require.NoError(w.t, w.DB.InSnapshot(w.t.Context(), func(snapshot db.Snapshot) (err error) {
		state, err = snapshot.Fingerprint(w.t.Context(), func(_, _ int64) {})
		return err
	}))
	return state
}

// outsiders makes the callers, removes their rights, and waits until that takes effect.
func (w *world) outsiders() []outsider {
	w.t.Helper()
	operator, receiver := w.OperatorWallet(), w.Onboard("receiver")
	with := func(user string) subject {
		wallet := w.Onboard(user)
		w.Call(user, http.MethodPost, "/v0/wallet/tap", object{"amount": "10"}).OK(nil)
		exhibits := w.OneOfEach(wallet, operator, receiver)
		w.hold(user, wallet.Party, "")
		return subject{*w.parties[user], "receiver", apitest.Theirs, "globex", "acs", exhibits}
	}
	victim := with("victim")
	all := []outsider{{"nobody", "", victim}, {"another provider's victim", w.acme.Token("victim"), victim}}
	for user, take := range map[string]func(user string, party ledger.Party){
		"revoked": func(user string, party ledger.Party) {
			_, err := w.DB.RevokeRights(w.t.Context(), user, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
			require.NoError(w.t, err)
		},
		"deactivated": func(user string, _ ledger.Party) {
			_, err := w.DB.UpdateUser(w.t.Context(), user, nil, func(user *ledger.User) error {
				user.IsDeactivated = true
				return nil
			})
			require.NoError(w.t, err)
		},
		"deleted": func(user string, _ ledger.Party) { require.NoError(w.t, w.DB.DeleteUser(w.t.Context(), user)) },
	} {
		o := outsider{user, apitest.Token(w.t, user), with(user)}
		take(user, o.existing.party)
		w.Eventually(func() bool {
			return w.Call(user, http.MethodPost, "/v2/commands/completions", completionsOf(cell{holder: &o.existing.holder})).
				Status == http.StatusForbidden
		})
		all = append(all, o)
	}
	return all
}

// subject has the names in a request.
type subject struct {
	holder

	user, trackingID, provider, kind string
	// exhibits are the contracts for ids in paths of wallets.
	exhibits map[string]string
}

// missing has names of nothing.
func (w *world) missing() subject {
	w.t.Helper()
	head, err := w.DB.Head(w.t.Context())
	require.NoError(w.t, err)
	alice := w.parties["alice"]
	return subject{
		holder: holder{
			party: w.Node.LocalParty("missing"), contract: "00" + strings.Repeat("ab", len(alice.contract)/2-1),
			update: "1220" + strings.Repeat("ab", 32), offset: int64(head.Offset) + 1_000_000,
		},
		user: "missing", trackingID: "missing", provider: "missing", kind: "missing",
	}
}

// question is a request about a subject.
type question struct {
	path string
	body any
}

// question puts the subject into a request of the route.
func (w *world) question(route mountedRoute, of subject) question {
	w.t.Helper()
	c := cell{caller: noToken, holder: &of.holder, user: of.user}
	if strings.Contains(route.pattern, "/execute") && of.party == w.Node.LocalParty("missing") {
		c.holder = w.parties["alice"] // preparing needs an existing party
	}
	if request, ok := requests[route.method+" "+route.pattern]; ok {
		path, body := request(w, c)
		return question{path, of.in(w.plain(body), "x")}
	}
	_, body := w.request(route, c)
	return question{of.query(route, of.path(route)), of.in(w.plain(body), "")}
}

// plain converts a body to plain JSON values.
func (w *world) plain(body any) (plain any) {
	w.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(w.t, err)
	require.NoError(w.t, json.Unmarshal(text, &plain))
	return plain
}

// path puts the subject into the path of a route.
func (s subject) path(route mountedRoute) string {
	base, _, _ := strings.Cut(route.pattern, "}")
	for _, key := range []string{route.method + " " + base + "}", base + "}"} {
		if id, ok := s.exhibits[key]; ok {
			return strings.Replace(route.pattern, key[strings.Index(key, "{"):], id, 1)
		}
	}
	return parameter.ReplaceAllStringFunc(route.pattern, func(name string) string {
		value, ok := s.word(strings.Trim(name, "{}"))
		if !ok {
			return "missing"
		}
		return fmt.Sprint(value)
	})
}

// query adds parameters with the subject if the request has none.
func (s subject) query(route mountedRoute, path string) string {
	if route.operation == nil || strings.Contains(path, "?") {
		return path
	}
	values := url.Values{}
	for _, named := range route.operation.Parameters {
		if value, ok := s.word(named.Value.Name); ok && named.Value.In == "query" {
			values.Set(named.Value.Name, fmt.Sprint(value))
		}
	}
	return strings.TrimSuffix(path+"?"+values.Encode(), "?")
}

// word is the part of the subject for a parameter or field; false for other ones.
func (s subject) word(name string) (any, bool) {
	switch name {
	case "contractId":
		return s.contract, true
	case "contract_id":
		return s.exhibit("/v0/wallet/transfer-offers"), true
	case "allocationId":
		return s.exhibit("/v0/allocations/{contract_id}"), true
	case "transferInstructionId":
		return s.exhibit("/v0/wallet/token-standard/transfers/{contract_id}"), true
	case "tracking_id":
		return s.trackingID, true
	case "user-id", "username", "userId", "name":
		return s.user, true
	case "idp-id", "identityProviderId", "identity-provider-id":
		return s.provider, true
	case "kind":
		return s.kind, true
	case "update-id", "updateId":
		return s.update, true
	case "offset":
		return s.offset, true
	case "expires_at", "expiresAt", "allocate_before":
		return time.Now().Add(time.Hour).UnixMicro(), true
	case "settle_before":
		return time.Now().Add(2 * time.Hour).UnixMicro(), true
	case "party", "receiver-party", "provider_party_id", "receiver", "sender", "party_id", "user_party_id",
		"sender_party_id", "receiver_party_id", "receiving_validator_party_id", "beneficiary", "executor", "owner_party_id":
		return s.party, true
	default:
		return nil, false
	}
}

// exhibit is the contract for the id in a path.
func (s subject) exhibit(path string) string {
	if id, ok := s.exhibits[path]; ok {
		return id
	}
	return s.contract
}

// in puts the subject into the fields of a body: into those with a value, or with "" into all.
func (s subject) in(body any, instead string) any {
	switch body := body.(type) {
	case map[string]any:
		for name, value := range body {
			word, ok := s.word(name)
			text, isText := value.(string)
			_, isNumber := value.(float64)
			if ok && (isText && (instead == "" || instead == text) || isNumber && instead == "") {
				body[name] = word
				continue
			}
			body[name] = s.in(value, instead)
		}
	case []any:
		for i := range body {
			body[i] = s.in(body[i], instead)
		}
	}
	return body
}

// trace is the trace of all questions, so that answers can be compared.
const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// ask returns the whole answer to a question.
func (w *world) ask(route mountedRoute, o outsider, q question) string {
	w.t.Helper()
	header := http.Header{"Traceparent": {trace}, changes.KeyHeader: {uuid.NewString()}}
	if o.token != "" {
		header.Set("Authorization", "Bearer "+o.token)
	}
	if route.method == "WS" {
		return w.streamAnswer(route.pattern, header, q.body)
	}
	answer := w.Send(route.method, q.path, header, q.body)
	return fmt.Sprint(answer.Status, answer.Header, answer.Text)
}

// streamAnswer is the answer to a stream: the refusal of its handshake, or its first frame.
func (w *world) streamAnswer(path string, header http.Header, request any) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), apitest.Patience)
	defer cancel()
	conn, response, err := websocket.Dial(ctx, w.URL()+path, &websocket.DialOptions{
		HTTPHeader: header, Subprotocols: []string{"daml.ws.auth"},
	})
	if err != nil {
		require.NotNil(w.t, response, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(w.t, err)
		response.Header.Del("Date")
		return fmt.Sprint(response.Status, response.Header, string(text))
	}
	defer func() { _ = conn.CloseNow() }()
	require.NoError(w.t, wsjson.Write(ctx, conn, request))
	_, frame, err := conn.Read(ctx)
	if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
		return "200: nothing"
	}
	require.NoError(w.t, err)
	if strings.Contains(string(frame), "grpcCodeValue") {
		return "refused: " + string(frame)
	}
	return "200: " + string(frame)
}
