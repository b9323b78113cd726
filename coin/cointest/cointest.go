// Package cointest starts the coin on a ledger in memory, for tests of contracts that are built on the coin.
package cointest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// The parties of the tests.
const (
	DSO      = ledger.Party("DSO::1220d5")
	Alice    = ledger.Party("alice::1220a1")
	Bob      = ledger.Party("bob::1220b0")
	Charlie  = ledger.Party("charlie::1220c4")
	Provider = ledger.Party("provider::1220ee")
	Operator = ledger.Party("operator::1220f0")
)

// Synchronizer is the synchronizer that sells traffic.
const Synchronizer = "global-domain::1220"

// Codes of refusals, for [RequireRefused].
const (
	Assertion = "UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed"
	General   = "UNHANDLED_EXCEPTION/DA.Exception.GeneralError:GeneralError"
	TooEarly  = "stdlib.daml.com/deadline-not-exceeded"
	TooLate   = "stdlib.daml.com/deadline-exceeded"
	NoAuth    = "DAML_AUTHORIZATION_ERROR"
	NotValid  = "TEMPLATE_PRECONDITION_VIOLATED"
	NoFunds   = "splice.lfdecentralizedtrust.org/insufficient-funds"
)

// Network is a ledger with the coin, at 0.005 US dollars per coin.
type Network struct {
	*ledgertest.Ledger
	Rules lf.CID[coin.AmuletRules]
	// Rounds are the open rounds by number. Round 0 is open from the start and for a day.
	Rounds map[int64]lf.CID[coin.OpenMiningRound]

	tb testing.TB
}

// Start starts a network with the coin's packages and others.
func Start(tb testing.TB, packages ...ledger.Package) *Network {
	tb.Helper()
	return StartWith(tb, coin.Genesis{
		DSO: DSO, Config: coin.DefaultConfig(Synchronizer), AmuletPrice: Amount("0.005"), RoundZeroDuration: 24 * time.Hour,
	}, packages...)
}

// StartWith starts a network with another genesis.
func StartWith(tb testing.TB, genesis coin.Genesis, packages ...ledger.Package) *Network {
	tb.Helper()
	book, err := ledgertest.New(append(coin.Packages(), packages...)...)
	NoError(tb, err)
	book.Network = ledger.Network{DSO: genesis.DSO, Operator: Operator}
	commands, err := coin.GenesisCommands(book.Packages, genesis)
	NoError(tb, err)
	_, err = book.SubmitCommands(ledgertest.As(genesis.DSO), commands...)
	NoError(tb, err)
	n := &Network{Ledger: book, Rounds: map[int64]lf.CID[coin.OpenMiningRound]{}, tb: tb}
	for id := range All[coin.AmuletRules](n) {
		n.Rules = id
	}
	for id, round := range All[coin.OpenMiningRound](n) {
		n.Rounds[round.Round.Number] = id
	}
	return n
}

// Amount reads a constant decimal.
func Amount(text string) decimal.Decimal { return decimal.MustParse(text) }

// NoError ends the test on an error.
func NoError(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatalf("unexpected error: %v", err)
	}
}

// RequireRefused checks the code of a refusal and a part of its text; for failures of contracts the code is the error
// id.
func RequireRefused(tb testing.TB, err error, code, text string) {
	tb.Helper()
	refusal, ok := fault.As(err)
	if !ok {
		tb.Fatalf("not a refusal: %v", err)
	}
	actual := refusal.Code
	if actual == fault.DamlFailure.ID {
		actual = refusal.Context["error_id"]
	}
	if actual != code || !strings.Contains(refusal.Cause, text) {
		tb.Fatalf("want %s with %q, got %s: %s", code, text, actual, refusal.Cause)
	}
}

// At is a time after the start.
func (n *Network) At(after time.Duration) lf.Timestamp {
	return lf.TimestampOf(ledgertest.Start.Add(after))
}

// Advance moves the ledger time.
func (n *Network) Advance(by time.Duration) { n.Now = n.Now.Add(by) }

// Public is the parties with all contracts that only the DSO signs, as wallets disclose with every submission.
func (n *Network) Public(parties ...ledger.Party) ledgertest.Parties {
	by := ledgertest.As(parties...)
	for _, contract := range n.Active {
		if slices.Equal(contract.Signatories, []ledger.Party{DSO}) {
			by = by.Disclose(contract)
		}
	}
	return by
}

// Tap mints coin for a party in round 0.
func (n *Network) Tap(receiver ledger.Party, text string) lf.CID[coin.Amulet] {
	n.tb.Helper()
	result, err := Exercise[coin.AmuletRulesDevNetTapResult](n, n.Rules,
		coin.AmuletRulesDevNetTap{Receiver: receiver, Amount: Amount(text), OpenRound: n.Rounds[0]}, receiver)
	NoError(n.tb, err)
	return result.AmuletSum.Amulet
}

// Inputs mints a coin for a party and makes it the input of a transfer.
func (n *Network) Inputs(owner ledger.Party, text string) []coin.TransferInput {
	n.tb.Helper()
	return []coin.TransferInput{coin.InputAmulet(n.Tap(owner, text))}
}

// Context is the context of payments in round 0.
func (n *Network) Context() coin.PaymentTransferContext {
	return coin.PaymentTransferContext{
		AmuletRules: n.Rules, Context: coin.TransferContext{OpenMiningRound: n.Rounds[0]},
	}
}

// AppContext is the context of an app's transfers in round 0.
func (n *Network) AppContext() coin.AppTransferContext {
	return coin.AppTransferContext{AmuletRules: n.Rules, OpenMiningRound: n.Rounds[0]}
}

// Balance is the unlocked and the locked coin of a party, as [decimal.Decimal.Show] prints them.
func (n *Network) Balance(owner ledger.Party) (unlocked, locked string) {
	n.tb.Helper()
	var free, held decimal.Decimal
	var err error
	for _, amulet := range All[coin.Amulet](n) {
		if amulet.Owner == owner {
			free, err = free.Add(amulet.Amount.InitialAmount)
			NoError(n.tb, err)
		}
	}
	for _, amulet := range All[coin.LockedAmulet](n) {
		if amulet.Amulet.Owner == owner {
			held, err = held.Add(amulet.Amulet.Amount.InitialAmount)
			NoError(n.tb, err)
		}
	}
	return free.Show(), held.Show()
}

// Create makes a contract as the given parties.
func Create[T any](n *Network, payload T, parties ...ledger.Party) lf.CID[T] {
	n.tb.Helper()
	id, err := ledgertest.Create(n.Ledger, ledgertest.As(parties...), payload)
	NoError(n.tb, err)
	return id
}

// Exercise exercises a choice as the parties, with all public contracts disclosed.
func Exercise[R, T, A any](n *Network, id lf.CID[T], argument A, parties ...ledger.Party) (R, error) {
	return ledgertest.Exercise[R](n.Ledger, n.Public(parties...), id, argument)
}

// Payload reads an active contract.
func Payload[T any](n *Network, id lf.CID[T]) T {
	n.tb.Helper()
	_, payload, err := ledgertest.Contract(n.Ledger, id)
	NoError(n.tb, err)
	return payload
}

// All are the active contracts of a template.
func All[T any](n *Network) map[lf.CID[T]]T {
	n.tb.Helper()
	contracts, err := ledgertest.All[T](n.Ledger)
	NoError(n.tb, err)
	return contracts
}
