package fault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
)

func TestFault_JSONOmitsTheHiddenError(t *testing.T) {
	t.Parallel()
	secret := errors.New("password of the database")
	want := fault.ContractNotFoundWithID("00ab").
		With("k", "v").WithResource("TEMPLATE_ID", "pkg:M:T").WithHint("Look again.").WithDefiniteAnswer(false).
		Wrap(secret)
	require.ErrorIs(t, want, secret)
	encoded, err := json.Marshal(want)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"code": "CONTRACT_NOT_FOUND", "category": 11, "cause": "Contract could not be found with id 00ab",
		"context": {"k": "v"}, "resources": [["CONTRACT_ID", "00ab"], ["TEMPLATE_ID", "pkg:M:T"]],
		"hint": "Look again.", "definiteAnswer": false
	}`, string(encoded))
	require.NotContains(t, want.Error(), "password")
	require.Equal(t, "password of the database", fault.Hidden(fmt.Errorf("starting: %w", want)))
	require.Equal(t, "starting: "+want.Error()+" (password of the database)", fault.Full(fmt.Errorf("starting: %w", want)))
	parseError := fault.DARParseError.New("The file is not a zip archive: %s", secret).Wrap(secret)
	require.Equal(t, "DAR_PARSE_ERROR: The file is not a zip archive: password of the database", fault.Full(parseError))
	require.Empty(t, fault.Hidden(secret))
	require.Equal(t, secret.Error(), fault.Full(secret))

	var got fault.Fault
	require.NoError(t, json.Unmarshal(encoded, &got))
	require.NoError(t, got.Unwrap())
	require.Equal(t, want.Wrap(nil), &got)
}

// contract: error-resources
func TestResource_IsAPair(t *testing.T) {
	t.Parallel()
	var r fault.Resource
	require.ErrorContains(t, json.Unmarshal([]byte(`["USER"]`), &r), "1 parts")
	require.ErrorContains(t, json.Unmarshal([]byte(`["USER","a","b"]`), &r), "3 parts")
	require.Error(t, json.Unmarshal([]byte(`{"type":"USER"}`), &r))
}

// A refusal is short enough to store one with every submission of a batch.
func TestFault_BoundsItsCause(t *testing.T) {
	t.Parallel()
	f := fault.DamlAuthorizationError.New("requires %s", strings.Repeat("ä", 30_000))
	require.LessOrEqual(t, len(f.Cause), 4096)
	require.True(t, strings.HasSuffix(f.Cause, "ä..."), "it is cut between characters")
	require.True(t, utf8.ValidString(f.Cause))
}

func TestInternal_HidesTheError(t *testing.T) {
	t.Parallel()
	secret := errors.New("connection refused")
	f := fault.Internal(secret)
	require.ErrorIs(t, f, secret)
	require.Equal(t, 500, f.HTTP())
	require.True(t, f.Redacted())
	require.NotContains(t, f.Error(), "refused")
}

func TestFrom_FindsTheFaultOrHidesTheError(t *testing.T) {
	t.Parallel()
	require.Nil(t, fault.From(nil))
	inner := fault.UserNotFoundWhen("getting user", "alice")
	require.Same(t, inner, fault.From(fmt.Errorf("wrapped: %w", inner)))
	plain := errors.New("plain")
	require.ErrorIs(t, fault.From(plain), plain)
	require.True(t, fault.LedgerAPIInternalError.Matches(fault.From(plain)))
}

func TestAs_RefusesATypedNil(t *testing.T) {
	t.Parallel()
	var none *fault.Fault
	_, ok := fault.As(fmt.Errorf("wrapped: %w", error(none)))
	require.False(t, ok)
}

// contract: error-definite
func TestMetadata_HasCategoryAndDefiniteAnswer(t *testing.T) {
	t.Parallel()
	f := fault.MissingFieldNamed("command_id")
	require.Equal(t, map[string]string{
		"category": "8", "definite_answer": "false", "field_name": "command_id", "hint": f.Hint,
	}, f.Metadata())
	f.Metadata()["field_name"] = "changed"
	require.Equal(t, "command_id", f.Context["field_name"])
	require.Equal(t, map[string]string{"category": "9", "definite_answer": "true"},
		fault.Inconsistent.New("x").WithHint("").WithDefiniteAnswer(true).Metadata())
}

func TestFault_CutsItsCauseBetweenCharacters(t *testing.T) {
	t.Parallel()
	exact := fault.InvalidArgument.New("%s", strings.Repeat("a", 512))
	require.Equal(t, exact.Cause, exact.ShortCause())
	long := fault.InvalidArgument.New("%s", strings.Repeat("é", 300)).ShortCause()
	require.Equal(t, strings.Repeat("é", 254)+"...", long)
	require.LessOrEqual(t, len(long), 512)
}

func TestFault_KeepsUpstreamTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault     *fault.Fault
		text      string
		context   map[string]string
		resources []fault.Resource
	}{
		{
			fault: fault.InvalidArgumentf("party %q is malformed", "x"),
			text:  `INVALID_ARGUMENT: The submitted request has invalid arguments: party "x" is malformed`,
		},
		{
			fault:   fault.MissingFieldNamed("act_as"),
			text:    "MISSING_FIELD: The submitted command is missing a mandatory field: act_as",
			context: map[string]string{"field_name": "act_as"},
		},
		{
			fault: fault.InvalidFieldNamed("user_id", "100% wrong"),
			text: "INVALID_FIELD: The submitted command has a field with invalid value: " +
				"Invalid field user_id: 100% wrong",
		},
		{
			fault: fault.MissingUserID("the token has none"),
			text:  "INVALID_TOKEN: The submitted request is missing a user-id: the token has none",
		},
		{
			fault: fault.NegativeOffsetIn("begin_exclusive", -3),
			text:  "NEGATIVE_OFFSET: Offset -3 in begin_exclusive is a negative integer",
		},
		{
			fault: fault.NonPositiveOffsetIn("offset", 0),
			text:  "NON_POSITIVE_OFFSET: Offset 0 in offset is not a positive integer",
		},
		{
			fault: fault.OffsetAfterEnd("Begin", 9, 7),
			text:  "OFFSET_AFTER_LEDGER_END: Begin offset (9) is after ledger end (7)",
		},
		{
			fault:   fault.PrunedDataAccessed(3, 5),
			text:    "PARTICIPANT_PRUNED_DATA_ACCESSED: Offset 3 is before the earliest offset that has not been pruned, 5",
			context: map[string]string{"earliest_offset": "5"},
		},
		{
			fault:     fault.UnknownParties("a::1", "b::2"),
			text:      "UNKNOWN_RESOURCE: The submitted request refers to a non-existing PARTIES: a::1, b::2",
			resources: []fault.Resource{{Type: "PARTIES", Value: "a::1,b::2"}},
		},
		{
			fault:     fault.UpdateNotFoundAt("OFFSET", "12"),
			text:      "UPDATE_NOT_FOUND: Update not found, or not visible.",
			resources: []fault.Resource{{Type: "OFFSET", Value: "12"}},
		},
		{
			fault: fault.IdentifiersNotFound([]string{"p:M:T"}, []string{"p:M:I", "p:M:J"}),
			text: "TEMPLATES_OR_INTERFACES_NOT_FOUND: Templates do not exist: [p:M:T]. " +
				"Interfaces do not exist: [p:M:I, p:M:J].",
			resources: []fault.Resource{
				{Type: "TEMPLATE_ID", Value: "p:M:T"},
				{Type: "INTERFACE_ID", Value: "p:M:I"},
				{Type: "INTERFACE_ID", Value: "p:M:J"},
			},
		},
		{
			fault: fault.ListLimitReached(201, 200),
			text: "JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: " +
				"The number of matching elements (201) is greater than the node limit (200).",
		},
		{
			fault: fault.DuplicateOf("change", "submission", 41),
			text:  "DUPLICATE_COMMAND: Command submission already exists.",
			context: map[string]string{
				"changeId": "change", "existingSubmissionId": "Some(submission)", "completion_offset": "41", "accepted": "true",
			},
		},
		{
			fault: fault.AlreadyInFlight("change", "submission", "global::12"),
			text:  "SUBMISSION_ALREADY_IN_FLIGHT: The submission is already in-flight",
			context: map[string]string{
				"changeId": "change", "existingSubmissionId": "Some(submission)",
				"existingSubmissionSynchronizerId": "global::12",
			},
		},
		{
			fault: fault.UserFailure(8, "example.org/too-many", "too many", map[string]string{"limit": "3"}),
			text: "DAML_FAILURE: Interpretation error: Error: User failure: example.org/too-many " +
				"(error category 8): too many",
			context: map[string]string{"error_id": "example.org/too-many", "limit": "3"},
		},
		{
			fault:     fault.UserAlreadyExistsNamed("alice-app"),
			text:      `USER_ALREADY_EXISTS: creating user failed, as user "alice-app" already exists`,
			resources: []fault.Resource{{Type: "USER", Value: "alice-app"}},
		},
		{
			fault:     fault.PartyNotFoundWhen("updating participant party", "a::1"),
			text:      "PARTY_NOT_FOUND: Party: 'a::1' was not found when updating participant party",
			resources: []fault.Resource{{Type: "PARTY", Value: "a::1"}},
		},
	} {
		t.Run(c.fault.Code, func(t *testing.T) {
			t.Parallel()
			require.EqualError(t, c.fault, c.text)
			require.Equal(t, c.context, c.fault.Context)
			require.Equal(t, c.resources, c.fault.Resources)
			require.NotEmpty(t, c.fault.Hint)
		})
	}
}

func TestUserFailure_TakesTheCategoryOfTheContract(t *testing.T) {
	t.Parallel()
	f := fault.UserFailure(fault.InvalidGivenCurrentSystemStateResourceMissing, "id", "text", nil)
	require.Equal(t, 404, f.HTTP())
	require.Equal(t, int32(5), f.Status("").Code)
	require.Equal(t, "11", f.Metadata()["category"])
	require.True(t, *fault.DuplicateOf("", "", 1).DefiniteAnswer)
}
