package coinplay_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

const day = 24 * time.Hour

// TestNode_AgreesWithTheModel plays random moves, allowed or not. The outcome of each move and all balances must be
// those of the model, and the audit must find nothing.
func TestNode_AgreesWithTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		g := newGame(t, rt)
		defer g.db.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"":                           g.check,
			"tap":                        g.tap,
			"transfer":                   g.transfer,
			"answer a transfer":          g.answer,
			"take a lock off":            g.takeLockOff,
			"offer":                      g.offer,
			"answer an offer":            g.answerOffer,
			"finish an accepted offer":   g.finishOffer,
			"preapprove":                 g.preapprove,
			"renew or end a preapproval": g.changePreapproval,
			"merge":                      g.merge,
			"delegate merging":           g.delegate,
			"let the operator merge":     g.mergeForOther,
			"buy traffic":                g.buyTraffic,
			"let some time pass":         g.wait,
			"answer a transfer, again":   g.answer,
			"answer an offer, again":     g.answerOffer,
			"transfer again":             g.transfer,
		})
		g.auditAnew(rt)
	})
}

// game is a node and its model.
type game struct {
	*node
	*model

	alice, bob, operator, stranger ledger.Party
	audited                        audit.State
}

func newGame(t *testing.T, rt *rapid.T) *game {
	t.Helper()
	g := &game{node: newNode(t), model: newModel()}
	g.alice, g.bob, g.stranger = g.party("alice"), g.party("bob"), g.party("stranger")
	g.operator = g.identity.Operator
	var err error
	g.audited, err = g.auditor.Begin(t.Context())
	require.NoError(rt, err)
	for _, owner := range g.owners() {
		g.tapped(rt, owner, 2000*one)
	}
	return g
}

func (g *game) dso() ledger.Party { return g.identity.DSO }

// owners are the parties with coin.
func (g *game) owners() []ledger.Party { return []ledger.Party{g.alice, g.bob, g.operator} }

func (g *game) anyOwner(rt *rapid.T, label string) ledger.Party {
	return rapid.SampledFrom(g.owners()).Draw(rt, label)
}

// anyActor draws a party, more often one of the rightful.
func (g *game) anyActor(rt *rapid.T, rightful ...ledger.Party) ledger.Party {
	if rapid.IntRange(0, 3).Draw(rt, "somebody else") > 0 {
		return rapid.SampledFrom(rightful).Draw(rt, "actor")
	}
	return rapid.SampledFrom(append(g.owners(), g.dso(), g.stranger)).Draw(rt, "actor")
}

// anyAmount draws a tiny, medium or large amount.
func anyAmount(rt *rapid.T) coins {
	return coins(rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(1, int64(200*one)),
		rapid.Int64Range(int64(100*one), int64(3000*one))).Draw(rt, "amount"))
}

func anyTerm(rt *rapid.T) time.Duration {
	return rapid.SampledFrom([]time.Duration{time.Minute, time.Hour, day, 60 * day}).Draw(rt, "term")
}

// do submits a command, which must succeed if may is true, and be refused with a reason if not.
func (g *game) do(rt *rapid.T, may bool, command ledger.Command, actAs ...ledger.Party) []ledger.Event {
	events, err := g.submit(actAs, command)
	if may {
		require.NoError(rt, err)
		return events
	}
	require.Error(rt, err, "%s by %v", commandName(command), actAs)
	refusal, ok := fault.As(err)
	require.True(rt, ok)
	require.NotEqual(rt, fault.SystemInternalAssumptionViolated, refusal.Category, "%v", err)
	return nil
}

func commandName(command ledger.Command) string {
	if command.Exercise != nil {
		return command.Exercise.Choice
	}
	return "create " + command.Create.Template.Entity
}

