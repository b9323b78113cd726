package ledger_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// contract: submit-read-as, submit-disclosed
func TestLookup_FindsForStakeholdersOrDisclosure(t *testing.T) {
	t.Parallel()
	inspect := ledgertest.Inspect{By: []ledger.Party{charlie}}
	for name, c := range map[string]struct {
		by    func(contract ledger.Contract) ledgertest.Parties
		found bool
	}{
		"acting as a signatory": {func(ledger.Contract) ledgertest.Parties { return as(charlie, alice) }, true},
		"acting as an observer": {func(ledger.Contract) ledgertest.Parties { return as(charlie, bob) }, true},
		"reading as a stakeholder": {func(ledger.Contract) ledgertest.Parties {
			return ledgertest.Parties{ActAs: []ledger.Party{charlie}, ReadAs: []ledger.Party{bob}}
		}, true},
		"disclosed": {func(contract ledger.Contract) ledgertest.Parties { return as(charlie).Disclose(contract) }, true},
		"neither":   {func(ledger.Contract) ledgertest.Parties { return as(charlie, diana) }, false},
		"another contract is disclosed": {func(contract ledger.Contract) ledgertest.Parties {
			contract.ID = "00" + contract.ID
			return as(charlie).Disclose(contract)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := newLedger(t)
			id := create(t, book, iou(), alice)
			_, err := ledgertest.Exercise[ledgertest.Iou](book, c.by(book.Active[id.ID()]), id, inspect)
			if c.found {
				require.NoError(t, err)
				return
			}
			requireRefused(t, err, fault.ContractNotFound, string(id))
			refusal, _ := fault.As(err)
			require.Equal(t, []fault.Resource{{Type: "CONTRACT_ID", Value: string(id)}}, refusal.Resources)
			require.Contains(t, refusal.Hint, "disclosedContracts")
		})
	}
}

func TestLookup_MissesArchivedContractWhenDisclosed(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, iou(), alice)
	contract := book.Active[id.ID()]
	archive := exerciseTyped(t, book, id, lf.Archive{})
	submit(t, book, as(alice), archive)
	_, err := book.SubmitCommands(as(alice).Disclose(contract), archive)
	requireRefused(t, err, fault.ContractNotFound, string(id))
}

func TestLookup_MissesContractConsumedInTheTransaction(t *testing.T) {
	t.Parallel()
	for _, then := range []string{"read", "archive"} {
		book := newLedger(t)
		payload := iou()
		payload.Observers = []ledger.Party{bob}
		id, brokerID := create(t, book, payload, alice), create(t, book, broker(), alice)
		_, err := ledgertest.Exercise[lf.Unit](book, as(bob), brokerID, ledgertest.Burn{Iou: id, Then: then})
		requireRefused(t, err, fault.ContractNotActive, "inactive contract "+string(id))
		refusal, _ := fault.As(err)
		require.Len(t, refusal.Resources, 2)
		require.Contains(t, book.Active, id.ID(), "nothing has happened")
	}
}

func TestLookup_ConsumesBeforeTheBodyRuns(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, iou(), alice)
	transfer := exerciseTyped(t, book, id, ledgertest.TransferIou{NewOwner: bob})
	_, err := book.SubmitCommands(as(bob), transfer, transfer)
	requireRefused(t, err, fault.ContractNotActive, string(id))
	refusal, _ := fault.As(err)
	require.Equal(t, "1", refusal.Context["command_index"])
}

func TestLookup_FindsContractsOfTheTransaction(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	command, err := ledgertest.CreateCommand(book, iou())
	require.NoError(t, err)
	transaction := submit(t, book, as(alice), ledger.Command{CreateAndExercise: &ledger.CreateAndExerciseCommand{
		Template: command.Create.Template, CreateArgument: command.Create.Argument,
		Choice: "Archive", ChoiceArgument: []byte(`{}`),
	}})
	require.Equal(t, []string{"create Iou", "exercise Iou.Archive"},
		[]string{eventsOf(transaction)[0].what, eventsOf(transaction)[1].what})
	require.Equal(t, transaction.Nodes[0].ContractID, transaction.Nodes[1].ContractID)
	require.Empty(t, transaction.Inputs, "the contract is not from outside")
	require.Len(t, transaction.Created(), 1)
	require.Equal(t, []ledger.ContractID{transaction.Nodes[0].ContractID}, transaction.Consumed())
	require.Empty(t, book.Active)
}

func TestTransaction_ListsInputsOnceInOrderOfUse(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	first, second := create(t, book, iou(), alice), create(t, book, iou(), alice)
	inspect := ledgertest.Inspect{By: []ledger.Party{alice}}
	transaction := submit(t, book, as(alice), exerciseTyped(t, book, second, inspect),
		exerciseTyped(t, book, first, inspect), exerciseTyped(t, book, second, inspect))
	require.Len(t, transaction.Inputs, 2)
	require.Equal(t, second.ID(), transaction.Inputs[0].ID)
	require.Equal(t, first.ID(), transaction.Inputs[1].ID)
}

func TestLookup_RefusesOtherTemplates(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	coupon := create(t, book, ledgertest.Coupon{Issuer: alice, Holder: alice, Worth: decimal.FromInt(1)}, alice)
	_, err := ledgertest.Exercise[ledgertest.Iou](book, as(alice), lf.CID[ledgertest.Iou](coupon),
		ledgertest.Inspect{By: []ledger.Party{alice}})
	requireRefused(t, err, fault.WronglyTypedContract, "is of template "+ledgertest.ModelPackage+":Test.Model:Coupon, not")
	brokerID := create(t, book, broker(), alice)
	by := as(bob)
	by.ReadAs = []ledger.Party{alice}
	_, err = ledgertest.Exercise[ledgertest.AssetView](book, by, brokerID,
		ledgertest.Look{Iou: lf.CID[ledgertest.Iou](coupon)})
	requireRefused(t, err, fault.WronglyTypedContract, string(coupon))
}

func TestLookup_ReturnsStoreError(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, iou(), alice)
	badge := ledgertest.Badge{Owner: alice, Maintainers: []ledger.Party{alice}}
	brokerID := create(t, book, broker(), alice)
	book.Failure = errors.New("the disk is gone")
	_, byID := ledgertest.Exercise[ledgertest.Iou](book, as(alice), id, ledgertest.Inspect{By: []ledger.Party{alice}})
	_, byKey := ledgertest.Create(book, as(alice), badge)
	_, inside := ledgertest.Exercise[ledgertest.AssetView](book, as(bob), brokerID, ledgertest.Look{Iou: id})
	for _, err := range []error{byID, byKey, inside} {
		require.ErrorIs(t, err, book.Failure)
		_, refused := fault.As(err)
		require.False(t, refused)
	}
}
