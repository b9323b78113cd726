package script_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

func TestSubmit_ExecutesCommands(t *testing.T) {
	t.Parallel()
	report, messages := passes(t, `
		H:party "alice" (\(alice: Party) -> H:party "bob" (\(bob: Party) ->
		H:submit alice (H:create alice bob "hello") (\(r: Unit) ->
		H:submit alice (H:exercise (H:created r) H:tear) (\(gone: Unit) ->
		H:submit alice (H:both alice H:tear) (\(first: Unit) ->
		H:submit bob (H:create bob alice "mine") (\(r: Unit) -> H:done ()))))))`)
	require.Equal(t, []ledger.Party{"alice", "bob"}, report.Parties)
	require.Len(t, report.Transactions, 4)
	require.Len(t, report.Contracts, 1, "bob's is left")
	require.Equal(t, []ledger.Party{"bob"}, report.Contracts[0].Signatories)
	require.Equal(t, []string{"torn: old", "torn: old"}, messages)
	require.Len(t, report.Transactions[2].Tree.Nodes, 2, "a create and an exercise")
}

func TestTrySubmit_ReturnsTheError(t *testing.T) {
	t.Parallel()
	_, messages := passes(t, `
		H:party "alice" (\(alice: Party) -> H:party "bob" (\(bob: Party) ->
		H:submit alice (H:create alice alice "secret") (\(r: Unit) ->
		H:expect H:try alice (H:create bob alice "not mine") (\(e: Unit) -> H:sayError e (
		H:expect H:try alice (H:create alice alice "") (\(e: Unit) -> H:sayError e (
		H:expect H:try bob (H:exercise (H:created r) H:tear) (\(e: Unit) -> H:sayError e (
		H:expect H:try alice (H:exercise (H:created r) H:fails) (\(e: Unit) -> H:sayError e (
		H:expect H:mustFail alice (H:exercise (H:created r) H:fails) (\(e: Unit) -> H:sayError e (
		H:submit alice (H:exercise (H:created r) H:tear) (\(gone: Unit) ->
		H:expect H:try alice (H:exercise (H:created r) H:tear) (\(e: Unit) -> H:sayError e (
		H:expect H:try alice (H:create alice alice "fine") (\(e: Unit) -> H:sayError e (
		H:done ()))))))))))))))))))`)
	require.Equal(t, []string{
		"AuthorizationError", "TemplatePreconditionViolated", "NotVisible", "UNHANDLED_EXCEPTION/N:E",
		"UNHANDLED_EXCEPTION/N:E", "torn: old", "NotActive", "succeeded",
	}, messages)
}

func TestSubmit_FailsTheScript(t *testing.T) {
	t.Parallel()
	report := runScript(t, `
		H:party "alice" (\(alice: Party) ->
		H:submit alice (H:create alice alice "hello") (\(r: Unit) ->
		H:submit alice (H:exercise (H:created r) H:fails) (\(gone: Unit) -> H:done ())))`)
	require.NotNil(t, report.Failure)
	require.Equal(t, "UNHANDLED_EXCEPTION/N:E", report.Failure.Code)
	require.Contains(t, report.Failure.Message, "no luck")
	require.Equal(t, "Submit", report.Failure.Question)
	require.Equal(t, []ledger.Party{"alice"}, report.Failure.Submission.ActAs)
	require.Len(t, report.Failure.Submission.Tree.Nodes, 3, "the exercises, and what the inner one created")
	require.Len(t, report.Transactions, 1, "it did not happen")
	require.Len(t, report.Contracts, 1)
}

func TestMustFail_FailsTheScriptOnSuccess(t *testing.T) {
	t.Parallel()
	report := runScript(t, `
		H:party "alice" (\(alice: Party) ->
		H:expect H:mustFail alice (H:create alice alice "hello") (\(e: Unit) -> H:done ()))`)
	require.NotNil(t, report.Failure)
	require.Contains(t, report.Failure.Message, "Expected submit to fail but it succeeded")
	require.Empty(t, report.Transactions, "it does not count")
}

