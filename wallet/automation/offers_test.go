package automation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/provided"
)

func offerFrom(id string, sender, receiver ledger.Party) plan.Contract[walletapp.TransferOffer] {
	return plan.Contract[walletapp.TransferOffer]{
		Contract: ledger.Contract{ID: ledger.ContractID(id)},
		Payload: walletapp.TransferOffer{
			Sender: sender, Receiver: receiver, ExpiresAt: at(time.Hour),
			Amount: payments.PaymentAmount{Amount: decimal.FromInt(1), Unit: payments.AmuletUnit},
		},
	}
}

// contract: auto-accept
func TestAccept_ChoosesOffers(t *testing.T) {
	t.Parallel()
	config := automation.AutoAccept{alice: {bob}}
	late := offerFrom("4", bob, alice)
	late.Payload.ExpiresAt = at(0)
	nothing, negative := offerFrom("5", bob, alice), offerFrom("6", bob, alice)
	nothing.Payload.Amount.Amount, negative.Payload.Amount.Amount = decimal.Decimal{}, decimal.FromInt(-1)
	actions := config.Accept([]plan.Contract[walletapp.TransferOffer]{
		nothing, negative,
		offerFrom("1", bob, alice), offerFrom("2", charlie, alice), offerFrom("3", bob, charlie), late,
	}, now)
	require.Len(t, actions, 1)
	require.Equal(t, alice, actions[0].Wallet)
	require.Equal(t, &walletapp.InstallTransferOfferAccept{CID: "1"}, actions[0].Accept)
}

func TestAccept_ChoosesPreapprovalProposals(t *testing.T) {
	t.Parallel()
	proposal := func(id string, receiver, provider ledger.Party,
	) plan.Contract[walletapp.TransferPreapprovalProposal] {
		return plan.Contract[walletapp.TransferPreapprovalProposal]{
			Contract: ledger.Contract{ID: ledger.ContractID(id)},
			Payload:  walletapp.TransferPreapprovalProposal{Receiver: receiver, Provider: provider},
		}
	}
	state := automation.ProposalState{
		Operator: operator, Now: now, IsHosted: func(party ledger.Party) bool { return party != charlie },
		Proposals: []plan.Contract[walletapp.TransferPreapprovalProposal]{
			proposal("1", alice, operator), proposal("2", alice, operator), proposal("3", bob, operator),
			proposal("4", charlie, operator), proposal("5", alice, bob),
		},
		Preapprovals: []coin.TransferPreapproval{
			{Receiver: alice, ExpiresAt: at(0)}, {Receiver: bob, ExpiresAt: at(time.Microsecond)},
		},
	}
	actions := state.AcceptProposals()
	require.Len(t, actions, 1, "one of alice's, whose preapproval has expired")
	accept := actions[0].Operation.AcceptTransferPreapprovalProposal
	require.Equal(t, lf.CID[walletapp.TransferPreapprovalProposal]("1"), accept.PreapprovalProposalCid)
	require.Equal(t, at(90*24*time.Hour), accept.ExpiresAt)
	state.AcceptOthers = true
	require.Len(t, state.AcceptProposals(), 2, "charlie's too")
}

type record struct {
	automation.LedgerReader

	book provided.Book
}

// OfRound implements [automation.LedgerReader].
func (record) OfRound(int64, []lf.TypeName, int) ([]ledger.Contract, error) { return nil, nil }

func (record) IsHosted(ledger.Party) (bool, error) { return true, nil }

func (r record) Provided(ledger.Party) (provided.Book, error) { return r.book, nil }

func TestAccept_ProposalWaitsUntilTheOperatorMayPay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", true)
	kind, err := automation.Proposals(w.packages)
	require.NoError(t, err)
	put(w, walletapp.TransferPreapprovalProposal{Receiver: alice, Provider: operator, ExpectedDSO: new(dso)})
	decide := func(book provided.Book) plan.Step {
		step, err := kind.Plan(automation.Situation{
			Situation: plan.Situation{View: plan.View{
				Packages: w.packages, Node: ledger.Node{DSO: dso, Operator: operator}, Now: now, Ledger: w.reader(),
			}},
			Subject: string(alice), Record: record{book: book},
			LedgerSettings: ledger.Settings{MaxProvidedParties: 1},
		})
		require.NoError(t, err)
		return step
	}
	require.NotNil(t, decide(provided.Book{}).Action)
	ends := now.Add(time.Hour * 24)
	step := decide(provided.Book{Count: 1, Until: map[ledger.Party]time.Time{alice: ends}})
	require.Nil(t, step.Action)
	require.Equal(t, ends, step.Until)
	require.True(t, step.Deadline, "the receiver counts on it")
	step = decide(provided.Book{Count: 1})
	require.Nil(t, step.Action)
	require.Equal(t, now.Add(time.Hour), step.Until)
	require.Contains(t, step.WaitsFor, "max-provided-parties")
	require.Contains(t, step.Trouble, "max-provided-parties is 1, and the operator has paid for as many: raise it")
}
