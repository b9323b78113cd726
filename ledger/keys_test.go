package ledger_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func badge(subject string) ledgertest.Badge {
	return ledgertest.Badge{Owner: alice, Maintainers: []ledger.Party{alice}, Subject: subject}
}

// rename renames the sheriff, by key.
func rename(t *testing.T, subject string) ledger.Command {
	t.Helper()
	name, err := lf.ParseTypeName("#test-model:Test.Model:Badge")
	require.NoError(t, err)
	argument, err := json.Marshal(map[string]string{"subject": subject})
	require.NoError(t, err)
	return ledger.Command{ExerciseByKey: &ledger.ExerciseByKeyCommand{
		Template: name, Key: json.RawMessage(sheriff), Choice: "Rename", Argument: argument,
	}}
}

const sheriff = `{"maintainers":["alice::1220a1"],"subject":"sheriff"}`

func TestContractKey_FindsItsContract(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, badge("sheriff"), alice)
	contract := book.Active[id.ID()]
	require.JSONEq(t, sheriff, string(contract.Key.Value))
	require.Len(t, contract.Key.Hash, 64)
	require.Equal(t, []ledger.Party{alice}, contract.Key.Maintainers)

	transaction := submit(t, book, as(alice), rename(t, "deputy"))
	require.Equal(t, id.ID(), transaction.Nodes[0].ContractID)
	require.True(t, transaction.Nodes[0].ByKey)
	_, err := book.SubmitCommands(as(alice), rename(t, "nobody"))
	requireRefused(t, err, fault.ContractKeyNotFound, "couldn't find key")
	refusal, _ := fault.As(err)
	require.Equal(t, "CONTRACT_KEY", refusal.Resources[0].Type)
}

func TestContractKey_IsTakenUntilArchive(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, badge("sheriff"), alice)
	_, err := ledgertest.Create(book, as(alice), badge("sheriff"))
	requireRefused(t, err, fault.DuplicateContractKey, "duplicate contract key")
	create(t, book, badge("deputy"), alice)
	submit(t, book, as(alice), exerciseTyped(t, book, id, lf.Archive{}))
	create(t, book, badge("sheriff"), alice)
}

func TestContractKey_WorksWithinOneTransaction(t *testing.T) {
	t.Parallel()
	createBadge := func(t *testing.T, book *ledgertest.Ledger, subject string) ledger.Command {
		t.Helper()
		command, err := ledgertest.CreateCommand(book, badge(subject))
		require.NoError(t, err)
		return command
	}
	t.Run("two contracts cannot share one", func(t *testing.T) {
		t.Parallel()
		book := newLedger(t)
		command := createBadge(t, book, "sheriff")
		_, err := book.SubmitCommands(as(alice), command, command)
		requireRefused(t, err, fault.DuplicateContractKey, "sheriff")
	})
	t.Run("a contract made before is found", func(t *testing.T) {
		t.Parallel()
		book := newLedger(t)
		submit(t, book, as(alice), createBadge(t, book, "sheriff"), rename(t, "deputy"))
		require.Len(t, book.Active, 1)
	})
	t.Run("an archived contract gives its key free", func(t *testing.T) {
		t.Parallel()
		book := newLedger(t)
		create(t, book, badge("sheriff"), alice)
		submit(t, book, as(alice), rename(t, "deputy"), createBadge(t, book, "sheriff"))
		require.Len(t, book.Active, 2)
	})
	t.Run("a contract renamed away is not found", func(t *testing.T) {
		t.Parallel()
		book := newLedger(t)
		_, err := book.SubmitCommands(as(alice), createBadge(t, book, "sheriff"), rename(t, "deputy"),
			rename(t, "again"))
		requireRefused(t, err, fault.ContractKeyNotFound, "sheriff")
	})
}

func TestContractKey_RefusesBadMaintainersAndContractIDs(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	noMaintainers, foreign, withID := badge("x"), badge("x"), badge("x")
	noMaintainers.Maintainers = nil
	foreign.Maintainers = []ledger.Party{alice, bob}
	withID.Contract = new(lf.CID[ledgertest.Badge]("00ab"))
	_, err := ledgertest.Create(book, as(alice), noMaintainers)
	requireRefused(t, err, fault.CreateEmptyContractKeyMaintainers, "has no maintainers")
	_, err = ledgertest.Create(book, as(alice, bob), foreign)
	requireRefused(t, err, fault.DamlInterpretationError, "bob::1220b0")
	_, err = ledgertest.Create(book, as(alice), withID)
	requireRefused(t, err, fault.ContractIDInContractKey, "contains a contract id")
}

func TestContractKey_HidesKeysOfOthers(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	_, none := book.SubmitCommands(as(bob), rename(t, "deputy"))
	requireRefused(t, none, fault.ContractKeyNotFound, "")
	create(t, book, badge("sheriff"), alice)
	_, err := book.SubmitCommands(as(bob), rename(t, "deputy"))
	require.Equal(t, none, err, "as if nobody had the key")
}