func TestQuery_FindsContractsOfStakeholders(t *testing.T) {
	t.Parallel()
	_, messages := passes(t, `
		H:party "alice" (\(alice: Party) -> H:party "bob" (\(bob: Party) -> H:party "carol" (\(carol: Party) ->
		H:submit alice (H:create alice bob "hello") (\(r: Unit) ->
		H:ask "QueryACS" 1 (H:query bob ()) (\(found: List Unit) -> H:must (EQUAL @Int64 1 (H:count found)) "bob" (
		H:ask "QueryACS" 1 (H:query carol ()) (\(found: List Unit) -> H:must (EQUAL @Int64 0 (H:count found)) "carol" (
		H:ask "QueryInterface" 1 (H:query bob ()) (\(found: List Unit) -> (case T:Tuple2 @Unit @Unit {_2} (H:first found) of
			Some view -> H:say (N:View {text} view) (
		H:ask "QueryInterfaceContractId" 1 (H:query alice (H:created r)) (\(found: Unit) -> (case found of
			Some view -> H:say (N:View {text} view) (
		H:ask "QueryContractId" 1 (H:query carol (H:created r)) (\(found: Unit) -> (case found of
			None -> (
		H:ask "QueryContractId" 1 (H:query bob (H:created r)) (\(found: Unit) -> (case found of Some t -> (
		H:submits (Cons @Unit [H:submission carol (Nil @Party) (Cons @Unit [H:Disclosure {
				templateId = (), contractId = H:created r, blob = T:Tuple3 @Unit @Unit @Unit {_3} t }] (Nil @Unit))
			H:try (Cons @Unit [H:exercise (H:created r) H:tear] (Nil @Unit))] (Nil @Unit))
			(\(all: List Unit) -> H:sayError (H:first all) (H:done ()))))))))))))))))))))))`)
	require.Equal(t, []string{"hello", "hello", "AuthorizationError"}, messages, "a disclosure does not let carol tear it up")
}

func TestReadAs_ShowsContractsWithoutAuthority(t *testing.T) {
	t.Parallel()
	_, messages := passes(t, `
		H:party "alice" (\(alice: Party) -> H:party "bob" (\(bob: Party) ->
		H:submit alice (H:create alice alice "hello") (\(r: Unit) ->
		H:submits (Cons @Unit [H:submission bob (Cons @Party [alice] (Nil @Party)) (Nil @Unit) H:try
			(Cons @Unit [H:exercise (H:created r) H:tear] (Nil @Unit))] (Nil @Unit))
			(\(all: List Unit) -> H:sayError (H:first all) (H:done ())))))`)
	require.Equal(t, []string{"AuthorizationError"}, messages)
}

func TestCatch_CatchesExceptionsAndStatuses(t *testing.T) {
	t.Parallel()
	_, messages := passes(t, `
		H:ask "Catch" 1 (H:Act { act = \(u: Unit) -> H:script (\(u: Unit) ->
			H:ask "Throw" 1 (H:Throw { exc = to_any_exception @N:E (N:E { message = "thrown" }) }) H:done), dummy = () })
			(\(r: Unit) -> (case r of T:Either:Left e -> H:say (ANY_EXCEPTION_MESSAGE e) (
		H:ask "Catch" 1 (H:Act { act = \(u: Unit) -> H:script (\(u: Unit) -> H:done "fine"), dummy = () })
			(\(r: Unit) -> (case r of T:Either:Right e -> H:say e (
		H:ask "TryFailureStatus" 1 (H:Act { act = \(u: Unit) -> H:script (\(u: Unit) ->
			H:ask "FailWithStatus" 1 (H:Status { status = F:FailureStatus { errorId = "ID", category = 9, message = "why",
				meta = TEXTMAP_EMPTY @Text } }) H:done), dummy = () })
			(\(r: Unit) -> (case r of T:Either:Left e -> H:say (F:FailureStatus {message} e) (
		H:ask "TryFailureStatus" 1 (H:Act { act = \(u: Unit) -> H:script (\(u: Unit) ->
			H:ask "Throw" 1 (H:Throw { exc = to_any_exception @N:E (N:E { message = "thrown" }) }) H:done), dummy = () })
			(\(r: Unit) -> (case r of T:Either:Left e -> H:say (F:FailureStatus {errorId} e) (
		H:ask "TryCommands" 1 (H:Act { act = H:script (\(u: Unit) -> H:party "p" (\(p: Party) -> H:party "p" H:done)),
			dummy = () })
			(\(r: Unit) -> (case r of T:Either:Left e -> H:say (T:Tuple3 @Unit @Unit @Unit {_1} e)
				(H:say (T:Tuple3 @Unit @Unit @Unit {_3} e) (H:done ()))))))))))))))))`)
	require.Equal(t, []string{
		"thrown", "fine", "why", "UNHANDLED_EXCEPTION/N:E",
		"a party with the hint \"p\" exists already: choose another hint, or use allocateParty, which adds a number to " +
			"a name that exists",
		"AllocateParty",
	}, messages)
}

