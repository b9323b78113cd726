package ledgerapi_test

import (
	"context"
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// stub is a submitter that records its submissions.
type stub struct {
	submissions []ledger.Submission
	completion  ledger.Completion
	err         error
	// stuck never answers before ctx ends.
	stuck bool
}

func (s *stub) Submit(ctx context.Context, submission ledger.Submission) error {
	_, err := s.SubmitAndWait(ctx, submission)
	return err
}

func (s *stub) SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	s.submissions = append(s.submissions, submission)
	if s.stuck {
		<-ctx.Done()
		return ledger.Completion{}, ctx.Err()
	}
	return s.completion, s.err
}

// contract: submit-workflow-id, submit-submission-id, submit-prefetch, submit-answer, submit-deduplication-kinds
// contract: submit-min-time-abs, submit-preference, submit-kinds
func TestSubmission_PassesEveryField(t *testing.T) {
	t.Parallel()
	submitter := &stub{}
	b := newBundle(t, apitest.Options{Submitter: submitter})
	b.ActingAs("both", b.alice, b.bob)
	before := time.Now().Add(-time.Second)
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	answer := b.Send(http.MethodPost, "/v2/commands/async/submit", http.Header{
		"Authorization": {"Bearer " + apitest.Token(t, "both")}, "Traceparent": {trace}, "Tracestate": {"a=b"},
	}, fields{
		"commands": []fields{
			b.create("one"),
			{"CreateAndExerciseCommand": fields{
				"templateId": apitest.NoteTemplateID, "choice": "Inspect", "choiceArgument": nil,
				"createArguments": fields{"owner": b.alice, "readers": []string{}, "label": "two", "amount": 1},
			}},
			{"ExerciseByKeyCommand": fields{
				"templateId": apitest.NoteTemplate, "contractKey": fields{"owner": b.alice, "label": "one"},
				"choice": "Archive", "choiceArgument": fields{},
			}},
		},
		"commandId": "cmd-1", "submissionId": "sub-1", "userId": "both", "workflowId": "wf-1",
		"actAs": []ledger.Party{b.bob, b.alice, b.bob}, "readAs": []ledger.Party{b.alice, b.bob},
		"deduplicationPeriod": fields{"DeduplicationOffset": fields{"value": "41"}},
		"minLedgerTimeAbs":    "2026-03-01T10:00:00.123456789Z", "synchronizerId": b.Node.SynchronizerID,
		"packageIdSelectionPreference": []string{apitest.NotePackage},
		"prefetchContractKeys": []fields{{
			"templateId": apitest.NoteTemplate, "contractKey": fields{"owner": b.alice, "label": "one"},
		}},
		"tapsMaxPasses": 4, "applicationId": "an older field",
	})
	answer.OK(nil)
	require.Equal(t, "{}", answer.Text)

	got := submitter.submissions[0]
	require.Len(t, got.Key, 36)
	require.WithinRange(t, got.ReceivedAt, before, time.Now())
	require.Equal(t, ledger.Submission{
		Key: got.Key, ReceivedAt: got.ReceivedAt, Kind: ledger.KindCommand, Admission: ledger.AdmittedToAct,
		Identity: ledger.DefaultUser("both"), CommandID: "cmd-1", SubmissionID: "sub-1", WorkflowID: "wf-1",
		ActAs: []ledger.Party{b.alice, b.bob}, ReadAs: []ledger.Party{b.alice, b.bob},
		Deduplication: &ledger.DeduplicationPeriod{Offset: new(ledger.Offset(41))},
		MinLedgerTime: new(time.Date(2026, 3, 1, 10, 0, 0, 123456000, time.UTC)),
		Preference:    []lf.PackageID{apitest.NotePackage},
		Trace:         ledger.TraceContext{Traceparent: trace, Tracestate: "a=b"}, Commands: got.Commands,
	}, got)
	note := lf.TypeName{Package: apitest.NotePackage, Module: "Api.Test", Entity: "Note"}
	require.Equal(t, note, got.Commands[0].Create.Template, "names are resolved to ids")
	require.JSONEq(t, `{"owner":"`+string(b.alice)+`","readers":[],"label":"one","amount":"1.5000000000"}`,
		string(got.Commands[0].Create.Argument), "arguments are canonical")
	require.JSONEq(t, `{}`, string(got.Commands[1].CreateAndExercise.ChoiceArgument))
	require.Equal(t, "Archive", got.Commands[2].ExerciseByKey.Choice)
}

