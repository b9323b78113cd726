//go:build dars

package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// TestPublishedDARs_Compile compiles all values of the DARs of a directory.
func TestPublishedDARs_Compile(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(os.Getenv("DARS"), "*.dar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths, "DARS names a directory of DARs")
	read := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		dar, err := archive.ReadDAR(data, archive.Options{Dev: true})
		if err != nil || check.Packages(t.Context(), dar.Packages, check.Options{}) != nil {
			t.Logf("%s is refused", filepath.Base(path))
			continue
		}
		read++
		require.NoError(t, engine.NewProgram(byID(dar.Packages)).Compile(), path)
	}
	require.Positive(t, read)
}

func byID(packages []*ast.Package) ast.Packages {
	out := make(ast.Packages, len(packages))
	for _, p := range packages {
		out[p.ID] = p
	}
	return out
}

// published reads a DAR of the directory DARS.
func published(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(os.Getenv("DARS"), name))
	require.NoError(tb, err)
	return data
}

// coinDAR is the release of the published coin that the coin in Go implements.
const coinDAR = "splice-amulet-0.1.22.dar"

// bothCoins is a ledger of the coin in Go, on which the engine interprets the published coin.
type bothCoins struct {
	testing.TB
	*cointest.Network
	program *engine.Program
	env     engine.Environment
	values  map[ledger.ContractID]lf.Value
}

func newBothCoins(tb testing.TB) *bothCoins {
	tb.Helper()
	dar, err := archive.ReadDAR(published(tb, coinDAR), archive.Options{})
	require.NoError(tb, err)
	out := &bothCoins{
		TB: tb, Network: cointest.Start(tb), program: engine.NewProgram(byID(dar.Packages)),
		values: map[ledger.ContractID]lf.Value{},
	}
	out.env = engine.Environment{Host: out, EffectiveAt: out.Now, Seed: [32]byte{1}}
	return out
}

// Contract gives the engine the contracts of the ledger.
func (b *bothCoins) Contract(_ context.Context, id lf.ContractID) (engine.Contract, bool, error) {
	contract, ok := b.Active[id]
	if !ok {
		return engine.Contract{}, false, nil
	}
	value, known := b.values[id]
	if !known {
		t, err := b.program.LFType(contract.Template)
		if err == nil {
			value, err = lf.DecodeJSON(t, contract.Payload)
		}
		if err != nil {
			return engine.Contract{}, false, err
		}
		b.values[id] = value
	}
	return engine.Contract{Contract: contract, Argument: value}, true, nil
}

// ContractsByKey finds none: the coin has no keys.
func (*bothCoins) ContractsByKey(context.Context, ledger.ContractKey, int) ([]engine.Contract, error) {
	return nil, nil
}

// transfer returns the commands of a transfer from alice to bob, for the coin in Go and for the published coin.
func (b *bothCoins) transfer() (ledger.Submission, engine.Exercise) {
	b.Helper()
	argument := coin.AmuletRulesTransfer{
		Transfer: coin.Transfer{
			Sender: cointest.Alice, Provider: cointest.Alice, Inputs: b.Inputs(cointest.Alice, "100.0"),
			Outputs: []coin.TransferOutput{{Receiver: cointest.Bob, Amount: cointest.Amount("10.0")}},
		},
		Context:     coin.TransferContext{OpenMiningRound: b.Rounds[0]},
		ExpectedDSO: new(cointest.DSO),
	}
	command, err := ledgertest.ExerciseCommand(b.Ledger, b.Rules, argument)
	require.NoError(b, err)
	by := b.Public(cointest.Alice, cointest.Bob)
	submission := ledger.Submission{
		ActAs: by.ActAs, Disclosed: by.Disclosed, Key: "transfer", Commands: []ledger.Command{command},
	}
	choice := lf.TypeName{
		Package: command.Exercise.Template.Package, Module: command.Exercise.Template.Module,
		Entity: command.Exercise.Choice,
	}
	choiceType, err := b.program.LFType(choice)
	require.NoError(b, err)
	value, err := lf.DecodeJSON(choiceType, command.Exercise.Argument)
	require.NoError(b, err)
	imported, err := b.program.Import(choice, value)
	require.NoError(b, err)
	b.env.ActAs = by.ActAs
	return submission, engine.Exercise{
		Type: command.Exercise.Template, Contract: b.Rules.ID(), Choice: command.Exercise.Choice, Argument: imported,
	}
}