func TestSetTime_MovesTheClock(t *testing.T) {
	t.Parallel()
	report, messages := passes(t, `
		H:party "alice" (\(alice: Party) ->
		H:ask "GetTime" 1 (H:Nothing { }) (\(start: Unit) -> H:say (TIMESTAMP_TO_TEXT start) (
		H:ask "SetTime" 1 (H:Time { time = 2030-01-02T00:00:00Z }) (\(x: Unit) ->
		H:submit alice (H:create alice alice "later") (\(r: Unit) ->
		H:ask "SetTime" 1 (H:Time { time = 2020-01-02T00:00:00Z }) (\(x: Unit) ->
		H:expect H:try alice (H:exercise (H:created r) H:tear) (\(e: Unit) -> H:sayError e (H:done ()))))))))`)
	require.Equal(t, []string{"1970-01-01T00:00:00Z", "NotEffective"}, messages)
	require.Equal(t, 2030, report.Contracts[0].CreatedAt.Year())
}

func TestSubmit_RefusesUnknownParties(t *testing.T) {
	t.Parallel()
	_, messages := passes(t, `
		H:party "alice" (\(alice: Party) -> (case TEXT_TO_PARTY "nobody" of Some nobody ->
		H:expect H:try nobody (H:create nobody nobody "x") (\(e: Unit) -> H:sayError e (
		H:expect H:try alice (H:create alice nobody "x") (\(e: Unit) -> H:sayError e (H:done ()))))))`)
	require.Len(t, messages, 2)
	for _, text := range messages {
		require.Contains(t, text, "non-existing PARTIES: nobody")
	}
}

func TestVetting_SelectsPackages(t *testing.T) {
	t.Parallel()
	_, messages := passes(t, `
		H:party "alice" (\(alice: Party) ->
		H:ask "ListVettedPackages" 1 (H:Nothing { }) (\(before: List Unit) ->
		H:ask "UnvetPackages" 1 (H:Packages { packages = Cons @Unit [H:mine] (Nil @Unit) }) (\(x: Unit) ->
		H:ask "ListVettedPackages" 1 (H:Nothing { }) (\(after: List Unit) ->
		H:must (EQUAL @Int64 (H:count before) (ADD_INT64 1 (H:count after))) "one less is vetted" (
		H:expect H:try alice (H:create alice alice "x") (\(e: Unit) -> (case e of T:Either:Left l -> (case l of
			S:SubmitError:UnresolvedPackageName p -> H:say (S:SubmitError.UnresolvedPackageName {packageName} p) (
		H:ask "VetPackages" 1 (H:Packages { packages = Cons @Unit [H:mine] (Nil @Unit) }) (\(x: Unit) ->
		H:expect H:try alice (H:create alice alice "x") (\(e: Unit) -> H:sayError e (H:done ()))))))))))))`)
	require.Equal(t, []string{"test", "succeeded"}, messages)
}

