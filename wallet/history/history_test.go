package history_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/history"
)

const (
	alice    = cointest.Alice
	bob      = cointest.Bob
	provider = cointest.Provider
	operator = cointest.Operator

	rules       = "#splice-amulet:Splice.AmuletRules:AmuletRules"
	preapproval = "#splice-amulet:Splice.AmuletRules:TransferPreapproval"
	locked      = "#splice-amulet:Splice.Amulet:LockedAmulet"
	instruction = "#splice-amulet:Splice.AmuletTransferInstruction:AmuletTransferInstruction"
	factory     = "#splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules"
	standard    = "#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:"
	offers      = "#splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer"
	install     = "#splice-wallet:Splice.Wallet.Install:WalletAppInstall"
	apps        = "#splice-wallet-payments:Splice.Wallet.Payment:"
	monthly     = "#splice-wallet-payments:Splice.Wallet.Subscriptions:"
)

type book struct {
	*cointest.Network

	t *testing.T
}

func start(t *testing.T) book {
	t.Helper()
	return book{cointest.Start(t, slices.Concat(payments.Packages(), walletapp.Packages())...), t}
}

// contract finds a contract, active or archived.
func (b book) contract(id ledger.ContractID) (ledger.Contract, bool, error) {
	for _, transaction := range b.Transactions {
		for _, created := range transaction.Created() {
			if created.Contract.ID == id {
				return created.Contract, true, nil
			}
		}
	}
	return ledger.Contract{}, false, nil
}

// last returns the latest transaction as a party sees it.
func (b book) last(party ledger.Party) ledger.NetworkUpdate {
	transaction := b.Transactions[len(b.Transactions)-1]
	update := ledger.Update{ID: "1220ab", EffectiveAt: transaction.EffectiveAt}
	for _, event := range transaction.Events() {
		if slices.Contains(event.Witnesses, party) {
			update.Events = append(update.Events, event)
		}
	}
	return transaction.InNetwork(update)
}

var readAt = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// items returns the items of the latest transaction for a party. It requires that [history.Parties] names the party if
// and only if there are items.
func (b book) items(party ledger.Party) []history.Item {
	b.t.Helper()
	items, err := history.Reader{Party: party, Contract: b.contract, Now: readAt}.Items(b.last(party))
	require.NoError(b.t, err)
	require.Equal(b.t, len(items) > 0, slices.Contains(b.parties(), party), "%s in %s", party, b.parties())
	return items
}

// parties returns the parties whose history has the latest transaction.
func (b book) parties() []ledger.Party {
	b.t.Helper()
	transaction := b.Transactions[len(b.Transactions)-1]
	parties, err := history.Parties(transaction.InNetwork(ledger.Update{ID: "1220ab", Events: transaction.Events()}),
		b.contract)
	require.NoError(b.t, err)
	return parties
}

// only returns the single item of the latest transaction in short: kind, subtype, and the changes of parties.
func (b book) only(party ledger.Party) string {
	b.t.Helper()
	items := b.items(party)
	require.Len(b.t, items, 1)
	require.Equal(b.t, ledgertest.Start, items[0].Date)
	return short(items[0])
}

func short(item history.Item) string {
	parts := []string{string(item.Kind), item.Subtype.TemplateID, item.Subtype.Choice}
	if item.Kind == history.KindTransfer {
		parts = append(parts, string(item.Sender.Party), item.Sender.Amount.Show())
	}
	for _, receiver := range item.Receivers {
		parts = append(parts, ">", string(receiver.Party), receiver.Amount.Show())
	}
	return strings.Join(parts, " ")
}

func exercise[R, T, A any](b book, id lf.CID[T], argument A, parties ...ledger.Party) R {
	b.t.Helper()
	result, err := cointest.Exercise[R](b.Network, id, argument, parties...)
	require.NoError(b.t, err)
	return result
}

func (b book) factory() ledger.ContractID {
	for id := range cointest.All[coin.ExternalPartyAmuletRules](b.Network) {
		return id.ID()
	}
	return ""
}