// contract: submit-user, submit-submission-id, submit-min-time-rel, submit-deduplication-kinds
func TestSubmission_FillsDefaults(t *testing.T) {
	t.Parallel()
	submitter := &stub{}
	b := newBundle(t, apitest.Options{Submitter: submitter})
	for _, body := range []fields{
		b.submission("a", b.create("x")),
		b.submission("b", b.create("x")).with(fields{
			"deduplicationPeriod": fields{"Empty": fields{}}, "submissionId": "", "userId": "", "readAs": []string{},
		}),
	} {
		b.Call("alice", http.MethodPost, "/v2/commands/async/submit", body).OK(nil)
	}
	for _, got := range submitter.submissions {
		require.Len(t, got.SubmissionID, 36)
		require.Equal(t, "alice", got.UserID)
		require.Nil(t, got.Deduplication)
		require.Nil(t, got.MinLedgerTime)
		require.Regexp(t, "^00-[0-9a-f]{32}-[0-9a-f]{16}-01$", got.Trace.Traceparent)
	}
	require.NotEqual(t, submitter.submissions[0].SubmissionID, submitter.submissions[1].SubmissionID)

	relative := b.submission("c", b.create("x")).with(fields{
		"minLedgerTimeRel":    fields{"seconds": 30},
		"deduplicationPeriod": fields{"DeduplicationDuration": fields{"value": fields{"seconds": 1, "nanos": 5000}}},
	})
	b.Call("alice", http.MethodPost, "/v2/commands/async/submit", relative).OK(nil)
	got := submitter.submissions[2]
	require.Equal(t, got.ReceivedAt.Add(30*time.Second), *got.MinLedgerTime)
	require.Equal(t, time.Second+5*time.Microsecond, *got.Deduplication.Duration)
}

