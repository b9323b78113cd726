package adversary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
)

// The adversary's own users.
const (
	mallory, mallet = "mallory", "mallet" // have wallets
	executor        = "executor"          // may only execute what carol has signed
)

// identity is a user, or nobody, that sends requests of the adversary.
type identity struct {
	name, token string
	// party is the party that it may act as; "" for none.
	party string
	// powerless: it has no token, or an invalid one.
	powerless bool
}

type attacker struct {
	seed       uint64
	side       *side
	http       *http.Client
	templates  []template
	routes     []route
	known      *knowledge
	identities []identity
	coverage   *coverage
	// mine are the first two identities, with wallets.
	mine []identity
	// sent are the requests of the current group of steps, findings the problems in their answers.
	sent     []sentRequest
	findings []string
	// acknowledged are the accepted commands, which need a completion.
	acknowledged map[string]int
	// public are the routes that need no token.
	public map[string]bool
	// signers are the fields of templates whose parties must sign: the adversary may only name itself there.
	signers map[string]bool
	// step is the current step, cycle the current cycle of the bystanders.
	step  step
	cycle int
	// patient are users whose submissions all have to wait.
	patient []identity
	// settled: all acknowledged commands up to this offset have completions.
	settled int64
	// count is the number of requests in earlier groups.
	count int
}

// sentRequest is a request with its step and the status of its answer.
type sentRequest struct {
	step    int
	request request
	status  int
}

func newAttacker(ctx context.Context, seed uint64, s *side, covered *coverage) (*attacker, error) {
	all, err := templates()
	if err != nil {
		return nil, err
	}
	a := &attacker{
		seed: seed, side: s, http: newHTTP(), templates: all, coverage: covered, acknowledged: map[string]int{},
		signers: map[string]bool{}, public: map[string]bool{}, known: &knowledge{
			dso: s.target.DSO, operator: s.target.Operator, synchronizer: s.synchronizer, participant: s.participant,
			member: "PAR::" + s.participant,
		},
	}
	if a.routes, err = routes(ctx, a.http, s.target.URL); err != nil {
		return nil, err
	}
	for _, one := range a.routes {
		a.public[one.String()] = one.public
	}
	for _, user := range []string{mallory, mallet, "pat", "patience"} {
		var answer struct {
			Party string `json:"party_id"`
		}
		if err := s.as(user).Post(ctx, registerPath, nil, &answer); err != nil {
			return nil, fmt.Errorf("register the adversary: %w", err)
		}
		who := identity{name: user, token: s.target.token(user), party: answer.Party}
		if user == mallory || user == mallet {
			a.known.own = append(a.known.own, answer.Party)
			a.mine = append(a.mine, who)
		} else {
			a.patient = append(a.patient, who)
		}
	}
	a.known.users = []string{
		mallory, mallet, alice, bob, dave, carolsUser, leaver, revoked, deleted, landlord, tenantRoot, admin, "app-user",
		"participant_admin", "nobody", "new-user",
	}
	return a, errors.Join(a.identify(), a.inform(ctx, 0, time.Time{}))
}

// identify creates the tokens of the adversary: valid ones, and some that must give it no rights.
func (a *attacker) identify() error {
	target, issuer := a.side.target, a.side.issuer
	own := slices.Clone(a.mine)
	for _, user := range []string{"nobody", leaver, revoked, deleted, executor} {
		own = append(own, identity{name: user, token: target.token(user)})
	}
	var failed error
	for _, user := range []string{landlord, alice, leaver, admin, "app-user", mallory} {
		token, err := issuer.token(user, tokenLife)
		failed = errors.Join(failed, err)
		own = append(own, identity{name: user + " of the tenant", token: token})
	}
	expired, err := target.expired(alice)
	failed = errors.Join(failed, err)
	late, err := issuer.token(landlord, -time.Hour)
	elsewhere := client.Token(target.Secret, "another", alice)
	a.identities = append(own,
		identity{name: "nobody, without a token", powerless: true},
		identity{name: "alice, expired", token: expired, powerless: true},
		identity{name: "landlord, expired", token: late, powerless: true},
		identity{name: "alice, forged", token: client.Token("another", target.Audience, alice), powerless: true},
		identity{name: "alice, for another node", token: elsewhere, powerless: true},
		identity{name: "not a token", token: "bm90.YQ.dG9rZW4", powerless: true}) //nolint:gosec // it says "not a token"
	return errors.Join(failed, err)
}