func (b book) context(entries ...any) token.ExtraArgs {
	values := map[string]token.AnyValue{}
	for id := range cointest.All[coin.ExternalPartyConfigState](b.Network) {
		values[coin.ContextConfigState] = token.AnyValue{ContractID: new(lf.CID[token.AnyContract](id))}
	}
	for i := 0; i < len(entries); i += 2 {
		id := lf.CID[token.AnyContract](entries[i+1].(ledger.ContractID))
		values[entries[i].(string)] = token.AnyValue{ContractID: &id}
	}
	return token.ExtraArgs{Context: token.ChoiceContext{Values: values}}
}

// through exercises a choice of a token standard interface.
func through[R, A any](b book, iface string, id ledger.ContractID, argument A, party ledger.Party) R {
	b.t.Helper()
	command, err := ledgertest.ExerciseThrough(b.Ledger, iface, id, argument)
	require.NoError(b.t, err)
	by := b.Public(party)
	for id := range cointest.All[coin.LockedAmulet](b.Network) {
		by = by.Disclose(b.Active[id.ID()])
	}
	for id := range cointest.All[coin.TransferPreapproval](b.Network) {
		by = by.Disclose(b.Active[id.ID()])
	}
	transaction, err := b.SubmitCommands(by, command)
	require.NoError(b.t, err)
	result, err := ledgertest.Result[R](transaction)
	require.NoError(b.t, err)
	return result
}

// send makes a token standard transfer of 10 out of 100 coins.
func (b book) send(receiver ledger.Party, context ...any) token.TransferInstructionResult {
	b.t.Helper()
	return through[token.TransferInstructionResult](b, standard+"TransferFactory", b.factory(),
		token.TransferFactoryTransfer{
			ExpectedAdmin: cointest.DSO, ExtraArgs: b.context(context...), Transfer: token.Transfer{
				Sender: alice, Receiver: receiver, Amount: cointest.Amount("10"),
				InstrumentID: token.InstrumentID{Admin: cointest.DSO, ID: coin.InstrumentName},
				RequestedAt:  b.At(-time.Minute), ExecuteBefore: b.At(time.Hour),
				InputHoldingCids: []lf.CID[token.Holding]{lf.Coerce[token.Holding](b.Tap(alice, "100"))},
				Meta: token.Metadata{Values: map[string]string{
					"splice.lfdecentralizedtrust.org/reason": "lunch",
				}},
			},
		}, alice)
}

func (b book) preapproval(receiver ledger.Party) lf.CID[coin.TransferPreapproval] {
	return cointest.Create(b.Network, coin.TransferPreapproval{
		DSO: cointest.DSO, Receiver: receiver, Provider: operator, ValidFrom: b.At(0), LastRenewedAt: b.At(0),
		ExpiresAt: b.At(time.Hour),
	}, cointest.DSO, receiver, operator)
}

func TestReader_ShowsATap(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.Tap(alice, "66.6666666667")
	require.Equal(t, "balance_change "+rules+" AmuletRules_DevNet_Tap > alice::1220a1 66.6666666667", b.only(alice))
	item := b.items(alice)[0]
	require.Equal(t, "#1220ab:0", item.EventID)
	require.Nil(t, item.Instruction)
	require.Empty(t, b.items(bob))
}

func TestReader_ShowsADirectTransfer(t *testing.T) {
	t.Parallel()
	b := start(t)
	id := b.preapproval(bob)
	description := "for lunch"
	want := "transfer " + preapproval + " TransferPreapproval_Send alice::1220a1 -10.0 > bob::1220b0 10.0"
	inputs := b.Inputs(alice, "100")
	_, err := ledgertest.Exercise[coin.TransferPreapprovalSendResult](b.Ledger,
		b.Public(alice).Disclose(b.Active[id.ID()]), id, coin.TransferPreapprovalSend{
			Context: b.Context(), Inputs: inputs, Amount: cointest.Amount("10"), Sender: alice, Description: &description,
		})
	require.NoError(t, err)
	require.Equal(t, want, b.only(alice))
	require.Equal(t, description, *b.items(alice)[0].Description)
	require.Equal(t, want, b.only(bob))
	require.Empty(t, b.items(operator), "the provider sees it but has no part in it")
}

