package ledger_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	alice   = ledger.Party("alice::1220a1")
	bob     = ledger.Party("bob::1220b0")
	charlie = ledger.Party("charlie::1220c4")
	diana   = ledger.Party("diana::1220d1")

	assetInterface = "#test-asset:Test.Asset:Asset"
)

func newLedger(tb testing.TB) *ledgertest.Ledger {
	tb.Helper()
	book, err := ledgertest.New(ledgertest.Packages()...)
	require.NoError(tb, err)
	return book
}

func as(parties ...ledger.Party) ledgertest.Parties { return ledgertest.As(parties...) }

func create[T any](tb testing.TB, book *ledgertest.Ledger, payload T, parties ...ledger.Party) lf.CID[T] {
	tb.Helper()
	id, err := ledgertest.Create(book, as(parties...), payload)
	require.NoError(tb, err)
	return id
}

// iou is a contract that alice signs and bob sees.
func iou() ledgertest.Iou {
	return ledgertest.Iou{Issuer: alice, Owner: bob, Amount: decimal.FromInt(10)}
}

// broker is a contract that alice signs and bob uses.
func broker() ledgertest.Broker { return ledgertest.Broker{Operator: alice, Client: bob} }

// exerciseCommand names its template in the form of a client's request.
func exerciseCommand(template string, id ledger.ContractID, choice, argument string) ledger.Command {
	name, err := lf.ParseTypeName(template)
	if err != nil {
		name = lf.TypeName{}
	}
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: id, Choice: choice, Argument: json.RawMessage(argument),
	}}
}

func exerciseTyped[T, A any](t *testing.T, book *ledgertest.Ledger, id lf.CID[T], argument A) ledger.Command {
	t.Helper()
	command, err := ledgertest.ExerciseCommand(book, id, argument)
	require.NoError(t, err)
	return command
}

func submit(
	t *testing.T, book *ledgertest.Ledger, by ledgertest.Parties, commands ...ledger.Command,
) ledger.Transaction {
	t.Helper()
	transaction, err := book.SubmitCommands(by, commands...)
	require.NoError(t, err)
	return transaction
}

// requireRefused checks the code of a refusal and a part of its text.
func requireRefused(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	refusal, ok := fault.As(err)
	require.True(t, ok, "not a refusal: %v", err)
	require.Equal(t, code.ID, refusal.Code, refusal.Error())
	require.Contains(t, refusal.Cause, text)
}
