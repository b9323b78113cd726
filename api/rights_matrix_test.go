package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// The columns of the matrix are the callers. The reader may read as alice, the actor act as her, the executor execute
// her signed transactions. The administrator of an identity provider is of acme. The operator is ParticipantAdmin like
// admin, and acts as the validator's party. Nobody is a user without rights. All callers except the administrator of
// acme are of the default identity provider.
const (
	noToken  = "no-token"
	nobody   = "nobody"
	reader   = "reader"
	actor    = "actor"
	executor = "executor"
	idpAdmin = "idp-admin"
	admin    = "admin"
	operator = "operator"
)

var callers = []string{noToken, nobody, reader, actor, executor, idpAdmin, admin, operator}

// The rows of a rule are the owners of the subject: the caller, another user or party of the same identity provider, or
// the identity provider globex. "any" is for endpoints without such a subject.
var aims = []string{"own", "other", "foreign"}

const rightsPath = "testdata/rights.txt"

// adminsWebhook is a webhook of the administrator, which other administrators find, and nobody else.
const adminsWebhook = "wh_of_the_administrator"

// rule is a block of the table: the outcome for each caller in each row, and the endpoints of the rule.
type rule struct {
	name      string
	rows      map[string][]string
	endpoints map[string][]int
}

// readRights reads the table. A comment in the table describes its form.
func readRights(t *testing.T) []*rule {
	t.Helper()
	file, err := os.Open(rightsPath)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var rules []*rule
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		words := strings.Fields(line)
		name, isRule := strings.CutPrefix(line, "## ")
		switch {
		case isRule:
			rules = append(rules, &rule{name: name, rows: map[string][]string{}, endpoints: map[string][]int{}})
		case len(words) == 0 || strings.HasPrefix(line, "#"):
		case len(rules) == 0:
			t.Fatalf("%s:%d: a line before the first rule", rightsPath, number)
		default:
			rules[len(rules)-1].read(t, number, words)
		}
	}
	require.NoError(t, lines.Err())
	return rules
}

func (r *rule) read(t *testing.T, number int, words []string) {
	t.Helper()
	where := fmt.Sprintf("%s:%d", rightsPath, number)
	if words[0] == "any" || slices.Contains(aims, words[0]) {
		require.Len(t, words, 1+len(callers), "%s: a row has an outcome for each of %v", where, callers)
		for _, outcome := range words[1:] {
			require.Contains(t, []string{"401", "403", "ok"}, outcome, where)
		}
		r.rows[words[0]] = words[1:]
		return
	}
	require.GreaterOrEqual(t, len(words), 2, where)
	operation := words[0] + " " + words[1]
	statuses := []int{http.StatusOK}
	if len(words) > 2 {
		require.Equal(t, "=", words[2], where)
		statuses = nil
		for _, word := range words[3:] {
			status, err := strconv.Atoi(word)
			require.NoError(t, err, where)
			statuses = append(statuses, status)
		}
	}
	r.endpoints[operation] = statuses
}

// givesWallets are the endpoints that give their callers wallets.
var givesWallets = map[string]bool{"POST /v0/register": true}

// Every caller calls every endpoint. An endpoint that is not in the table fails the test.
//
// contract: submit-act-as, submit-read-as-rights, auth-rights, users-create-rights, parties-rights
func TestRights_MatchTheTableForEveryEndpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	served := w.operations(t)
	listed := map[string]bool{}
	for _, rule := range readRights(t) {
		require.NotEmpty(t, rule.rows, "rule %q has no rows", rule.name)
		for operation, statuses := range rule.endpoints {
			require.False(t, listed[operation], "%s is in the table twice", operation)
			listed[operation] = true
			route, ok := served[operation]
			require.True(t, ok, "%s is in %s, but is not served: take it out", operation, rightsPath)
			t.Run(operation, func(t *testing.T) {
				t.Parallel()
				if givesWallets[operation] { // callers of other tests must not have a wallet
					newWorld(t).check(rule, route, statuses)
					return
				}
				w.in(t).check(rule, route, statuses)
			})
		}
	}
	var missing []string
	for operation := range served {
		if !listed[operation] {
			missing = append(missing, operation)
		}
	}
	slices.Sort(missing)
	require.Empty(t, missing, "not in %s: %s\nFind the rule that says who may call each, or add one with the outcome for "+
		"each of %v, and put a line with the endpoint below it. If what is needed depends on what the request names, add "+
		"how to ask about it to requests in rights_requests_test.go.", rightsPath, strings.Join(missing, "\n"), callers)
}

