package walletapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// Trap is an allocation request for 1 coin. Rejecting it accepts to pay 777 to its owner.
type Trap struct {
	_      struct{}     `lf:"api-trap:Api.Trap:Trap"`
	Owner  ledger.Party `lf:"owner"`
	Victim ledger.Party `lf:"victim"`
	DSO    ledger.Party `lf:"dso"`
}

func trapPackage() ledger.Package {
	return ledger.Package{
		ID: lf.PackageID(strings.Repeat("d", 64)), Name: "api-trap", Version: "1.0.0", Uploaded: true,
		Templates: []ledger.TemplateSource{ledger.Template[Trap]{
			Signatories: func(t Trap) []ledger.Party { return []ledger.Party{t.Owner} },
			Observers:   func(t Trap) []ledger.Party { return []ledger.Party{t.Victim} },
			Interfaces: []ledger.ImplementationOf[Trap]{
				ledger.Implements[Trap, token.AllocationRequest, token.AllocationRequestView]{
					View: func(t Trap) (token.AllocationRequestView, error) {
						return token.AllocationRequestView{
							Settlement: token.SettlementInfo{Executor: t.Owner},
							TransferLegs: map[string]token.TransferLeg{"leg": {
								Sender: t.Victim, Receiver: t.Owner, Amount: decimal.FromInt(1),
								InstrumentID: token.InstrumentID{Admin: t.DSO, ID: coin.InstrumentName},
							}},
						}, nil
					},
					Choices: []ledger.ChoiceOf[Trap]{
						ledger.Choice[Trap, token.AllocationRequestReject, token.ChoiceExecutionMetadata]{
							Body: func(
								tx *ledger.Tx, _ lf.CID[Trap], t Trap, _ token.AllocationRequestReject,
							) (none token.ChoiceExecutionMetadata, err error) {
								_, err = ledger.Create(tx, walletapp.AcceptedTransferOffer{
									Sender: t.Victim, Receiver: t.Owner, DSO: t.DSO, TrackingID: "trap",
									Amount: payments.PaymentAmount{
										Amount: decimal.FromInt(777), Unit: payments.AmuletUnit,
									},
									ExpiresAt: lf.TimestampOf(time.Now().Add(time.Hour)),
								})
								return none, err
							},
						},
						ledger.Choice[Trap, token.AllocationRequestWithdraw, token.ChoiceExecutionMetadata]{
							Body: func(
								*ledger.Tx, lf.CID[Trap], Trap, token.AllocationRequestWithdraw,
							) (none token.ChoiceExecutionMetadata, err error) {
								return none, nil
							},
						},
					},
				},
			},
		}},
	}
}

// A hostile request makes its victim pay when the victim rejects it: the node refuses the rejection, says what it would
// do, and moves no coin.
func TestRejectAllocationRequest_MovesNoCoin(t *testing.T) {
	t.Parallel()
	const path = "/v0/wallet/token-standard/allocation-requests/"
	b := newBank(t, apitest.Options{Packages: []ledger.Package{trapPackage()}})
	b.tap(b.alice, "10")
	id := string(apitest.Create(b.Server, Trap{
		Owner: b.carol.Party, Victim: b.alice.Party, DSO: b.Node.DSO,
	}, b.carol.Party))
	const would = "It would create Splice.Wallet.TransferOffer:AcceptedTransferOffer of package splice-wallet"

	answer, shown := tryOut(t, b.Server, "alice", path+id+"/reject", "")
	require.Equal(t, http.StatusOK, answer.Status, answer.Text)
	require.NotNil(t, shown.Refusal)
	require.Contains(t, shown.Refusal.Error, would)

	got := b.post(b.alice, path+id+"/reject", nil)
	fails(t, got, http.StatusBadRequest, would)
	require.Contains(t, got.Text, `777.`)
	require.Contains(t, got.Text, "exercise the choice yourself")
	b.Automate()
	unlocked, locked := b.balance(b.alice)
	require.Equal(t, "2000.0000000000", unlocked)
	require.Equal(t, "0.0000000000", locked)
}