// TestPublishedDARs_TransferAsTheCoinInGo compares a transfer of the published coin with one of the coin in Go: both
// create and consume the same contracts. It checks nothing if the directory does not have coinDAR.
func TestPublishedDARs_TransferAsTheCoinInGo(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(os.Getenv("DARS"), coinDAR)); os.IsNotExist(err) {
		t.Logf("NOT CHECKED: there is no %s", coinDAR)
		return
	}
	b := newBothCoins(t)
	submission, command := b.transfer()
	ours, err := b.ours(submission)
	require.NoError(t, err)
	theirs, err := b.program.Interpret(t.Context(), engine.Options{}, b.env, []engine.Command{command})
	require.NoError(t, err)
	require.Equal(t, effects(ours), effects(theirs.Transaction))
	require.NotEmpty(t, effects(ours))
}

func (b *bothCoins) ours(submission ledger.Submission) (ledger.Transaction, error) {
	prepared, refusal := b.Packages.PrepareCommands(submission.Commands, nil)
	if refusal != nil {
		return ledger.Transaction{}, refusal
	}
	submission.Commands = prepared
	return ledger.Interpret(submission, ledger.Environment{
		Packages: b.Packages, Network: b.Ledger.Network, Store: b.Ledger, EffectiveAt: b.Now, Seed: b.env.Seed,
	})
}

// effects lists the payloads of created contracts, and the consuming choices.
func effects(t ledger.Transaction) []string {
	var out []string
	for _, node := range t.Nodes {
		switch {
		case node.Kind == ledger.EventCreate:
			out = append(out, "create "+node.Template.String()+" "+string(lf.EncodeJSON(node.ArgumentType, node.Argument)))
		case node.Consuming:
			out = append(out, node.Choice+" of "+string(node.ContractID))
		}
	}
	slices.Sort(out)
	return out
}

// BenchmarkTransfer_PublishedDAR interprets a transfer of the published coin.
func BenchmarkTransfer_PublishedDAR(b *testing.B) {
	both := newBothCoins(b)
	_, command := both.transfer()
	for b.Loop() {
		_, err := both.program.Interpret(b.Context(), engine.Options{}, both.env, []engine.Command{command})
		require.NoError(b, err)
	}
}

// BenchmarkTransfer_CoinInGo interprets the same transfer of the coin in Go.
func BenchmarkTransfer_CoinInGo(b *testing.B) {
	both := newBothCoins(b)
	submission, _ := both.transfer()
	for b.Loop() {
		_, err := both.ours(submission)
		require.NoError(b, err)
	}
}

// BenchmarkPublishedDARs_ReadAndCompile reads the 51 packages of a DAR and compiles all their values.
func BenchmarkPublishedDARs_ReadAndCompile(b *testing.B) {
	data := published(b, coinDAR)
	for b.Loop() {
		dar, err := archive.ReadDAR(data, archive.Options{})
		require.NoError(b, err)
		require.NoError(b, engine.NewProgram(byID(dar.Packages)).Compile())
	}
}

// BenchmarkPublishedDARs_Check checks the packages of a DAR.
func BenchmarkPublishedDARs_Check(b *testing.B) {
	dar, err := archive.ReadDAR(published(b, coinDAR), archive.Options{})
	require.NoError(b, err)
	for b.Loop() {
		require.NoError(b, check.Packages(b.Context(), dar.Packages, check.Options{}))
	}
}
