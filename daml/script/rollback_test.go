package script_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/daml/script"
)

// regretful is a module with a contract that creates a note, throws, catches the exception, and then may fail.
const regretful = `
module X {
	record Regret = { reader: Party, fails: Bool };
	record Regretful = { owner: Party };
	template (this: Regretful) = {
		signatories Cons @Party [X:Regretful {owner} this] (Nil @Party);
		observers Nil @Party;
		choice @nonConsuming Regret (self) (arg: X:Regret): Text
			, controllers Cons @Party [X:Regretful {owner} this] (Nil @Party)
			to ubind caught: Text <- try @Text (ubind c: ContractId N:Note <- create @N:Note (N:Note {
						owner = X:Regretful {owner} this, reader = X:Regret {reader} arg, text = "regretted" })
					in throw @(Update Text) @N:E (N:E { message = "no" }))
				catch e -> Some @(Update Text) (upure @Text "caught")
			in case X:Regret {fails} arg of True -> ERROR @(Update Text) "fails" | False -> upure @Text caught;
	};
	val regret: Party -> Party -> Bool -> Unit = \(owner: Party) (reader: Party) (fails: Bool) ->
		H:meta (H:Command:CreateAndExercise (H:Both {
			tplArgCE = A:AnyTemplate { getAnyTemplate = to_any @X:Regretful (X:Regretful { owner = owner }) },
			choiceArgCE = A:AnyChoice { getAnyChoice = to_any @X:Regret (X:Regret { reader = reader, fails = fails }),
				getAnyChoiceTemplateTypeRep = H:rep (type_rep @X:Regretful) } }));
}`

func TestRollback_UndoesEffectsAndReportsThem(t *testing.T) {
	t.Parallel()
	const parties = `H:party "alice" (\(alice: Party) -> H:party "bob" (\(bob: Party) -> `
	report := runWith(t.Context(), t, regretful, parties+`H:submit alice (X:regret alice bob False) H:done))`,
		script.Options{})
	require.Nil(t, report.Failure)
	require.Len(t, report.Contracts, 1, "the note is gone")
	require.Len(t, report.Transactions[0].Tree.Nodes, 2)

	report = runWith(t.Context(), t, regretful, parties+`H:submit alice (X:regret alice bob True) H:done))`,
		script.Options{})
	require.NotNil(t, report.Failure)
	nodes := report.Failure.Submission.Tree.Nodes
	require.Len(t, nodes, 4)
	require.Equal(t, engine.Rollback, nodes[2].Kind)

	report = runWith(t.Context(), t, regretful, `H:party "alice" (\(alice: Party) -> (case TEXT_TO_PARTY "nobody" of
		Some nobody -> H:submit alice (X:regret alice nobody False) H:done))`, script.Options{})
	require.NotNil(t, report.Failure)
	require.Contains(t, report.Failure.Message, "non-existing PARTIES: nobody", "an informee of what was taken back")
}