// TestSubmission_RefusesInvalidRequests follows the documented order of checks, a to y.
//
// contract: submit-commands, submit-command-id, submit-min-time-both, submit-synchronizer, submit-taps, submit-act-as
// contract: submit-durations
func TestSubmission_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	good := b.submission("cmd", b.create("x"))
	command := func(template, choice string, argument any) fields {
		return fields{"commands": []fields{{"CreateAndExerciseCommand": fields{
			"templateId": template, "createArguments": b.create("y")["CreateCommand"].(fields)["createArguments"],
			"choice": choice, "choiceArgument": argument,
		}}}}
	}
	argument := func(change fields) fields {
		create := b.create("y")["CreateCommand"].(fields)
		changed := create.with(fields{"createArguments": create["createArguments"].(fields).with(change)})
		return fields{"commands": []fields{{"CreateCommand": changed}}}
	}
	onContract := func(id string) fields { return fields{"commands": []fields{exercise(id, "Inspect", fields{})}} }
	for name, test := range map[string]struct {
		change fields
		status int
		code   string
		cause  string
	}{
		"e: no actAs": {fields{"actAs": []string{}}, 400, "MISSING_FIELD", "act_as/actAs"},
		"e before f":  {command("#x:A:B", "C", nil).with(fields{"actAs": []string{}}), 400, "MISSING_FIELD", "act_as/actAs"},
		"f: an unknown package name": {
			command("#nope:Api.Test:Note", "Inspect", nil), 400, "JSON_API_PACKAGE_SELECTION_FAILED", "nope",
		},
		"f: a malformed package name": {command("###x:Api.Test:Note", "Inspect", nil), 400, "INVALID_ARGUMENT", "##x"},
		"g: an unknown package id": {
			command(strings.Repeat("b", 64)+":Api.Test:Note", "Inspect", nil), 404, "TEMPLATES_OR_INTERFACES_NOT_FOUND",
			"Templates do not exist: [" + strings.Repeat("b", 64) + ":Api.Test:Note].",
		},
		"g: an unknown template": {
			command("#api-test:Api.Test:Nota", "Inspect", nil), 404, "TEMPLATES_OR_INTERFACES_NOT_FOUND", "Nota",
		},
		"h: an unknown choice": {command(apitest.NoteTemplate, "Fly", nil), 400, "INVALID_ARGUMENT", `"Fly"`},
		"i: a missing field": {
			argument(fields{"owner": nil}), 400, "COMMAND_PREPROCESSING_FAILED", "Missing non-optional field",
		},
		"i: an unexpected field": {argument(fields{"more": 1}), 400, "INVALID_ARGUMENT", "Unexpected field"},
		"i: another kind":        {argument(fields{"label": 1}), 400, "INVALID_ARGUMENT", "label"},
		"i: too many digits":     {argument(fields{"amount": "0.12345678901"}), 400, "INVALID_ARGUMENT", "amount"},
		"i before j": {
			command(apitest.NoteTemplate, "Fly", nil).with(fields{"userId": "bob"}), 400, "INVALID_ARGUMENT", "Fly",
		},
		"j: another user":         {fields{"userId": "bob"}, 403, "NA", ""},
		"k: acting as another":    {fields{"actAs": []ledger.Party{b.alice, b.bob}}, 403, "NA", ""},
		"k: reading as another":   {fields{"readAs": []ledger.Party{b.bob}}, 403, "NA", ""},
		"k: a malformed party":    {fields{"actAs": []string{"a$b"}}, 403, "NA", ""},
		"k before l":              {fields{"readAs": []ledger.Party{b.bob}, "workflowId": "$"}, 403, "NA", ""},
		"l: a bad workflow id":    {fields{"workflowId": "a$b"}, 400, "INVALID_ARGUMENT", "workflow_id"},
		"l before n":              {fields{"workflowId": "a$b", "commandId": ""}, 400, "INVALID_ARGUMENT", "workflow_id"},
		"n: no command id":        {fields{"commandId": ""}, 400, "MISSING_FIELD", "mandatory field: command_id"},
		"n: a bad command id":     {fields{"commandId": "ü"}, 400, "INVALID_FIELD", "Invalid field command_id"},
		"n: a long command id":    {fields{"commandId": strings.Repeat("x", 256)}, 400, "INVALID_FIELD", "command_id"},
		"o: a bad submission id":  {fields{"submissionId": "a$b"}, 400, "INVALID_FIELD", "Invalid field submission_id"},
		"q: a bad synchronizer":   {fields{"synchronizerId": "x"}, 400, "INVALID_FIELD", "synchronizer_id"},
		"q: another synchronizer": {fields{"synchronizerId": "x::1220"}, 400, "NOT_CONNECTED_TO_SYNCHRONIZER", "x::1220"},
		"r: no commands":          {fields{"commands": []fields{}}, 400, "MISSING_FIELD", "mandatory field: commands"},
		"s: no contract id":       {onContract(""), 400, "MISSING_FIELD", "mandatory field: contract_id"},
		"s: a bad contract id":    {onContract("0001"), 400, "INVALID_FIELD", "Invalid field contract_id"},
		"t: both minimum times": {
			fields{"minLedgerTimeAbs": "2026-03-01T10:00:00Z", "minLedgerTimeRel": fields{"seconds": 1}},
			400, "INVALID_ARGUMENT", "at the same time",
		},
		"t: before all time": {
			fields{"minLedgerTimeAbs": "0000-01-01T00:00:00Z"}, 400, "INVALID_ARGUMENT", "years 0001 to 9999",
		},
		"t: after all time": {
			fields{"minLedgerTimeRel": fields{"seconds": 1 << 62}}, 400, "INVALID_ARGUMENT", "years 0001 to 9999",
		},
		"t: too far ahead": {
			fields{"minLedgerTimeAbs": "9999-01-01T00:00:00Z"}, 400, "INVALID_ARGUMENT", "at most 24h0m0s",
		},
		"t: too far from now": {
			fields{"minLedgerTimeRel": fields{"seconds": 24*3600 + 1}}, 400, "INVALID_ARGUMENT", "at most 24h0m0s",
		},
		"u: a negative duration": {
			fields{"deduplicationPeriod": fields{"DeduplicationDuration": fields{"value": fields{"seconds": -1}}}},
			400, "INVALID_FIELD", "Invalid field deduplication_period: Duration must be positive",
		},
		"u: a duration beyond all": {
			fields{"deduplicationPeriod": fields{"DeduplicationDuration": fields{
				"value": fields{"seconds": int64(math.MaxInt64)},
			}}},
			400, "INVALID_FIELD", "Duration must be at most 9223372033 seconds (292 years), but is 9223372036854775807",
		},
		"u: a duration just too long": {
			fields{"deduplicationPeriod": fields{"DeduplicationDuration": fields{"value": fields{"seconds": 9223372034}}}},
			400, "INVALID_FIELD", "Duration must be at most 9223372033 seconds (292 years), but is 9223372034",
		},
		"u: a duration before all": {
			fields{"deduplicationPeriod": fields{"DeduplicationDuration": fields{
				"value": fields{"seconds": int64(math.MinInt64), "nanos": math.MinInt32},
			}}},
			400, "INVALID_FIELD", "Duration must be positive",
		},
		"u: a negative offset": {
			fields{"deduplicationPeriod": fields{"DeduplicationOffset": fields{"value": -1}}},
			400, "NEGATIVE_OFFSET", "Offset -1 in deduplication_period",
		},
		"w: a malformed preference": {
			fields{"packageIdSelectionPreference": []string{"$"}}, 400, "INVALID_ARGUMENT", "package id",
		},
		"w: an unknown preference": {
			fields{"packageIdSelectionPreference": []string{"abc"}}, 400, "INVALID_ARGUMENT", "abc",
		},
		"x: an unknown template": {
			fields{"prefetchContractKeys": []fields{{"templateId": "#api-test:Api.Test:Nota", "contractKey": 1}}},
			404, "TEMPLATES_OR_INTERFACES_NOT_FOUND", "Nota",
		},
		"x: another key": {
			fields{"prefetchContractKeys": []fields{{"templateId": apitest.NoteTemplate, "contractKey": fields{}}}},
			400, "COMMAND_PREPROCESSING_FAILED", "owner",
		},
		"y: many passes": {fields{"tapsMaxPasses": 5}, 400, "INVALID_ARGUMENT", "between 1 and 4"},
		"y: no pass":     {fields{"tapsMaxPasses": 0}, 400, "INVALID_ARGUMENT", "taps_max_passes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b.in(t)
			for _, path := range []string{"/v2/commands/async/submit", "/v2/commands/submit-and-wait"} {
				body := b.Call("alice", http.MethodPost, path, good.with(test.change)).Refused(test.status, test.code)
				if test.cause != "" {
					require.Contains(t, body.Cause, test.cause)
					require.NotEmpty(t, *body.Hint)
				}
			}
		})
	}
	t.Run("by a user without the right", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		b.NotAllowed(http.MethodPost, "/v2/commands/async/submit", good)
		b.NotAllowed(http.MethodPost, "/v2/commands/submit-and-wait", good)
		b.NotAllowed(http.MethodPost, "/v2/commands/submit-and-wait-for-transaction",
			fields{"commands": good})
	})
	t.Run("the submission id is the correlation id", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		body := b.Call("alice", http.MethodPost, "/v2/commands/async/submit",
			good.with(fields{"commandId": "", "submissionId": "sub"})).Refused(400, "MISSING_FIELD")
		require.Equal(t, "sub", *body.CorrelationID)
		require.Equal(t, "command_id", body.Context["field_name"])
		require.Equal(t, "8", body.Context["category"])
	})
}

