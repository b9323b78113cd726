package provided_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/provided"
)

const (
	dso      = ledger.Party("DSO::1220")
	operator = ledger.Party("operator::1220")
	alice    = ledger.Party("alice::1220")
	bob      = ledger.Party("bob::1220")
)

var now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

const life = 90 * 24 * time.Hour

func TestRule_PaysForAReceiverOnceInALifetime(t *testing.T) {
	t.Parallel()
	rule := provided.Rule{Operator: operator, Max: 2, Now: now}
	paid := func(until time.Time, count int) provided.Book {
		return provided.Book{Count: count, Until: map[ledger.Party]time.Time{alice: until}}
	}
	require.Nil(t, rule.Check(paid(now, 0), alice), "it has just ended")
	require.Nil(t, rule.Check(paid(time.Time{}, 1), alice))
	require.Nil(t, rule.Check(paid(now.Add(life), 2), operator), "the operator pays for itself")
	refusal := rule.Check(paid(now.Add(time.Microsecond), 1), alice)
	require.True(t, fault.PreapprovalNotProvided.Matches(refusal))
	require.Contains(t, refusal.Cause, "has paid for a preapproval of alice::1220 until 2026-03-01T10:00:00Z")
	refusal = rule.Check(paid(time.Time{}, 2), alice)
	require.Contains(t, refusal.Cause, "has reached its limit of parties with preapprovals: 2")
	rule.Max = 0
	require.Nil(t, rule.Check(paid(time.Time{}, 1000), alice), "no limit")
}

// Random changes: the payments of a lifetime stay within the limit, one for each receiver.
func TestRule_BoundsPaymentsOfALifetime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	receivers := []ledger.Party{"a::1220", "b::1220", "c::1220", "d::1220", "e::1220"}
	for range 200 {
		rule := provided.Rule{Operator: operator, Max: 3, Now: now}
		book := provided.Book{Until: map[ledger.Party]time.Time{}}
		for _, receiver := range receivers {
			book.Until[receiver] = time.Time{}
		}
		paid, refused := map[ledger.Party]int{}, 0
		for range 50 {
			receiver := receivers[random.IntN(len(receivers))]
			after, refusal := rule.Apply(book, []provided.Change{{
				Receiver: receiver, Until: rule.Now.Add(life), Further: true,
			}})
			if refusal != nil {
				require.Equal(t, book, after, "a refusal changes nothing")
				refused++
			} else {
				paid[receiver]++
			}
			book, rule.Now = after, rule.Now.Add(time.Minute)
		}
		require.Len(t, paid, rule.Max)
		require.Equal(t, 50-rule.Max, refused)
		require.Equal(t, rule.Max, book.Count)
	}
}

func TestRule_AllowsRenewalsAndCancellations(t *testing.T) {
	t.Parallel()
	rule := provided.Rule{Operator: operator, Max: 1, Now: now}
	book := provided.Book{Count: 1, Until: map[ledger.Party]time.Time{alice: now.Add(life), bob: {}}}
	renewed, refusal := rule.Apply(book, []provided.Change{
		{Receiver: alice}, {Receiver: alice, Until: now.Add(2 * life)},
	})
	require.Nil(t, refusal, "though the limit is reached")
	require.Equal(t, provided.Book{
		Count: 1, Until: map[ledger.Party]time.Time{alice: now.Add(2 * life), bob: {}},
	}, renewed)
	kept, refusal := rule.Apply(renewed, []provided.Change{{Receiver: alice, Until: now.Add(life)}})
	require.Nil(t, refusal)
	require.Equal(t, renewed, kept, "the longer paid time counts")
	ended, refusal := rule.Apply(renewed, []provided.Change{{Receiver: alice}})
	require.Nil(t, refusal)
	require.Zero(t, ended.Count)
	other, refusal := rule.Apply(ended, []provided.Change{{Receiver: bob, Until: now.Add(life), Further: true}})
	require.Nil(t, refusal)
	require.Equal(t, 1, other.Count)
}