// check calls one endpoint as every caller, about every subject.
func (w *world) check(r *rule, route mountedRoute, statuses []int) {
	w.t.Helper()
	for _, aim := range append([]string{"any"}, aims...) {
		expected, ok := r.rows[aim]
		if !ok {
			continue
		}
		var got []string
		for _, caller := range callers {
			got = append(got, w.outcome(route, w.cell(caller, aim), statuses))
		}
		require.Equal(w.t, strings.Join(expected, " "), strings.Join(got, " "),
			"%s %s, row %s of the rule %q: the callers are %v", route.method, route.pattern, aim, r.name, callers)
	}
}

// outcome is the content of a cell of the table.
func (w *world) outcome(route mountedRoute, c cell, statuses []int) string {
	w.t.Helper()
	status, text := w.answerTo(route, c)
	// Concurrent tests give the same users rights, and waiting requests say so.
	for strings.Contains(text, "STALE_STREAM_AUTHORIZATION") {
		status, text = w.answerTo(route, c)
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return strconv.Itoa(status)
	case slices.Contains(statuses, status):
		return "ok"
	default:
		w.t.Logf("%s, %s: %d %s", c.caller, c.aim, status, text)
		return "unexpected:" + strconv.Itoa(status)
	}
}

// answerTo sends a request, or opens a stream, and returns the answer.
func (w *world) answerTo(route mountedRoute, c cell) (status int, text string) {
	w.t.Helper()
	if route.method == "WS" {
		return w.stream(route, c)
	}
	path, body := w.request(route, c)
	header := http.Header{}
	if token := w.token(c.caller); token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	answer := w.Send(route.method, path, header, body)
	return answer.Status, answer.Text
}

// stream opens a stream and returns its status.
func (w *world) stream(route mountedRoute, c cell) (int, string) {
	w.t.Helper()
	_, body := w.request(route, c)
	stream := w.OpenWith(w.token(c.caller), route.pattern, body)
	defer func() { _ = stream.Conn.CloseNow() }()
	frame := stream.Next()
	var failure v2.JsCantonError
	require.NoError(w.t, json.Unmarshal(frame, &failure))
	switch {
	case failure.Cause == "":
		return http.StatusOK, string(frame)
	case failure.GRPCCodeValue != nil && *failure.GRPCCodeValue == 16:
		return http.StatusUnauthorized, string(frame)
	case failure.GRPCCodeValue != nil && *failure.GRPCCodeValue == 7:
		return http.StatusForbidden, string(frame)
	default:
		return http.StatusInternalServerError, string(frame)
	}
}

// world is a node with all callers.
type world struct {
	*apitest.Server
	t       *testing.T
	acme    *apitest.Issuer
	parties map[string]*holder
	spares  map[string]ledger.Party
	count   func() string
}

// holder is a party with a contract of its own.
type holder struct {
	party    ledger.Party
	idp      string
	contract string
	update   string
	offset   int64
}

// auditor may read as all parties, and prepares transactions that others execute.
const auditor = "auditor"

func newWorld(t *testing.T, packages ...ledger.Package) *world {
	t.Helper()
	return newWorldOn(t, nil, packages...)
}

// newWorldOn is newWorld on a database; nil makes a new one.
func newWorldOn(t *testing.T, database *db.DB, packages ...ledger.Package) *world {
	t.Helper()
	w := &world{
		Server: apitest.NewWithCoin(t, apitest.Options{
			DB: database, Once: database != nil, Packages: packages,
			LedgerSettings: func(s *ledger.Settings) { s.MaxSelfAllocatedParties = 1000 },
			Settings: ledgerapi.Settings{
				ListWait: time.Millisecond, CheckpointInterval: 20 * time.Millisecond,
			},
		}),
		t: t, parties: map[string]*holder{}, spares: map[string]ledger.Party{}, count: newCounter(),
	}
	w.acme = w.IdentityProvider("acme")
	w.IdentityProvider("globex")
	for hint, idp := range map[string]string{"alice": "", "bob": "", "ada": "acme", "abe": "acme", "carl": "globex"} {
		w.hold(hint, w.partyOf(hint, idp), idp)
	}
	w.hold("operator", w.Node.Operator, "")
	for _, idp := range []string{"", "acme", "globex"} {
		w.spares[idp] = w.partyOf("spare-"+idp, idp)
	}
	alice := w.parties["alice"].party
	w.Rights(nobody)
	w.Rights(reader, ledger.Right{Kind: ledger.CanReadAs, Party: alice})
	w.ActingAs(actor, alice)
	w.Rights(executor, ledger.Right{Kind: ledger.CanExecuteAs, Party: alice})
	w.userOf(idpAdmin, "acme", ledger.Right{Kind: ledger.IdentityProviderAdmin})
	w.Rights(admin, ledger.Right{Kind: ledger.ParticipantAdmin})
	_, err := w.DB.CreateUser(t.Context(), ledger.User{ID: operator, PrimaryParty: w.Node.Operator}, []ledger.Right{
		{Kind: ledger.ParticipantAdmin}, {Kind: ledger.CanActAs, Party: w.Node.Operator},
	})
	require.NoError(t, err)
	w.Rights(auditor, ledger.Right{Kind: ledger.CanReadAsAnyParty})
	_, _, err = w.DB.CreateWebhook(t.Context(), db.Webhook{
		ID: adminsWebhook, Owner: ledger.DefaultUser(admin), URL: "https://app.example/", Kinds: []string{"alarm"},
		Secret: []byte("secret"), CreatedAt: time.Now(),
	}, 1)
	require.NoError(t, err)
	w.URL() // listen now, because the server ends with the test that starts it
	return w
}