func TestSubmission_RefusesUnreadableBodies(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	good := b.submission("cmd", b.create("x"))
	for want, body := range map[string]any{
		"Missing required field at 'commands'":  good.with(fields{"commands": nil}),
		"Missing required field at 'commandId'": good.with(fields{"commandId": nil}),
		"Missing required field at 'actAs'":     good.with(fields{"actAs": nil}),
		"unknown constructor FlyCommand":        good.with(fields{"commands": []fields{{"FlyCommand": fields{}}}}),
		"Invalid identifier format (Note) not matching the expected format (<package>:<moduleName>:<entityName>) " +
			"at 'commands[0].CreateCommand.templateId'": good.with(fields{"commands": []fields{{
			"CreateCommand": fields{"templateId": "Note", "createArguments": fields{}},
		}}}),
		"Missing required field at 'commands[1].ExerciseCommand.choice'": good.with(fields{"commands": []fields{
			b.create("x"), {"ExerciseCommand": fields{"templateId": "a:b:c", "contractId": ""}},
		}}),
		"an array was expected, but got null at 'actAs'": `{"commands":[],"commandId":"x","actAs":null}`,
		"could not be parsed as an instant":              good.with(fields{"minLedgerTimeAbs": "now"}),
		"Invalid identifier format ()": good.with(fields{"disclosedContracts": []fields{{
			"createdEventBlob": "", "templateId": "",
		}}}),
		"not a valid Base64":                 good.with(fields{"disclosedContracts": []fields{{"createdEventBlob": "?"}}}),
		"malformed JSON":                     `{"commands":`,
		"is not an integer":                  good.with(fields{"tapsMaxPasses": 1.5}),
		"exactly one of DeduplicationDurati": good.with(fields{"deduplicationPeriod": fields{}}),
	} {
		for _, user := range []string{"alice", ""} { // with any caller
			text := b.Call(user, http.MethodPost, "/v2/commands/async/submit", body).Plain(http.StatusBadRequest)
			require.Contains(t, text, "Invalid value for: body (")
			require.Contains(t, text, want)
		}
	}
}