// inform tells the adversary facts that it could learn about the bystanders: their parties, the ids of their contracts
// and requests, the network's contracts, and the time.
func (a *attacker) inform(ctx context.Context, cycle int, now time.Time) error {
	if err := a.side.look(ctx); err != nil {
		return err
	}
	k := a.known
	a.cycle = cycle
	k.ledgerTime, k.prepared, k.seen, k.party = now, a.side.prepared, a.side.seen, maps.Clone(a.side.party)
	k.contracts = slices.DeleteFunc(k.contracts, func(c contract) bool { return c.blob != "" })
	for _, one := range slices.Concat(k.seen.contracts(), a.side.shared) {
		k.learn(one)
	}
	if err := a.readFactory(ctx); err != nil {
		return err
	}
	for _, one := range k.seen.open {
		k.round = max(k.round, one.number())
	}
	k.bystanders = nil
	for _, name := range []string{alice, bob, dave, carol, leaver, revoked, deleted} {
		k.bystanders = append(k.bystanders, k.party[name])
	}
	for _, what := range []string{"ord", "back", "two", "traffic", "send", "tap"} {
		k.tracking = remember(k.tracking, trackingID(what, cycle))
		k.tracking = remember(k.tracking, trackingID(what, cycle+1))
	}
	k.keys = []string{keyOf(cycle), keyOf(cycle + 1)}
	end, err := a.side.admin.LedgerEnd(ctx)
	k.offset = end
	return err
}

// readFactory reads the network's other contracts, which the scan shows to everybody.
func (a *attacker) readFactory(ctx context.Context) error {
	got, err := send(ctx, a.http, request{
		method: http.MethodPost, url: a.side.target.URL + "/api/scan/v0/external-party-amulet-rules", body: []byte("{}"),
	})
	if err == nil && got.ok() {
		a.known.read(got.body)
	}
	return err
}

func (a *attacker) maker(who identity) maker {
	const hostile = 15
	self := who.party
	if self == "" {
		self = a.mine[0].party
	}
	return maker{random: a.step.random, known: a.known, self: self, hostile: hostile}
}

// call sends a request of the adversary, checks the answer, and learns from it.
func (a *attacker) call(ctx context.Context, who identity, label string, r request) (answer, error) {
	if !strings.HasPrefix(r.url, "http") {
		r.url = a.side.target.URL + r.url
	}
	r.token = who.token
	got, err := send(ctx, a.http, r)
	if err != nil {
		return got, err
	}
	a.coverage.hit(label, got)
	a.sent = append(a.sent, sentRequest{a.step.number, r, got.status})
	a.check(who, label, r, got)
	if who.token != "" && got.ok() {
		a.known.read(got.body)
	}
	return got, nil
}

// check looks for content that no answer to the adversary may have.
func (a *attacker) check(who identity, label string, r request, got answer) {
	if who.powerless && got.ok() && !a.public[label] {
		a.find("%s got HTTP %d\n%s", who.name, got.status, r.curl())
	}
	sent := append([]byte(r.url), r.body...)
	mark := a.side.marks.in(got.body, sent)
	if isSum := mark == a.side.marks.sum() && label == "POST "+summaryPath; mark != "" && !isSum {
		a.find("%s read %q, which is in contracts of others: %s\n%s", who.name, mark, around(got.body, mark), r.curl())
	}
	switch got.status {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusNotImplemented:
		a.find("the node answered %s with HTTP %d: %s\n%s", who.name, got.status, cut(string(got.body), 300), r.curl())
	}
	if got.took > maxAnswer {
		a.find("the node took %s to answer %s", got.took.Round(time.Millisecond), who.name)
	}
}

// maxAnswer is longer than the node's limit for any request.
const maxAnswer = 40 * time.Second

func around(body []byte, mark string) string {
	const near = 200
	at := strings.Index(string(body), mark)
	return strings.ToValidUTF8(string(body[max(0, at-near):min(len(body), at+len(mark)+near)]), "")
}

func (a *attacker) find(format string, arguments ...any) {
	a.findings = append(a.findings, fmt.Sprintf("step %d (%s): ", a.step.number, a.step.play)+
		fmt.Sprintf(format, arguments...))
}

func (a *attacker) post(ctx context.Context, who identity, path string, body any) (answer, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return answer{}, fmt.Errorf("encode a request: %w", err)
	}
	return a.call(ctx, who, "POST "+path, request{method: http.MethodPost, url: path, body: encoded})
}
