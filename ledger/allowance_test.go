package ledger_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// small is an argument that makes Echo return all of its contract.
const small = `{"any":{"tag":"Any_Text","value":"x"}}`

// TestAllowance_BoundsTheSizeOfATransaction exercises a choice that returns its contract many times.
func TestAllowance_BoundsTheSizeOfATransaction(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, everything(), alice)
	echo := exerciseCommand("#test-model:Test.Values:Everything", id.ID(), "Echo", small)
	_, err := book.SubmitCommands(as(alice), slices.Repeat([]ledger.Command{echo}, 10)...)
	require.NoError(t, err)
	_, err = book.SubmitCommands(as(alice), slices.Repeat([]ledger.Command{echo}, 25)...)
	requireRefused(t, err, fault.DamlInterpretationError, "payloads, arguments and results exceed")
}

// TestAllowance_BoundsTheContractsThatCommandsRead names many contracts of the same owner.
func TestAllowance_BoundsTheContractsThatCommandsRead(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	var commands []ledger.Command
	for range 200 {
		id := create(t, book, everything(), alice)
		commands = append(commands, exerciseCommand("#test-model:Test.Values:Everything", id.ID(), "Archive", `{}`))
	}
	_, err := book.SubmitCommands(as(alice), commands...)
	requireRefused(t, err, fault.DamlInterpretationError, "bytes of the contracts that the transaction uses exceed")
	require.Len(t, book.Active, 200)
	_, err = book.SubmitCommands(as(alice), commands[:100]...)
	require.NoError(t, err)
	require.Len(t, book.Active, 100)
}

// TestAllowance_BoundsThePartiesThatCommandsName archives contracts that hundreds observe.
func TestAllowance_BoundsThePartiesThatCommandsName(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	observed := iou()
	for i := range 500 {
		observed.Observers = append(observed.Observers, ledger.Party(fmt.Sprintf("observer-%d::1220ab", i)))
	}
	var commands []ledger.Command
	for range 100 {
		id := create(t, book, observed, alice)
		commands = append(commands, exerciseCommand("#test-model:Test.Model:Iou", id.ID(), "Archive", `{}`))
	}
	_, err := book.SubmitCommands(as(alice), commands...)
	requireRefused(t, err, fault.DamlInterpretationError, "parties in the transaction exceed")
	_, err = book.SubmitCommands(as(alice), commands[:30]...)
	require.NoError(t, err)
}

// TestAllowance_GrowsWithTheSubmission keeps large submissions possible.
func TestAllowance_GrowsWithTheSubmission(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	argument, err := json.Marshal(map[string]any{"any": map[string]any{
		"tag": "Any_Text", "value": strings.Repeat("y", ledger.MaxTextBytes),
	}})
	require.NoError(t, err)
	id := create(t, book, everything(), alice)
	echo := exerciseCommand("#test-model:Test.Values:Everything", id.ID(), "Echo", string(argument))
	_, err = book.SubmitCommands(as(alice), slices.Repeat([]ledger.Command{echo}, 150)...)
	require.NoError(t, err)
}

// everything is a contract with a long text.
func everything() ledgertest.Everything {
	return ledgertest.Everything{
		Owner: alice, Colour: ledgertest.Red, Contract: "00ab", Any: ledgertest.Any{Text: new("x")},
		Shape: ledgertest.Shape{Nobody: &lf.Unit{}}, Text: strings.Repeat("x", ledger.MaxTextBytes),
	}
}