// contract: submit-user
func TestSubmission_NeedsUserWithoutAuthorization(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{Auth: auth.Disabled{}})
	body := b.Call("", http.MethodPost, "/v2/commands/submit-and-wait", b.submission("cmd", b.create("x"))).
		Refused(http.StatusBadRequest, "MISSING_FIELD")
	require.Equal(t, "user_id", body.Context["field_name"])
	b.Call("", http.MethodPost, "/v2/commands/submit-and-wait",
		b.submission("cmd", b.create("x")).with(fields{"userId": "a b"})).
		Refused(http.StatusBadRequest, "INVALID_FIELD")
	b.Call("", http.MethodPost, "/v2/commands/submit-and-wait",
		b.submission("cmd", b.create("x")).with(fields{"userId": "anyone"})).OK(nil)
	b.Call("", http.MethodPost, "/v2/commands/submit-and-wait",
		b.submission("cmd", b.create("x")).with(fields{"userId": "anyone", "readAs": []string{"a$b"}})).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
}

func TestSubmission_ReportsErrorsOfTheSubmitter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stub   *stub
		status int
		code   string
	}{
		"in flight": {&stub{err: fault.AlreadyInFlight("change", "other", "sync")}, 409, "SUBMISSION_ALREADY_IN_FLIGHT"},
		"overload":  {&stub{err: fault.ParticipantBackpressure.New("too much")}, 409, "PARTICIPANT_BACKPRESSURE"},
		"a bug":     {&stub{err: errors.New("oops")}, 500, "NA"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, apitest.Options{Submitter: test.stub})
			for _, path := range []string{"/v2/commands/async/submit", "/v2/commands/submit-and-wait"} {
				body := b.Call("alice", http.MethodPost, path, b.submission("cmd", b.create("x"))).
					Refused(test.status, test.code)
				if test.code != "NA" {
					require.Equal(t, test.stub.submissions[0].SubmissionID, *body.CorrelationID)
					require.Equal(t, "1 second", *body.RetryInfo)
					test.stub.submissions = nil
				}
			}
		})
	}
}