// check compares the database with the model, and audits new updates.
func (g *game) check(rt *rapid.T) {
	free, locked := g.balances(rt)
	require.Equal(rt, held(g.free), held(free), "what can be spent")
	require.Equal(rt, held(g.locked), held(locked), "what is locked")

	report, err := g.auditor.Continue(g.t.Context(), g.audited, 0)
	require.NoError(rt, err)
	g.audited = report.State
	g.agrees(rt, report)

	head, err := g.db.Head(g.t.Context())
	require.NoError(rt, err)
	require.Equal(rt, g.traffic, head.Traffic.Purchased, "traffic")
}

func (g *game) agrees(rt *rapid.T, report audit.Report) {
	require.True(rt, report.Clean(), "%v", report.Findings)
	require.Equal(rt, g.minted.String(), report.Minted.String(), "minted")
	require.Equal(rt, g.burned.String(), report.Burned.String(), "burned")
	require.Equal(rt, g.total().String(), report.Counted.String(), "held")
}

// auditAnew audits the whole sequence from its beginning.
func (g *game) auditAnew(rt *rapid.T) {
	report, err := g.auditor.Audit(g.t.Context(), 0)
	require.NoError(rt, err)
	g.agrees(rt, report)
}

// held prints the positive balances.
func held(amounts map[ledger.Party]coins) map[ledger.Party]string {
	out := map[ledger.Party]string{}
	for party, amount := range amounts {
		if amount != 0 {
			out[party] = amount.String()
		}
	}
	return out
}

// next is the ledger's time of the next submission.
func (g *game) next() time.Time { return g.now.Add(time.Second) }

func (g *game) wait(rt *rapid.T) {
	steps := []time.Duration{time.Minute, time.Hour, day, 40 * day, 100 * day}
	g.now = g.now.Add(rapid.SampledFrom(steps).Draw(rt, "time"))
}

func (g *game) tap(rt *rapid.T) {
	g.tapped(rt, g.anyOwner(rt, "receiver"), anyAmount(rt))
}

func (g *game) tapped(rt *rapid.T, receiver ledger.Party, amount coins) {
	g.do(rt, true, g.exercise(rulesTemplate, g.rules, "AmuletRules_DevNet_Tap", object{
		"receiver": receiver, "amount": amount.String(), "openRound": g.round,
	}), receiver)
	g.mint(receiver, amount)
}

// inputs are all coins of a party, as transfer inputs.
func (g *game) inputs(owner ledger.Party) []object {
	inputs := []object{}
	for _, id := range g.holdings(owner) {
		inputs = append(inputs, object{"tag": "InputAmulet", "value": id})
	}
	return inputs
}

// context is the context of payments.
func (g *game) context() object {
	return object{
		"openMiningRound": g.round, "issuingMiningRounds": []any{}, "validatorRights": []any{}, "featuredAppRight": nil,
	}
}

func (g *game) payment() object { return object{"amuletRules": g.rules, "context": g.context()} }

func (g *game) buyTraffic(rt *rapid.T) {
	buyer, times := g.anyOwner(rt, "buyer"), rapid.Int64Range(0, 4).Draw(rt, "times the least")
	cost := coins(times) * costOfTraffic
	may := times > 0 && g.free[buyer] >= cost
	g.do(rt, may, g.exercise(rulesTemplate, g.rules, "AmuletRules_BuyMemberTraffic", object{
		"inputs": g.inputs(buyer), "context": g.context(), "provider": buyer, "memberId": g.member(),
		"synchronizerId": g.identity.SynchronizerID, "migrationId": "0", "trafficAmount": times * leastTraffic,
		"expectedDso": g.dso(),
	}), buyer)
	if may {
		g.burn(buyer, cost)
		g.traffic += times * leastTraffic
	}
}

// oneOf draws one of several, or skips the move without any.
func oneOf[T any](rt *rapid.T, all []T, label string) T {
	if len(all) == 0 {
		rt.Skip("nothing to choose from")
	}
	return all[rapid.IntRange(0, len(all)-1).Draw(rt, label)]
}

func sortedKeys(delegations map[ledger.Party]ledger.ContractID) []ledger.Party {
	return slices.Sorted(maps.Keys(delegations))
}
