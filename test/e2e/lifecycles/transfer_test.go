package lifecycles_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/wallet/plan"
)

// wallet creates a wallet of the operator for a party.
func (n *node) wallet(party ledger.Party) {
	n.t.Helper()
	n.submit([]ledger.Party{party, n.operator()}, create(n, walletapp.WalletAppInstall{
		DSOParty: n.identity.DSO, ValidatorParty: n.operator(), EndUserName: "user", EndUserParty: party,
	}))
}

// offer makes an offer of forty coins and returns its workflow.
func (n *node) offer(sender, receiver ledger.Party, lasts time.Duration) string {
	n.t.Helper()
	n.submit([]ledger.Party{sender}, create(n, walletapp.TransferOffer{
		Sender: sender, Receiver: receiver, DSO: n.identity.DSO, TrackingID: "order-1", Description: "test",
		Amount:    payments.PaymentAmount{Amount: decimal.MustParse("40.0"), Unit: payments.AmuletUnit},
		ExpiresAt: lf.TimestampOf(n.now().Add(lasts)),
	}))
	rows, err := n.db.Lifecycles(n.t.Context(), "", 100)
	require.NoError(n.t, err)
	for _, row := range rows {
		if strings.HasPrefix(row.WorkflowID, "transfer:order-1:") {
			return row.WorkflowID
		}
	}
	require.Fail(n.t, "the offer has a lifecycle")
	return ""
}

func (n *node) accept(receiver ledger.Party) {
	n.t.Helper()
	offers := active[walletapp.TransferOffer](n)
	require.Len(n.t, offers, 1)
	n.submit([]ledger.Party{receiver},
		exercise[walletapp.TransferOffer](n, offers[0].ID, "TransferOffer_Accept", walletapp.TransferOfferAccept{}))
}

func TestOffer_CompletesForItsSender(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.wallet(alice)
	n.tap(alice, "100.0")
	id := n.offer(alice, bob, day)
	n.waits(id, "accept or reject")
	n.accept(bob)
	n.ended(id)
	require.Empty(t, active[walletapp.AcceptedTransferOffer](n))
	require.Equal(t, "40.0", n.balance(bob))
	require.Equal(t, "60.0", n.balance(alice))
}

// A sender without a wallet, as after its offboarding, gets one: the node completes its offer then.
func TestOffer_CompletesWhenItsSenderGetsAWallet(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	id := n.offer(alice, bob, day)
	n.accept(bob)
	n.waits(id, "completion by the sender's wallet")
	n.wallet(alice)
	n.ended(id)
	require.Equal(t, "40.0", n.balance(bob))
}

func TestOffer_AbortsWithoutFunds(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.wallet(alice)
	n.tap(alice, "10.0")
	id := n.offer(alice, bob, day)
	n.accept(bob)
	n.ended(id)
	require.Empty(t, active[walletapp.AcceptedTransferOffer](n))
	require.Equal(t, "10.0", n.balance(alice))
}

// contract: offers-expire
func TestOffer_ExpiresAtItsDeadline(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.wallet(bob) // a wallet of either side archives it
	deadline := n.now().Add(7 * day)
	id := n.offer(alice, bob, 7*day)
	require.WithinDuration(t, deadline, n.waits(id, "accept or reject").Until, time.Minute)
	n.advance(6 * day)
	require.Len(t, active[walletapp.TransferOffer](n), 1)
	n.advance(2 * day)
	n.ended(id)
	require.Empty(t, active[walletapp.TransferOffer](n))
	require.WithinDuration(t, deadline, n.archivedAt(id), time.Minute)
}

func TestOffer_EndsItsWorkflowOnRejection(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	id := n.offer(alice, bob, day)
	n.waits(id, "accept or reject")
	n.submit([]ledger.Party{bob}, exercise[walletapp.TransferOffer](n, active[walletapp.TransferOffer](n)[0].ID,
		"TransferOffer_Reject", walletapp.TransferOfferReject{}))
	n.ended(id)
}

// archivedAt is the record time of a workflow's last action.
func (n *node) archivedAt(workflowID string) time.Time {
	n.t.Helper()
	head, err := n.db.Head(n.t.Context())
	require.NoError(n.t, err)
	update, ok, err := n.db.UpdateByOffset(n.t.Context(), head.Offset)
	require.NoError(n.t, err)
	require.True(n.t, ok)
	require.Equal(n.t, workflowID, update.WorkflowID)
	return update.RecordTime
}