// contract: error-body
func TestSubmitAndWait_ReturnsOutcome(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	done := b.wait("one", b.create("one"))
	require.Regexp(t, "^1220[0-9a-f]{64}$", done.UpdateID)
	require.Equal(t, b.end(), done.CompletionOffset)

	t.Run("a repetition is a duplicate", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		body := b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", b.submission("one", b.create("one"))).
			Refused(http.StatusConflict, "DUPLICATE_COMMAND")
		require.Equal(t, "true", body.Context["definite_answer"])
		require.Equal(t, "true", body.Context["accepted"])
		require.NotEmpty(t, body.Context["completion_offset"])
		b.Call("alice", http.MethodPost, "/v2/commands/async/submit", b.submission("one", b.create("one"))).OK(nil)
	})
	t.Run("a refusal is the answer", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		missing := "00" + strings.Repeat("ab", 32)
		body := b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait",
			b.submission("two", exercise(missing, "Inspect", fields{}))).Refused(http.StatusNotFound, "CONTRACT_NOT_FOUND")
		require.Equal(t, [][]string{{"CONTRACT_ID", missing}}, body.Resources)
	})
	t.Run("the ledger's own rules hold", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		negative := b.create("neg")["CreateCommand"].(fields)
		arguments := negative["createArguments"].(fields).with(fields{"amount": "-1"})
		b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", b.submission("three",
			fields{"CreateCommand": negative.with(fields{"createArguments": arguments})})).
			Refused(http.StatusBadRequest, "TEMPLATE_PRECONDITION_VIOLATED")
		b.Call("bob", http.MethodPost, "/v2/commands/submit-and-wait",
			b.submission("four", b.create("x")).with(fields{"actAs": []ledger.Party{b.bob}})).
			Refused(http.StatusBadRequest, "DAML_AUTHORIZATION_ERROR")
	})
}

func TestSubmitAndWait_StopsAtTimeout(t *testing.T) {
	t.Parallel()
	t.Run("by the request timeout, with advice", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, apitest.Options{Submitter: &stub{stuck: true}, RequestTimeout: 500 * time.Millisecond})
		text := b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait",
			b.submission("cmd", b.create("x")).with(fields{"submissionId": "sub"})).Plain(http.StatusServiceUnavailable)
		require.Contains(t, text, "The server was not able to produce a timely response to your request.\r\n")
		require.Contains(t, text, `commandId "cmd" and submissionId "sub" with POST /v2/commands/completions`)
	})
	t.Run("by the tracking timeout, as a fault", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, apitest.Options{
			Submitter: &stub{stuck: true}, Settings: ledgerapi.Settings{TrackingTimeout: 10 * time.Millisecond},
		})
		body := b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", b.submission("cmd", b.create("x"))).
			Refused(http.StatusGatewayTimeout, "REQUEST_TIME_OUT")
		require.Equal(t, "false", body.Context["definite_answer"])
		require.Contains(t, *body.Hint, `commandId "cmd"`)
	})
}

// forTransaction submits as alice and returns the transaction; a nil format means the default one.
func (b *bundle) forTransaction(commandID string, format any, commands ...fields) ledgerapi.JsTransaction {
	b.t.Helper()
	body := fields{"commands": b.submission(commandID, commands...).with(fields{"workflowId": "wf"})}
	if format != nil {
		body["transactionFormat"] = format
	}
	var done ledgerapi.JsSubmitAndWaitForTransactionResponse
	b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait-for-transaction", body).OK(&done)
	return done.Transaction
}