// change is a created or consumed contract of a transaction.
type change struct {
	id     ledger.ContractID
	kind   ledger.EventKind
	last   int32
	actors []ledger.Party
}

func TestChanges_ReadTransactions(t *testing.T) {
	t.Parallel()
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	at := func(hours int) time.Time { return now.Add(time.Duration(hours) * time.Hour) }
	until := func(hours int) lf.Timestamp { return lf.TimestampOf(at(hours)) }
	preapproval := func(id ledger.ContractID, receiver, provider ledger.Party, hours int) ledger.Contract {
		return contract(t, packages, id, coin.TransferPreapproval{
			DSO: dso, Receiver: receiver, Provider: provider, ExpiresAt: until(hours),
		})
	}
	contracts := []ledger.Contract{
		preapproval("p1", alice, operator, 1), preapproval("p2", alice, operator, 2),
		preapproval("over", alice, operator, -1),
		preapproval("other", alice, bob, 3), preapproval("own", operator, operator, 3),
		contract(t, packages, "s1", coin.ExternalPartySetupProposal{
			DSO: dso, User: alice, Validator: operator, PreapprovalExpiresAt: until(4),
		}),
	}
	create := func(id ledger.ContractID) change { return change{id: id, kind: ledger.EventCreate} }
	for name, c := range map[string]struct {
		steps []change
		want  []provided.Change
	}{
		"a preapproval":        {[]change{create("p1")}, []provided.Change{{Receiver: alice, Until: at(1), Further: true}}},
		"a proposal":           {[]change{create("s1")}, []provided.Change{{Receiver: alice, Until: at(4), Further: true}}},
		"of another provider":  {[]change{create("other")}, nil},
		"the operator's own":   {[]change{create("own")}, nil},
		"its receiver cancels": {[]change{{"p1", ledger.EventExercise, 0, []ledger.Party{alice}}}, nil},
		"the operator cancels": {
			[]change{{"p1", ledger.EventExercise, 0, []ledger.Party{operator}}}, []provided.Change{{Receiver: alice}},
		},
		"a renewal": {
			[]change{{"p1", ledger.EventExercise, 1, []ledger.Party{operator}}, create("p2")},
			[]provided.Change{{Receiver: alice}, {Receiver: alice, Until: at(2)}},
		},
		"the acceptance of a proposal": {
			[]change{{"s1", ledger.EventExercise, 1, []ledger.Party{alice}}, create("p2")},
			[]provided.Change{{Receiver: alice, Until: at(2)}},
		},
		"one in the place of one that has ended": {
			[]change{create("s1"), {"over", ledger.EventExercise, 1, []ledger.Party{operator}}},
			[]provided.Change{{Receiver: alice, Until: at(4), Further: true}},
		},
		"another one after a cancellation in the same transaction": {
			[]change{{"p1", ledger.EventExercise, 0, []ledger.Party{alice}}, create("p2")},
			[]provided.Change{{Receiver: alice, Until: at(2), Further: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			update := ledger.Update{RecordTime: now}
			for i, step := range c.steps {
				update.Events = append(update.Events, ledger.Event{
					NodeID: int32(i), LastDescendant: max(int32(i), step.last), Kind: step.kind, ContractID: step.id,
					Consuming: step.kind == ledger.EventExercise, ActingParties: step.actors,
				})
			}
			network := ledger.InNetwork(update, func(ledger.ContractID) bool { return true })
			changes, err := provided.Changes(packages, operator, network, contracts)
			require.NoError(t, err)
			require.Equal(t, c.want, changes)
		})
	}
}

func contract[T any](t *testing.T, packages *ledger.Packages, id ledger.ContractID, payload T) ledger.Contract {
	t.Helper()
	name, err := ledger.TemplateName[T](packages)
	require.NoError(t, err)
	encoded, err := ledger.Encode(packages, payload)
	require.NoError(t, err)
	return ledger.Contract{ID: id, Template: name, Payload: encoded, InNetwork: true}
}