func (w *world) in(t *testing.T) *world {
	t.Helper()
	inside := *w
	inside.Server, inside.t = w.In(t), t
	return &inside
}

func (w *world) partyOf(hint, idp string) ledger.Party {
	w.t.Helper()
	party := w.Node.LocalParty(hint)
	_, err := w.DB.AllocateParty(w.t.Context(),
		ledger.PartyDetails{Party: party, IsLocal: true, IdentityProviderID: idp}, "")
	require.NoError(w.t, err)
	return party
}

func (w *world) userOf(id, idp string, rights ...ledger.Right) {
	w.t.Helper()
	_, err := w.DB.CreateUser(w.t.Context(), ledger.User{ID: id, IdentityProviderID: idp}, rights)
	require.NoError(w.t, err)
}

// hold gives a party a contract.
func (w *world) hold(hint string, party ledger.Party, idp string) {
	w.t.Helper()
	user := "owner-" + hint
	w.ActingAs(user, party)
	var done ledgerapi.JsSubmitAndWaitForTransactionResponse
	w.Call(user, http.MethodPost, "/v2/commands/submit-and-wait-for-transaction",
		object{"commands": commandsOf(party)}).OK(&done)
	w.parties[hint] = &holder{
		party: party, idp: idp, contract: done.Transaction.Events[0].CreatedEvent.ContractID,
		update: done.Transaction.UpdateID, offset: done.Transaction.Offset,
	}
}

// cell is a caller with a subject.
type cell struct {
	caller, aim string
	*holder
	// user is the subject user, of the same identity provider as the party.
	user string
}

func (w *world) cell(caller, aim string) cell {
	w.t.Helper()
	own, other := "alice", "bob"
	switch caller {
	case idpAdmin:
		own, other = "ada", "abe"
	case operator:
		own = "operator"
	}
	c := cell{caller: caller, aim: aim, holder: w.parties[own], user: caller}
	switch aim {
	case "other":
		c.holder = w.parties[other]
	case "foreign":
		c.holder = w.parties["carl"]
	default:
		return c
	}
	c.user = "user-" + w.count() // a new one each time: some endpoints delete it
	w.userOf(c.user, c.idp)
	return c
}

// token is the caller's token, "" for none.
func (w *world) token(caller string) string {
	w.t.Helper()
	switch caller {
	case noToken:
		return ""
	case idpAdmin:
		return w.acme.Token(idpAdmin)
	default:
		return apitest.Token(w.t, caller)
	}
}

// operations are all endpoints of the router, by method and pattern. Streams have the method WS.
func (w *world) operations(t *testing.T) map[string]mountedRoute {
	t.Helper()
	router, ok := w.Handler.(chi.Routes)
	require.True(t, ok)
	documents := loadDocuments(t, w.Server)
	all := map[string]mountedRoute{}
	err := chi.Walk(router, func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if pattern == ledgerapi.EventsPath { // see TestEvents_NeedTheRightToRead
			return nil
		}
		route := mountedRoute{method: method, pattern: pattern}
		describedMethod, describedPath := apitest.Described(method, pattern)
		for _, document := range documents {
			if item := document.Paths.Value(describedPath); item != nil && route.operation == nil {
				route.operation = item.GetOperation(describedMethod)
			}
		}
		if method == http.MethodGet && strings.HasPrefix(pattern, "/v2/") && !strings.Contains(pattern, "{") {
			plain := w.Undocumented(admin, method, pattern)
			if strings.Contains(plain.Text, "Expected WebSocket Upgrade") {
				route.method = "WS"
			}
		}
		all[route.method+" "+pattern] = route
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(all), 100)
	return all
}