func TestSubmitAndWaitForTransaction_ReturnsTransaction(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	made := b.forTransaction("make", nil, b.create("one", b.bob))
	require.Equal(t, "make", made.CommandID)
	require.Equal(t, "wf", made.WorkflowID)
	require.Equal(t, b.Node.SynchronizerID, made.SynchronizerID)
	require.NotNil(t, made.PaidTrafficCost)
	require.Len(t, made.Events, 1)
	created := made.Events[0].CreatedEvent
	require.Equal(t, apitest.NoteTemplateID, created.TemplateID.String())
	require.Equal(t, []string{string(b.alice)}, created.WitnessParties, "only the requesting parties")
	require.Equal(t, []string{string(b.bob)}, created.Observers)
	require.JSONEq(t, `{"owner":`+quote(b.alice)+`,"readers":[`+quote(b.bob)+`],"label":"one",
		"amount":"1.5000000000"}`, string(created.CreateArgument))
	require.JSONEq(t, `{"owner":`+quote(b.alice)+`,"label":"one"}`, string(created.ContractKey))
	require.Len(t, created.ContractKeyHash, 32)
	require.True(t, created.AcsDelta)
	require.Empty(t, created.CreatedEventBlob)

	format := fields{"eventFormat": byParty(b.alice), "transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS"}
	effects := b.forTransaction("effects", format, exercise(created.ContractID, "Relabel", fields{"label": "two"}))
	require.Len(t, effects.Events, 2)
	exercised := effects.Events[0].ExercisedEvent
	require.Equal(t, "Relabel", exercised.Choice)
	require.True(t, exercised.Consuming)
	require.True(t, exercised.AcsDelta)
	require.JSONEq(t, `{"label":"two"}`, string(exercised.ChoiceArgument))
	require.JSONEq(t, quote(effects.Events[1].CreatedEvent.ContractID), string(exercised.ExerciseResult))
	require.Equal(t, effects.Events[1].CreatedEvent.NodeID, exercised.LastDescendantNodeID)
	require.Equal(t, []string{string(b.alice)}, exercised.ActingParties)
}

func TestSubmitAndWaitForTransaction_AllowsNoVisibleEvents(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	createAndArchive := fields{"CreateAndExerciseCommand": fields{
		"templateId": apitest.NoteTemplate, "choice": "Archive", "choiceArgument": fields{},
		"createArguments": b.create("gone")["CreateCommand"].(fields)["createArguments"],
	}}
	hidden := b.forTransaction("delta",
		fields{"eventFormat": byParty(b.alice), "transactionShape": "TRANSACTION_SHAPE_ACS_DELTA"}, createAndArchive)
	require.Empty(t, hidden.Events, "a transient contract is no change")
	require.NotEmpty(t, hidden.UpdateID)
	effects := b.forTransaction("effects",
		fields{"eventFormat": byParty(b.alice), "transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS"}, createAndArchive)
	require.Len(t, effects.Events, 2)
	require.False(t, effects.Events[0].CreatedEvent.AcsDelta)
	require.False(t, effects.Events[1].ExercisedEvent.AcsDelta)
}

func TestSubmitAndWaitForTransaction_RefusesFormatFirst(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	submit := func(format fields) apitest.Answer {
		return b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait-for-transaction",
			fields{"commands": b.submission("bad", b.create("bad")), "transactionFormat": format})
	}
	submit(fields{"eventFormat": byParty(b.bob), "transactionShape": "TRANSACTION_SHAPE_ACS_DELTA"}).
		Refused(http.StatusForbidden, "NA")
	submit(fields{"eventFormat": byParty(b.alice), "transactionShape": "TRANSACTION_SHAPE_UNSPECIFIED"}).
		Refused(http.StatusBadRequest, "MISSING_FIELD")
	require.Zero(t, b.end())
}