func TestUsers_GrantAndRevokeRights(t *testing.T) {
	t.Parallel()
	_, messages := passes(t, `
		H:party "alice" (\(alice: Party) ->
		H:ask "CreateUser" 1 (H:user "ann" (Nil @Unit)) (\(made: Unit) -> H:sayHas made (
		H:ask "CreateUser" 1 (H:user "ann" (Nil @Unit)) (\(made: Unit) -> H:sayHas made (
		H:ask "GrantUserRights" 1 (H:user "ann" (Cons @Unit [U:UserRight:CanActAs alice] (Nil @Unit))) (\(r: Unit) ->
		H:ask "GrantUserRights" 1 (H:user "ann" (Cons @Unit [U:UserRight:CanActAs alice, U:UserRight:ParticipantAdmin ()]
			(Nil @Unit))) (\(r: Unit) -> H:sayCount r (
		H:ask "ListUserRights" 1 (H:user "ann" (Nil @Unit)) (\(r: Unit) -> H:sayCount r (
		H:ask "RevokeUserRights" 1 (H:user "ann" (Cons @Unit [U:UserRight:CanActAs alice] (Nil @Unit))) (\(r: Unit) ->
		H:sayCount r (
		H:ask "ListAllUsers" 1 (H:user "" (Nil @Unit)) (\(all: List Unit) -> H:sayCount (Some @Unit all) (
		H:ask "DeleteUser" 1 (H:user "ann" (Nil @Unit)) (\(r: Unit) -> H:sayHas r (
		H:ask "GetUser" 1 (H:user "ann" (Nil @Unit)) (\(r: Unit) -> H:sayHas r (
		H:ask "ValidateUserId" 1 (H:user "a b" (Nil @Unit)) (\(r: Unit) -> H:sayHas r (H:done ()))))))))))))))))))))`)
	require.Equal(t, []string{"some", "none", "1", "2", "1", "1", "some", "none", "some"}, messages)
}

func TestSecp256k1_SignsMessages(t *testing.T) {
	t.Parallel()
	_, messages := passes(t, `
		H:ask "Secp256k1GenerateKeyPair" 1 (H:Nothing { }) (\(pair: Unit) ->
		H:ask "Secp256k1Sign" 1 (H:Key { privateKey = K:Secp256k1KeyPair {privateKey} pair, message = "00ff" })
			(\(signature: Text) -> H:say signature (
		H:ask "Secp256k1WithEcdsaSign" 1 (H:Key { privateKey = K:Secp256k1KeyPair {privateKey} pair,
				message = SHA256_HEX "00ff" }) (\(signature: Text) -> H:say signature (H:done ())))))`)
	require.Len(t, messages, 2)
	require.Equal(t, messages[0], messages[1], "the digest is what is signed")
}

func TestScript_FailsOnUnknownQuestionsAndEndlessLoops(t *testing.T) {
	t.Parallel()
	report := runScript(t, `H:ask "Guess" 1 (H:Nothing { }) H:done`)
	require.Contains(t, report.Failure.Message, "Guess 1")
	report = runScript(t, `H:ask "GetTime" 2 (H:Nothing { }) H:done`)
	require.Contains(t, report.Failure.Message, "GetTime 2")
	report = runScript(t, `H:ask "SetTime" 1 (H:Nothing { }) H:done`)
	require.Contains(t, report.Failure.Message, "lacks the field time")
	report = runScript(t, `H:forever ()`)
	require.Contains(t, report.Failure.Message, "asks more than 100000 questions")
}

func TestQueryByKey_FindsContracts(t *testing.T) {
	t.Parallel()
	report, messages := passes(t, `
		H:party "alice" (\(alice: Party) -> H:party "bob" (\(bob: Party) ->
		H:ask "QueryByKey" 2 (H:queryKey alice alice) (\(found: Unit) -> H:sayHas found (
		H:submit alice (H:badge alice "red") (\(r: Unit) -> H:submit alice (H:badge alice "blue") (\(r: Unit) ->
		H:ask "QueryByKey" 2 (H:queryKey alice alice) (\(found: Unit) -> H:sayHas found (
		H:ask "QueryNByKey" 1 (H:queryKey alice alice) (\(found: List Unit) -> H:sayCount (Some @Unit found) (
		H:ask "QueryNByKey" 1 (H:queryKey bob alice) (\(found: List Unit) -> H:sayCount (Some @Unit found) (
		H:submit alice (H:byKey alice) (\(r: Unit) -> (case r of C:CommandResult:ExerciseResult color -> H:say color (
		H:expect H:try bob (H:byKey alice) (\(e: Unit) -> (case e of T:Either:Left l -> (case l of
			S:SubmitError:ContractKeyNotFound x -> H:say (N:Key {name} (C:AnyContractKey {getAnyContractKey}
				(S:SubmitError.ContractKeyNotFound {contractKey} x))) (H:done ())))))))))))))))))))`)
	require.Equal(t, []string{"none", "some", "2", "0", "blue", "b"}, messages, "the newest comes first")
	require.Len(t, report.Contracts, 1)
}
