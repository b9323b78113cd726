package packages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi/packages"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// picky is a version of the notes that passes the check of upgrades, and cannot use some of the stored notes: it refuses
// the text "refused", moves the signature of "moved", and loops or fails for two others.
func picky(version string) string {
	text := "(N:Note {text} this)"
	return strings.NewReplacer(
		"precondition True", `precondition case EQUAL @Text `+text+` "refused" of True -> False | False -> True`,
		"signatories N:one (N:Note {owner} this)", `signatories case EQUAL @Text `+text+` "moved" of
			True -> N:one (N:Note {reader} this) | False -> case EQUAL @Text `+text+` "failing" of
			True -> ERROR @(List Party) "no signatories" | False -> N:one (N:Note {owner} this)`,
		"val one:", `val loop: Party -> List Party = \(p: Party) -> N:loop p;
			val one:`,
		"observers N:one (N:Note {reader} this)", `observers case EQUAL @Text `+text+` "endless" of
			True -> N:loop (N:Note {reader} this) | False -> N:one (N:Note {reader} this)`,
	).Replace(dartest.Notes("notes", version, ", mood: Optional Text"))
}

// writeNotes creates notes with these texts.
func writeNotes(s *apitest.Server, alice, reader ledger.Party, texts ...string) {
	var commands []string
	for _, text := range texts {
		commands = append(commands, fmt.Sprintf(`{"CreateCommand":{"templateId":"#notes:N:Note","createArguments":
			{"owner":%q,"reader":%q,"text":%q}}}`, alice, reader, text))
	}
	s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", fmt.Sprintf(
		`{"commandId":%q,"actAs":[%q],"commands":[%s]}`, strings.Join(texts, "-"), alice, strings.Join(commands, ","))).OK(nil)
}

func checkContracts(s *apitest.Server, dar []byte, after string) (answer packages.ValidateDARResponse) {
	s.Call(apitest.Admin, http.MethodPost, "/v2/dars/validate?activeContracts=true&contractsAfter="+after, string(dar)).
		OK(&answer)
	return answer
}

func TestValidateDAR_ListsContractsThatAVersionCannotUse(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, bob := s.Party("alice"), s.Party("bob")
	s.ActingAs("alice", alice)
	first, second := dartest.Build(t, dartest.Notes("notes", "1.0.0", "")), dartest.Build(t, picky("2.0.0"))
	require.Empty(t, checkContracts(s, first, "").Templates, "a new package")
	upload(s, "/v2/dars", first)
	require.Empty(t, checkContracts(s, second, "").Templates, "no contracts")
	writeNotes(s, alice, bob, "plain", "refused", "moved", "moved", "endless", "failing")
	before := end(t, s)

	answer := checkContracts(s, second, "")
	require.Nil(t, answer.ContinueAfter)
	require.Len(t, answer.Templates, 1)
	found := answer.Templates[0]
	require.Equal(t, "notes", found.PackageName)
	require.Equal(t, string(dartest.Compile(t, picky("2.0.0")).ID)+":N:Note", found.TemplateID.String())
	require.EqualValues(t, 6, found.Contracts)
	require.EqualValues(t, 5, found.Unreadable)
	counts := map[string]int64{}
	for _, reason := range found.Reasons {
		counts[reason.Code] = reason.Contracts
		_, known, err := s.DB.Contract(t.Context(), ledger.ContractID(reason.ExampleContractID))
		require.NoError(t, err)
		require.True(t, known, "%+v", reason)
	}
	require.Equal(t, map[string]int64{
		"TEMPLATE_PRECONDITION_VIOLATED": 1, "INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED": 2,
		"INTERPRETATION_TIME_EXCEEDED": 1, "INTERPRETATION_USER_ERROR": 1,
	}, counts)
	require.Equal(t, before, end(t, s), "nothing is written")

	// The same errors, for commands after the upload.
	upload(s, "/v2/dars", second)
	for _, reason := range found.Reasons {
		s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", fmt.Sprintf(`{"commandId":%q,"actAs":[%q],
			"commands":[{"ExerciseCommand":{"templateId":"#notes:N:Note","contractId":%q,"choice":"Archive",
			"choiceArgument":{}}}]}`, reason.Code, alice, reason.ExampleContractID)).Refused(http.StatusBadRequest, reason.Code)
	}
	require.Empty(t, checkContracts(s, second, "").Templates, "the name stands for it already")
	require.Empty(t, checkContracts(s, dartest.Build(t, picky("1.5.0")), "").Templates, "it stands for a newer one")
}

func TestValidateDAR_ChecksAnUnvettedVersionOfTheLedger(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, bob := s.Party("alice"), s.Party("bob")
	s.ActingAs("alice", alice)
	upload(s, "/v2/dars", dartest.Build(t, dartest.Notes("notes", "1.0.0", "")))
	writeNotes(s, alice, bob, "plain", "refused")
	second := dartest.Build(t, picky("2.0.0"))
	upload(s, "/v2/dars?vetAllPackages=false", second)
	require.EqualValues(t, 1, checkContracts(s, second, "").Templates[0].Unreadable)
}

// A few contracts that loop use up the steps of a call.
func TestValidateDAR_ContinuesAfterItsLimit(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, bob := s.Party("alice"), s.Party("bob")
	s.ActingAs("alice", alice)
	upload(s, "/v2/dars", dartest.Build(t, dartest.Notes("notes", "1.0.0", "")))
	writeNotes(s, alice, bob, "endless", "endless", "endless", "endless", "endless", "refused")
	second := dartest.Build(t, picky("2.0.0"))
	answer := checkContracts(s, second, "")
	require.NotNil(t, answer.ContinueAfter)
	require.EqualValues(t, 4, answer.Templates[0].Contracts)
	rest := checkContracts(s, second, *answer.ContinueAfter)
	require.Nil(t, rest.ContinueAfter)
	require.EqualValues(t, 2, rest.Templates[0].Contracts)
	require.EqualValues(t, 2, rest.Templates[0].Unreadable)
	for _, wrong := range []string{"x", "1", "-1-2", "1-2-3", "99999999999999999999-1"} {
		s.Call(apitest.Admin, http.MethodPost, "/v2/dars/validate?activeContracts=true&contractsAfter="+wrong,
			string(second)).Refused(http.StatusBadRequest, "INVALID_FIELD")
	}
}