func TestReader_ShowsDirectTokenStandardTransfers(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.send(bob, coin.ContextPreapproval, b.preapproval(bob).ID())
	want := "transfer " + rules + " AmuletRules_Transfer alice::1220a1 -10.0 > bob::1220b0 10.0"
	require.Equal(t, want, b.only(alice))
	require.Equal(t, "lunch", *b.items(alice)[0].Description)
	b.send(alice)
	require.Equal(t, "transfer "+rules+" AmuletRules_Transfer alice::1220a1 0.0", b.only(alice))
}

func TestReader_ShowsATwoStepTransfer(t *testing.T) {
	t.Parallel()
	b := start(t)
	pending := func() ledger.ContractID {
		return ledger.ContractID(b.send(bob).Output.Pending.TransferInstructionCid)
	}
	id := pending()
	const begun = "transfer " + factory + " TransferFactory_Transfer alice::1220a1 "
	require.Equal(t, begun+"-10.0", b.only(alice))
	require.Equal(t, begun+"0.0 > bob::1220b0 0.0", b.only(bob))
	for _, party := range []ledger.Party{alice, bob} {
		item := b.items(party)[0]
		require.Equal(t, standard+"TransferFactory", item.Subtype.InterfaceID)
		require.Equal(t, id, item.Instruction.ID)
		require.Equal(t, bob, item.Instruction.Receiver)
		require.Equal(t, "10.0", item.Instruction.Amount.Show())
		require.Equal(t, "lunch", *item.Description)
	}
	require.NotEqual(t, b.items(alice)[0].EventID, b.items(bob)[0].EventID)

	through[token.TransferInstructionResult](b, standard+"TransferInstruction", id,
		token.TransferInstructionAccept{ExtraArgs: b.context()}, bob)
	const done = "transfer " + instruction + " TransferInstruction_Accept alice::1220a1 0.0 > bob::1220b0 10.0"
	require.Equal(t, done, b.only(alice))
	require.Equal(t, done, b.only(bob))
	require.Equal(t, id, b.items(bob)[0].Instruction.ID)
	require.Nil(t, b.items(bob)[0].Instruction.Amount)
	require.Nil(t, b.items(bob)[0].Description)

	through[token.TransferInstructionResult](b, standard+"TransferInstruction", pending(),
		token.TransferInstructionReject{ExtraArgs: b.context()}, bob)
	require.Equal(t, "balance_change "+instruction+" TransferInstruction_Reject > alice::1220a1 10.0", b.only(alice))
	require.Equal(t, "balance_change "+instruction+" TransferInstruction_Reject > bob::1220b0 0.0", b.only(bob))
	through[token.TransferInstructionResult](b, standard+"TransferInstruction", pending(),
		token.TransferInstructionWithdraw{ExtraArgs: b.context()}, alice)
	require.Equal(t, "balance_change "+instruction+" TransferInstruction_Withdraw > alice::1220a1 10.0", b.only(alice))
	require.Equal(t, standard+"TransferInstruction", b.items(alice)[0].Subtype.InterfaceID)
}

func TestReader_ShowsACompletedOffer(t *testing.T) {
	t.Parallel()
	b := start(t)
	id := cointest.Create(b.Network, walletapp.AcceptedTransferOffer{
		Sender: alice, Receiver: bob, DSO: cointest.DSO, ExpiresAt: b.At(time.Hour), TrackingID: "1",
		Amount: payments.PaymentAmount{Amount: cointest.Amount("10"), Unit: payments.AmuletUnit},
	}, alice, bob)
	require.Empty(t, b.items(alice), "offers are not part of the history")
	exercise[walletapp.AcceptedTransferOfferCompleteResult](b, id, walletapp.AcceptedTransferOfferComplete{
		Inputs: b.Inputs(alice, "100"), TransferContext: b.Context(), WalletProvider: operator,
	}, alice, operator)
	want := "transfer " + offers + " AcceptedTransferOffer_Complete alice::1220a1 -10.0 > bob::1220b0 10.0"
	require.Equal(t, want, b.only(alice))
	require.Equal(t, want, b.only(bob))
	require.Nil(t, b.items(alice)[0].Description)
}
