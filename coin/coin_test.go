package coin_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	dso      = ledger.Party("DSO::1220d5")
	alice    = ledger.Party("alice::1220a1")
	bob      = ledger.Party("bob::1220b0")
	charlie  = ledger.Party("charlie::1220c4")
	provider = ledger.Party("provider::1220ee")
	stranger = ledger.Party("stranger::122057")
)

// rate is the holding fee per round at the usual price: 0.0000190259 US dollars at 0.005 dollars per coin.
const rate = "0.0038051800"

// network is a ledger with the coin.
type network struct {
	*ledgertest.Ledger
	rules lf.CID[coin.AmuletRules]
	// rounds are the open rounds by number; states are the configuration states, sorted by their end.
	rounds map[int64]lf.CID[coin.OpenMiningRound]
	states []lf.CID[coin.ExternalPartyConfigState]
}

func amount(text string) decimal.Decimal { return decimal.MustParse(text) }

func usualGenesis() coin.Genesis {
	return coin.Genesis{
		DSO: dso, Config: coin.DefaultConfig("global-domain::1220"), AmuletPrice: amount("0.005"),
		RoundZeroDuration: 24 * time.Hour,
	}
}

// registry holds the coin's packages. It never changes, so all networks share it.
var registry = sync.OnceValues(func() (*ledger.Packages, error) { return ledger.NewPackages(coin.Packages()...) })

// startNetwork runs the genesis commands and finds the contracts that they created.
func startNetwork(t *testing.T) network {
	t.Helper()
	packages, err := registry()
	require.NoError(t, err)
	book := &ledgertest.Ledger{
		Packages: packages, Now: ledgertest.Start, Active: map[ledger.ContractID]ledger.Contract{},
	}
	commands, err := coin.GenesisCommands(book.Packages, usualGenesis())
	require.NoError(t, err)
	_, err = book.SubmitCommands(ledgertest.As(dso), commands...)
	require.NoError(t, err)
	n := network{Ledger: book, rounds: map[int64]lf.CID[coin.OpenMiningRound]{}}
	for id := range all[coin.AmuletRules](t, n) {
		n.rules = id
	}
	for id, round := range all[coin.OpenMiningRound](t, n) {
		n.rounds[round.Round.Number] = id
	}
	states := all[coin.ExternalPartyConfigState](t, n)
	for id := range states {
		n.states = append(n.states, id)
	}
	slices.SortFunc(n.states, func(a, b lf.CID[coin.ExternalPartyConfigState]) int {
		return int(states[a].TargetArchiveAfter - states[b].TargetArchiveAfter)
	})
	return n
}

// public is the parties with all contracts that only the DSO sees, as wallets disclose them with every submission.
func (n network) public(parties ...ledger.Party) ledgertest.Parties {
	by := ledgertest.As(parties...)
	for _, contract := range n.Active {
		if slices.Equal(contract.Signatories, []ledger.Party{dso}) {
			by = by.Disclose(contract)
		}
	}
	return by
}

func (n network) at(after time.Duration) lf.Timestamp {
	return lf.TimestampOf(ledgertest.Start.Add(after))
}

// tap mints coin for a party.
func (n network) tap(t *testing.T, receiver ledger.Party, text string) lf.CID[coin.Amulet] {
	t.Helper()
	result, err := ledgertest.Exercise[coin.AmuletRulesDevNetTapResult](n.Ledger, n.public(receiver), n.rules,
		coin.AmuletRulesDevNetTap{Receiver: receiver, Amount: amount(text), OpenRound: n.rounds[0]})
	require.NoError(t, err)
	return result.AmuletSum.Amulet
}

// transfer exercises AmuletRules_Transfer with the authority of all parties that must agree.
func (n network) transfer(t coin.Transfer, context coin.TransferContext) (coin.TransferResult, error) {
	parties := []ledger.Party{t.Sender, t.Provider}
	for _, output := range t.Outputs {
		parties = append(parties, output.Receiver)
		if output.Lock != nil {
			parties = append(parties, output.Lock.Holders...)
		}
	}
	return ledgertest.Exercise[coin.TransferResult](n.Ledger, n.public(parties...), n.rules,
		coin.AmuletRulesTransfer{Transfer: t, Context: context, ExpectedDSO: new(dso)})
}

// pay is the transfer of most tests: from alice, who is also the provider.
func pay(inputs []lf.CID[coin.Amulet], outputs ...coin.TransferOutput) coin.Transfer {
	transfer := coin.Transfer{Sender: alice, Provider: alice, Outputs: outputs}
	for _, input := range inputs {
		transfer.Inputs = append(transfer.Inputs, coin.InputAmulet(input))
	}
	return transfer
}

func to(receiver ledger.Party, text string) coin.TransferOutput {
	return coin.TransferOutput{Receiver: receiver, Amount: amount(text)}
}

func (n network) roundZero() coin.TransferContext {
	return coin.TransferContext{OpenMiningRound: n.rounds[0]}
}

// create makes a contract as the parties.
func create[T any](t *testing.T, n network, payload T, parties ...ledger.Party) lf.CID[T] {
	t.Helper()
	id, err := ledgertest.Create(n.Ledger, ledgertest.As(parties...), payload)
	require.NoError(t, err)
	return id
}

func all[T any](t *testing.T, n network) map[lf.CID[T]]T {
	t.Helper()
	contracts, err := ledgertest.All[T](n.Ledger)
	require.NoError(t, err)
	return contracts
}

func payload[T any](t *testing.T, n network, id lf.CID[T]) T {
	t.Helper()
	_, payload, err := ledgertest.Contract(n.Ledger, id)
	require.NoError(t, err)
	return payload
}

// requireRefused checks the code of a refusal and a part of its text; for DAML_FAILURE the code is the error id.
func requireRefused(t *testing.T, err error, code, text string) {
	t.Helper()
	refusal, ok := fault.As(err)
	require.True(t, ok, "not a refusal: %v", err)
	actual := refusal.Code
	if actual == fault.DamlFailure.ID {
		actual = refusal.Context["error_id"]
	}
	require.Equal(t, code, actual, refusal.Error())
	require.Contains(t, refusal.Cause, text)
}

const (
	assertion  = "UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed"
	general    = "UNHANDLED_EXCEPTION/DA.Exception.GeneralError:GeneralError"
	arithmetic = "UNHANDLED_EXCEPTION/DA.Exception.ArithmeticError:ArithmeticError"
	tooEarly   = "stdlib.daml.com/deadline-not-exceeded"
	tooLate    = "stdlib.daml.com/deadline-exceeded"
	noAuth     = "DAML_AUTHORIZATION_ERROR"
	notValid   = "TEMPLATE_PRECONDITION_VIOLATED"
)

// submitTransfer exercises AmuletRules_Transfer as all parties that must agree.
func (n network) submitTransfer(argument coin.AmuletRulesTransfer) error {
	parties := []ledger.Party{argument.Transfer.Sender, argument.Transfer.Provider}
	for _, output := range argument.Transfer.Outputs {
		parties = append(parties, output.Receiver)
		if output.Lock != nil {
			parties = append(parties, output.Lock.Holders...)
		}
	}
	return n.submitTransferAs(n.public(parties...), argument)
}

func (n network) submitTransferAs(by ledgertest.Parties, argument coin.AmuletRulesTransfer) error {
	by = by.Disclose(n.Active[argument.Context.OpenMiningRound.ID()])
	_, err := ledgertest.Exercise[coin.TransferResult](n.Ledger, by, n.rules, argument)
	return err
}