// contract: submit-disclosed
func TestSubmission_PassesDisclosedContracts(t *testing.T) {
	t.Parallel()
	submitter := &stub{}
	b := newBundle(t, apitest.Options{Submitter: submitter})
	note := ledger.Contract{
		ID:       "00" + ledger.ContractID(strings.Repeat("ab", 32)),
		Template: lf.TypeName{Package: apitest.NotePackage, Module: "Api.Test", Entity: "Note"}, PackageName: "api-test",
		Payload: []byte(`{"owner":"alice"}`), Signatories: []ledger.Party{b.alice},
		CreatedAt: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC),
	}
	blob := func(contract ledger.Contract) string {
		packed, err := ledger.EncodeBlob(contract)
		require.NoError(t, err)
		return base64.StdEncoding.EncodeToString(packed)
	}
	real := newBundle(t, apitest.Options{})
	id := real.note("shown")
	var elements []ledgerapi.JsGetActiveContractsResponse
	real.Call("alice", http.MethodPost, "/v2/state/active-contracts", fields{
		"activeAtOffset": real.end(),
		"filter":         filterFor(real.alice, "WildcardFilter", fields{"includeCreatedEventBlob": true}),
	}).OK(&elements)
	event := elements[0].ContractEntry.JsActiveContract.CreatedEvent
	require.Equal(t, id, event.ContractID)
	shown := base64.StdEncoding.EncodeToString(event.CreatedEventBlob)

	submit := func(disclosed ...fields) apitest.Answer {
		return b.Call("alice", http.MethodPost, "/v2/commands/async/submit",
			b.submission("cmd", b.create("x")).with(fields{"disclosedContracts": disclosed}))
	}
	for _, template := range []any{apitest.NoteTemplate, apitest.NoteTemplateID, nil} {
		one := fields{
			"createdEventBlob": shown, "contractId": id, "synchronizerId": b.Node.SynchronizerID,
		}.with(fields{"templateId": template})
		submitter.submissions = nil
		submit(one, one).OK(nil)
		require.Len(t, submitter.submissions[0].Disclosed, 1, "identical repeats are fine")
		require.Equal(t, ledger.ContractID(id), submitter.submissions[0].Disclosed[0].ID)
	}
	packed := append([]byte{event.CreatedEventBlob[0], ' '}, event.CreatedEventBlob[1:]...)
	other := base64.StdEncoding.EncodeToString(packed)
	suspicious := submit(fields{"createdEventBlob": shown}, fields{"createdEventBlob": other}).
		Refused(http.StatusBadRequest, "NA")
	require.Equal(t, int32(3), *suspicious.GRPCCodeValue, "the same contract with other bytes")
	for name, test := range map[string]struct {
		disclosed fields
		code      string
		cause     string
	}{
		"no blob": {fields{"contractId": id}, "MISSING_FIELD", "DisclosedContract.createdEventBlob"},
		"a bad contract id": {
			fields{"createdEventBlob": shown, "contractId": "x"}, "INVALID_FIELD", "DisclosedContract.contract_id",
		},
		"another contract id": {
			fields{"createdEventBlob": shown, "contractId": note.ID},
			"INVALID_ARGUMENT",
			"Mismatch between DisclosedContract.contract_id",
		},
		"a bad synchronizer": {
			fields{"createdEventBlob": shown, "synchronizerId": "x"}, "INVALID_FIELD", "DisclosedContract.synchronizer_id",
		},
		"another template": {
			fields{"createdEventBlob": shown, "templateId": "#api-test:Api.Test:Other"}, "INVALID_ARGUMENT", "template_id",
		},
		"another package": {
			fields{"createdEventBlob": shown, "templateId": "#other:Api.Test:Note"}, "INVALID_ARGUMENT", "template_id",
		},
		"bytes that are none":  {fields{"createdEventBlob": "AQID"}, "INVALID_ARGUMENT", "Unable to decode"},
		"a forged contract id": {fields{"createdEventBlob": blob(note)}, "INVALID_ARGUMENT", "Unable to decode"},
	} {
		body := submit(test.disclosed).Refused(http.StatusBadRequest, test.code)
		require.Contains(t, body.Cause, test.cause, name)
	}
}

func TestSubmit_NeedsTheRightToActAsEachParty(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	body := b.submission("both", b.create("both"))
	for _, path := range []string{"/v2/commands/submit-and-wait", "/v2/commands/async/submit"} {
		b.Call("alice", http.MethodPost, path, body.with(fields{"actAs": []ledger.Party{b.alice, b.bob}})).
			Refused(http.StatusForbidden, "NA")
	}
	b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", body).OK(nil)
}