// A preview of every choice on another party's contract says what the choice does.
func TestDryRun_ShowsEffectsOfAnswersToOthers(t *testing.T) {
	t.Parallel()
	const (
		token      = "/v0/wallet/token-standard/"
		aside      = "Unlocks 25.5 CC of yours"
		incoming   = "Your balance goes up by 25.5 CC"
		requested  = "Archives Api.Request:Request of package api-request, signed by operator"
		apps       = "/v0/wallet/app-payment-requests"
		subscribed = "/v0/wallet/subscription-requests"
	)
	b := newBank(t, apitest.Options{Packages: []ledger.Package{apitest.RequestPackage()}})
	b.tap(b.alice, "10")
	theirs := b.OneOfEach(b.alice, b.OperatorWallet(), b.bob)
	given := b.pending(b.alice, b.bob, "given")
	tooMuch := offerOf(b.OperatorWallet().Party, "too much")
	tooMuch["amount"] = "1000000"
	var offered struct {
		ID string `json:"offer_contract_id"`
	}
	b.post(b.alice, offers, tooMuch).OK(&offered)
	_, unpaid := tryOut(t, b.Server, "operator", offers+"/"+offered.ID+"/accept", "")
	require.NotNil(t, unpaid.Refusal)
	require.True(t, unpaid.Refusal.Later, "the sender's wallet lacks the coin")
	for _, c := range []struct {
		user, path, id, action string
		effects                []string
	}{
		{"operator", "/v0/wallet/transfer-offers", theirs[offers], "accept", []string{
			"Creates Splice.Wallet.TransferOffer:AcceptedTransferOffer of package splice-wallet, signed by alice and you",
			"Your balance goes up by 25.5 CC",
		}},
		{"operator", offers, theirs[offers], "reject", []string{"Archives Splice.Wallet.TransferOffer:TransferOffer"}},
		{"alice", offers, theirs[offers], "withdraw", []string{"Archives Splice.Wallet.TransferOffer:TransferOffer"}},
		{"bob", transfers, given, "accept", []string{incoming}},
		{"bob", transfers, given, "reject", []string{"alice gets 25.5 CC"}},
		{"alice", transfers, given, "withdraw", []string{incoming, aside}},
		{
			"alice", token + "allocation-requests", theirs[token+"allocation-requests/{contract_id}"], "reject",
			[]string{requested},
		},
		{
			"alice", allocations, theirs[allocations+"/{contract_id}"], "withdraw",
			[]string{"Your balance goes up by 25 CC", "Unlocks 25 CC of yours"},
		},
		{
			"alice", apps, theirs[apps+"/{contract_id}"], "accept",
			[]string{"Your balance goes down by 10 CC", "Locks 10 CC of yours"},
		},
		{"alice", apps, theirs[apps+"/{contract_id}"], "reject", []string{"Archives "}},
		{"alice", subscribed, theirs[subscribed+"/{contract_id}"], "accept", []string{"Locks 10 CC of yours"}},
		{"alice", subscribed, theirs[subscribed+"/{contract_id}"], "reject", []string{"Archives "}},
		{
			"alice", "/v0/wallet/minting-delegation-proposals",
			theirs["/v0/wallet/minting-delegation-proposals/{contract_id}"], "accept",
			[]string{"Creates "},
		},
		{
			"alice", "/v0/wallet/minting-delegation-proposals",
			theirs["/v0/wallet/minting-delegation-proposals/{contract_id}"], "reject",
			[]string{"Archives "},
		},
		{
			"alice", "/v0/wallet/minting-delegations", theirs["/v0/wallet/minting-delegations/{contract_id}"], "reject",
			[]string{"Archives "},
		},
	} {
		answer, shown := tryOut(t, b.Server, c.user, c.path+"/"+c.id+"/"+c.action, "")
		require.True(t, shown.WouldSucceed, "%s %s: %s", c.path, c.action, answer.Text)
		for _, effect := range c.effects {
			require.Contains(t, strings.Join(shown.Effects, "\n"), effect, "%s %s", c.path, c.action)
		}
	}
}