// balance is a party's unlocked coin.
func (n *node) balance(owner ledger.Party) string {
	n.t.Helper()
	total := decimal.Decimal{}
	for _, holding := range active[coin.Amulet](n) {
		if holding.Payload.Owner == owner {
			var err error
			total, err = total.Add(holding.Payload.Amount.InitialAmount)
			require.NoError(n.t, err)
		}
	}
	return total.Show()
}

// instruct makes a two-step transfer of thirty coins with the token standard.
func (n *node) instruct(sender, receiver ledger.Party, lasts time.Duration) string {
	n.t.Helper()
	state := lf.CID[token.AnyContract](active[coin.ExternalPartyConfigState](n)[0].ID)
	var inputs []lf.CID[token.Holding]
	for _, input := range n.coins(sender) {
		inputs = append(inputs, lf.CID[token.Holding](*input.Amulet))
	}
	argument, err := ledger.Encode(n.packages, token.TransferFactoryTransfer{
		ExpectedAdmin: n.identity.DSO,
		Transfer: token.Transfer{
			Sender: sender, Receiver: receiver, Amount: decimal.MustParse("30.0"),
			InstrumentID: token.InstrumentID{Admin: n.identity.DSO, ID: coin.InstrumentName},
			RequestedAt:  lf.TimestampOf(n.now().Add(-time.Second)), ExecuteBefore: lf.TimestampOf(n.now().Add(lasts)),
			InputHoldingCids: inputs,
		},
		ExtraArgs: token.ExtraArgs{Context: token.ChoiceContext{
			Values: map[string]token.AnyValue{coin.ContextConfigState: {ContractID: &state}},
		}},
	})
	require.NoError(n.t, err)
	n.submit([]ledger.Party{sender}, ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: lf.TypeName{
			Package: "#splice-api-token-transfer-instruction-v1", Module: "Splice.Api.Token.TransferInstructionV1",
			Entity: "TransferFactory",
		},
		Contract: active[coin.ExternalPartyAmuletRules](n)[0].ID, Choice: "TransferFactory_Transfer", Argument: argument,
	}})
	instruction := active[coin.AmuletTransferInstruction](n)[0]
	return "transfer:" + string(instruction.ID)[:34]
}

// contract: instruction-expire
func TestInstruction_ReturnsCoinAtExpiry(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	deadline := n.now().Add(day)
	id := n.instruct(alice, bob, day)
	n.waits(id, "accept or reject")
	require.Equal(t, "70.0", n.balance(alice), "30 are locked")
	n.advance(2 * day)
	n.ended(id)
	require.Empty(t, active[coin.AmuletTransferInstruction](n))
	require.Equal(t, "100.0", n.balance(alice))
	require.WithinDuration(t, deadline, n.archivedAt(id), time.Minute)
}

func TestInstruction_IsArchivedWithoutItsCoin(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	id := n.instruct(alice, bob, day)
	n.waits(id, "accept or reject")
	n.stop() // so that the sender is faster than the workflow
	n.jump(2 * day)
	locked := active[coin.LockedAmulet](n)[0].ID
	n.submit([]ledger.Party{alice}, exercise[coin.LockedAmulet](n, locked, "LockedAmulet_OwnerExpireLockV2",
		coin.LockedAmuletOwnerExpireLockV2{}))
	n.start(namespace(t))
	n.ended(id)
	require.Empty(t, active[coin.AmuletTransferInstruction](n))
	require.Equal(t, "100.0", n.balance(alice))
}

// contract: merge-batch
func TestMergeDelegation_MergesHoldings(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice := n.party("alice")
	n.submit([]ledger.Party{alice}, create(n, tokenwallet.MergeDelegationProposal{
		Delegation: tokenwallet.MergeDelegation{Operator: n.operator(), Owner: alice},
	}))
	id := "merge-delegation:" + string(alice)
	n.waits(id, "acceptance, which is left to clients")
	n.advance(plan.MergePatience)
	n.waits(id, "merging, which is left to clients")
	n.advance(plan.MergePatience)
	n.waits(id, "more than ten")
	require.Empty(t, active[tokenwallet.MergeDelegationProposal](n))
	for range lifecycle.TooManyHoldings - 1 {
		n.tap(alice, "1.0")
	}
	require.Len(t, n.coins(alice), 10)
	n.tap(alice, "1.0")
	n.eventually("eleven become one", func() bool { return len(n.coins(alice)) == 1 })
	require.Equal(t, "11.0", n.balance(alice))
	n.submit([]ledger.Party{alice}, exercise[tokenwallet.MergeDelegation](n,
		active[tokenwallet.MergeDelegation](n)[0].ID, "MergeDelegation_Withdraw", tokenwallet.DelegationWithdraw{}))
	n.ended(id)
}
