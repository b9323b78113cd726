package walletapi_test

import (
	"errors"
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

// Lie is a contract of mallory that claims to be a holding of a victim, and a transfer to it.
type Lie struct {
	_      struct{}          `lf:"api-lie:Api.Lie:Lie"`
	Maker  ledger.Party      `lf:"maker"`
	Victim ledger.Party      `lf:"victim"`
	Claim  token.HoldingView `lf:"claim"`
	// Fails makes the views fail; Large makes them large.
	Fails bool `lf:"fails"`
	Large bool `lf:"large"`
}

func (l Lie) view() (token.HoldingView, error) {
	if l.Fails {
		return token.HoldingView{}, errors.New(strings.Repeat("no ", 1000))
	}
	if l.Large {
		l.Claim.Meta.Values = map[string]string{"large": strings.Repeat("x", 1<<20)}
	}
	return l.Claim, nil
}

// liePackage is the package of lies. Who accepts one offers all its coin to the maker.
func liePackage() ledger.Package {
	steal := func(tx *ledger.Tx, l Lie) (result token.TransferInstructionResult, err error) {
		_, err = ledger.Create(tx, walletapp.AcceptedTransferOffer{
			Sender: l.Victim, Receiver: l.Maker, DSO: l.Claim.InstrumentID.Admin, TrackingID: "lie",
			Amount:    payments.PaymentAmount{Amount: decimal.FromInt(777), Unit: payments.AmuletUnit},
			ExpiresAt: lf.TimestampOf(time.Now().Add(time.Hour)),
		})
		result.Output.Failed = &lf.Unit{}
		return result, err
	}
	return ledger.Package{
		ID: lf.PackageID(strings.Repeat("1e", 32)), Name: "api-lie", Version: "1.0.0", Uploaded: true,
		Templates: []ledger.TemplateSource{ledger.Template[Lie]{
			Signatories: func(l Lie) []ledger.Party { return []ledger.Party{l.Maker} },
			Observers:   func(l Lie) []ledger.Party { return []ledger.Party{l.Victim} },
			Interfaces: []ledger.ImplementationOf[Lie]{
				ledger.Implements[Lie, token.Holding, token.HoldingView]{View: Lie.view},
				ledger.Implements[Lie, token.TransferFactory, token.TransferFactoryView]{
					View: func(l Lie) (token.TransferFactoryView, error) {
						return token.TransferFactoryView{Admin: l.Claim.InstrumentID.Admin}, nil
					},
					Choices: []ledger.ChoiceOf[Lie]{
						ledger.Choice[Lie, token.TransferFactoryTransfer, token.TransferInstructionResult]{Body: func(
							*ledger.Tx, lf.CID[Lie], Lie, token.TransferFactoryTransfer,
						) (result token.TransferInstructionResult, err error) {
							result.Output.Failed = &lf.Unit{}
							return result, nil
						}},
						ledger.Choice[Lie, token.TransferFactoryPublicFetch, token.TransferFactoryView]{Body: func(
							*ledger.Tx, lf.CID[Lie], Lie, token.TransferFactoryPublicFetch,
						) (none token.TransferFactoryView, err error) {
							return none, nil
						}},
					},
				},
				ledger.Implements[Lie, token.TransferInstruction, token.TransferInstructionView]{
					View: func(l Lie) (view token.TransferInstructionView, err error) {
						claim, err := l.view()
						view.Transfer = token.Transfer{
							Sender: l.Maker, Receiver: l.Victim, Amount: claim.Amount, InstrumentID: claim.InstrumentID,
							Meta: claim.Meta,
						}
						view.Status.PendingReceiverAcceptance = &lf.Unit{}
						return view, err
					},
					Choices: []ledger.ChoiceOf[Lie]{
						ledger.Choice[Lie, token.TransferInstructionAccept, token.TransferInstructionResult]{Body: func(
							tx *ledger.Tx, _ lf.CID[Lie], l Lie, _ token.TransferInstructionAccept,
						) (token.TransferInstructionResult, error) {
							return steal(tx, l)
						}},
						ledger.Choice[Lie, token.TransferInstructionReject, token.TransferInstructionResult]{Body: func(
							tx *ledger.Tx, _ lf.CID[Lie], l Lie, _ token.TransferInstructionReject,
						) (token.TransferInstructionResult, error) {
							return steal(tx, l)
						}},
						ledger.Choice[Lie, token.TransferInstructionWithdraw, token.TransferInstructionResult]{Body: func(
							tx *ledger.Tx, _ lf.CID[Lie], l Lie, _ token.TransferInstructionWithdraw,
						) (token.TransferInstructionResult, error) {
							return steal(tx, l)
						}},
						ledger.Choice[Lie, token.TransferInstructionUpdate, token.TransferInstructionResult]{Body: func(
							tx *ledger.Tx, _ lf.CID[Lie], l Lie, _ token.TransferInstructionUpdate,
						) (token.TransferInstructionResult, error) {
							return steal(tx, l)
						}},
					},
				},
			},
		}},
	}
}

// lie creates a contract of bob that claims to be a holding of alice.
func (b bank) lie(claim token.HoldingView, change func(*Lie)) string {
	b.t.Helper()
	lie := Lie{Maker: b.bob.Party, Victim: b.alice.Party, Claim: claim}
	change(&lie)
	return string(apitest.Create(b.Server, lie, b.bob.Party))
}

func TestTokenHoldings_LiesStayApartFromTheCoinAndOtherTokens(t *testing.T) {
	t.Parallel()
	b := newTokenBank(t, liePackage())
	b.tap(b.alice, "10")
	asGold := token.HoldingView{
		Owner: b.alice.Party, Amount: decimal.FromInt(1000),
		InstrumentID: token.InstrumentID{Admin: b.carol.Party, ID: "Gold"},
	}
	asCoin, huge, debt := asGold, asGold, asGold
	asCoin.InstrumentID = token.InstrumentID{Admin: b.Node.DSO, ID: coin.InstrumentName}
	huge.Amount = decimal.MustParse("9999999999999999999999999999")
	huge.InstrumentID.ID = "Huge"
	debt.Amount = decimal.FromInt(-1000)
	same := func(*Lie) {}
	b.lie(asGold, same)
	b.lie(asCoin, same)
	b.lie(huge, same)
	b.lie(huge, same)
	unreadable := map[string]string{
		b.lie(debt, same): "the amount -1000.0",
		b.lie(asGold, func(l *Lie) { l.Fails = true }): "no no",
		b.lie(asGold, func(l *Lie) { l.Large = true }): "bytes",
	}
	b.lie(asGold, func(l *Lie) { l.Victim = b.carol.Party }) // claims a holding of alice, who does not see it

	held := b.tokens(b.alice)
	require.Len(t, held.Tokens, 4)
	for _, balance := range held.Tokens {
		require.Equal(t, balance.Package == apitest.TokenPackageName, balance.Signed)
		switch {
		case balance.Signed:
			require.Equal(t, "12.0000000000", *balance.Unlocked)
		case balance.Instrument.ID == "Huge":
			require.Nil(t, balance.Unlocked)
			require.Len(t, balance.Holdings, 2)
		default:
			require.Equal(t, "api-lie", balance.Package)
			require.Equal(t, "1000.0000000000", *balance.Unlocked)
			require.Len(t, balance.Holdings, 1)
		}
	}
	require.Len(t, held.Unreadable, len(unreadable))
	for _, one := range held.Unreadable {
		require.Contains(t, one.Reason, unreadable[one.ID])
		require.Less(t, len(one.Reason), 300)
	}
	require.Empty(t, b.tokens(b.carol).Tokens)

	unlocked, locked := b.balance(b.alice)
	require.Equal(t, "2000.0000000000", unlocked)
	require.Equal(t, "0.0000000000", locked)
	var coins holdings
	b.get(b.alice, "/v0/wallet/coins").OK(&coins)
	require.Len(t, coins.Amulets, 1)
	b.get(b.alice, tokenHistory).OK(nil)

	body := b.gold(offerOf(b.bob.Party, "one"))
	body["amount"], body["trusted_packages"] = "13", []string{apitest.TokenPackageName}
	fails(t, b.post(b.alice, transfers, body), http.StatusBadRequest, "hold 12.0 unlocked Gold")
}

// Who answers a hostile transfer loses no coin, even when it trusts the package, and others built in beside it.
func TestTokenTransfer_HostileAnswerMovesNoCoin(t *testing.T) {
	t.Parallel()
	b := newTokenBank(t, liePackage())
	b.tap(b.alice, "10")
	id := b.lie(token.HoldingView{
		Owner: b.alice.Party, Amount: decimal.FromInt(1000),
		InstrumentID: token.InstrumentID{Admin: b.Node.DSO, ID: coin.InstrumentName},
	}, func(*Lie) {})
	require.Len(t, b.otherTransfers(b.alice), 1)
	for _, answer := range []string{"accept", "reject"} {
		path := transfers + "/" + id + "/" + answer
		fails(t, b.post(b.alice, path, trusting()), http.StatusBadRequest, "If you trust the package")
		fails(t, b.post(b.alice, path, map[string]any{"trusted_packages": []string{"api-lie", "splice-wallet"}}),
			http.StatusBadRequest, "It would create Splice.Wallet.TransferOffer:AcceptedTransferOffer of package splice-wallet")
	}
	b.Automate()
	unlocked, _ := b.balance(b.alice)
	require.Equal(t, "2000.0000000000", unlocked)
	unlocked, _ = b.balance(b.bob)
	require.Equal(t, "0.0000000000", unlocked)
}

// Anybody can make a factory that claims to be an administrator's. The wallet uses one that the administrator signed.
func TestTokenTransfer_UsesNoFactoryOfOthers(t *testing.T) {
	t.Parallel()
	b := newTokenBank(t, liePackage())
	gold := token.InstrumentID{Admin: b.carol.Party, ID: "Gold"}
	lie := token.HoldingView{Owner: b.alice.Party, Amount: decimal.FromInt(1000), InstrumentID: gold}
	b.lie(lie, func(*Lie) {})
	body := b.gold(offerOf(b.bob.Party, "one"))
	body["trusted_packages"] = []string{"api-lie"}
	fails(t, b.post(b.alice, transfers, body), http.StatusNotFound, "No transfer factory of "+string(b.carol.Party))

	lie.InstrumentID.Admin = b.bob.Party // who signs it
	b.lie(lie, func(*Lie) {})
	body["instrument"] = map[string]any{"admin": b.bob.Party, "id": "Gold"}
	b.post(b.alice, transfers, body).OK(nil)
}
