package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// visibleEvent is an event of a transaction with its witnesses.
type visibleEvent struct {
	what      string
	witnesses []ledger.Party
}

func eventsOf(transaction ledger.Transaction) []visibleEvent {
	var out []visibleEvent
	for _, event := range transaction.Events() {
		what := string(event.Kind) + " " + event.Template.Entity
		if event.Choice != "" {
			what += "." + event.Choice
		}
		out = append(out, visibleEvent{what, event.Witnesses})
	}
	return out
}

func TestVisibility_StakeholdersSeeACreate(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	payload := iou()
	payload.Observers = []ledger.Party{charlie, alice, charlie}
	command, err := ledgertest.CreateCommand(book, payload)
	require.NoError(t, err)
	transaction := submit(t, book, as(alice, diana), command)
	node := transaction.Nodes[0]
	require.Equal(t, []ledger.Party{alice}, node.Signatories)
	require.Equal(t, []ledger.Party{bob, charlie}, node.Observers, "sorted, once each, no signatories")
	require.Equal(t, []visibleEvent{{"create Iou", []ledger.Party{alice, bob, charlie}}}, eventsOf(transaction))
}

func TestVisibility_ChoiceObserversSeeAConsumingExercise(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	payload := iou()
	payload.Observers = []ledger.Party{charlie}
	id := create(t, book, payload, alice)
	transaction := submit(t, book, as(bob), exerciseTyped(t, book, id, ledgertest.TransferIou{NewOwner: diana}))
	require.Equal(t, []visibleEvent{
		{"exercise Iou.TransferIou", []ledger.Party{alice, bob, charlie, diana}},
		{"create Iou", []ledger.Party{alice, bob, charlie, diana}}, // bob sees it as he sees the exercise
	}, eventsOf(transaction))
	created := transaction.Created()[0].Contract
	require.Equal(t, []ledger.Party{charlie, diana}, created.Observers)
	require.Equal(t, []ledger.Party{bob}, transaction.Nodes[0].ActingParties)
	require.Equal(t, []ledger.Party{diana}, transaction.Nodes[0].ChoiceObservers)
	require.Equal(t, []ledger.Party{alice, bob, charlie, diana}, transaction.Informees())
}

func TestVisibility_OnlySignatoriesAndActorsSeeNonconsuming(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	payload := iou()
	payload.Observers = []ledger.Party{charlie}
	id := create(t, book, payload, alice)
	transaction := submit(t, book, as(diana).Disclose(book.Active[id.ID()]),
		exerciseTyped(t, book, id, ledgertest.Inspect{By: []ledger.Party{diana}}))
	require.Equal(t, []visibleEvent{{"exercise Iou.Inspect", []ledger.Party{alice, diana}}}, eventsOf(transaction))
	require.Contains(t, book.Active, id.ID())
}

// TestVisibility_WitnessesSeeAllConsequences is divulgence: alice and bob see charlie's contract because a choice of
// theirs uses it, but they do not become its stakeholders.
func TestVisibility_WitnessesSeeAllConsequences(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	foreign := ledgertest.Iou{Issuer: charlie, Owner: bob, Amount: iou().Amount}
	foreignID := create(t, book, foreign, charlie)
	brokerID := create(t, book, broker(), alice)
	transaction := submit(t, book, as(bob), exerciseTyped(t, book, brokerID,
		ledgertest.Settle{Iou: foreignID, To: diana, Witness: []ledger.Party{alice}}))
	require.Equal(t, []visibleEvent{
		{"exercise Broker.Settle", []ledger.Party{alice, bob}},
		{"exercise Iou.TransferIou", []ledger.Party{alice, bob, charlie, diana}},
		{"create Iou", []ledger.Party{alice, bob, charlie, diana}},
		{"exercise Iou.Inspect", []ledger.Party{alice, bob, charlie}},
	}, eventsOf(transaction))
	created := transaction.Created()[0].Contract
	require.Equal(t, []ledger.Party{charlie, diana}, created.Stakeholders())
	require.Equal(t, []int32{1, 3}, transaction.Nodes[0].Children)
	require.Equal(t, int32(3), transaction.Nodes[0].LastDescendant)
	require.Equal(t, int32(2), transaction.Nodes[1].LastDescendant)
	require.Equal(t, int32(2), transaction.Nodes[2].LastDescendant)
}

func TestVisibility_SignatoriesAndActorsSeeAFetch(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	foreign := ledgertest.Iou{
		Issuer: charlie, Owner: diana, Observers: []ledger.Party{bob}, Amount: iou().Amount,
	}
	id := create(t, book, foreign, charlie)
	brokerID := create(t, book, broker(), alice)
	transaction := submit(t, book, as(bob), exerciseTyped(t, book, brokerID, ledgertest.Look{Iou: id}))
	require.Equal(t, []visibleEvent{
		{"exercise Broker.Look", []ledger.Party{alice, bob}},
		{"fetch Iou", []ledger.Party{alice, bob, charlie}},
		{"fetch Iou", []ledger.Party{alice, bob, charlie}},
	}, eventsOf(transaction))
	require.Equal(t, []ledger.Party{bob}, transaction.Nodes[1].ActingParties)
	require.Nil(t, transaction.Nodes[1].Interface)
	require.Equal(t, "Asset", transaction.Nodes[2].Interface.Entity)
}

func TestVisibility_RootsAreSeparate(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	first, err := ledgertest.CreateCommand(book, iou())
	require.NoError(t, err)
	second, err := ledgertest.CreateCommand(book, ledgertest.Iou{Issuer: alice, Owner: charlie, Amount: iou().Amount})
	require.NoError(t, err)
	transaction := submit(t, book, as(alice), first, second)
	require.Equal(t, []int32{0, 1}, transaction.Roots)
	require.Equal(t, []visibleEvent{
		{"create Iou", []ledger.Party{alice, bob}}, {"create Iou", []ledger.Party{alice, charlie}},
	}, eventsOf(transaction))
}
