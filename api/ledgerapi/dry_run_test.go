package ledgerapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/test/apitest"
)

const (
	asyncURL  = "/v2/commands/async/submit"
	andWait   = "/v2/commands/submit-and-wait"
	forResult = "/v2/commands/submit-and-wait-for-transaction"
	forTree   = "/v2/commands/submit-and-wait-for-transaction-tree"
	dryRun    = "?dry_run=true"
)

// failing is a package of notes whose choice Break fetches its note, and then calls a function that fails. The call is a
// tail call.
const failing = `metadata ( 'failing' : '1.0.0' )
module F {
  record @serializable Archive = {};
  record @serializable Break = { why: Text };
  record @serializable Outer = { inner: ContractId F:Note };
  record @serializable Note = { owner: Party, reader: Party };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val blame: Text -> Update Unit = \(why: Text) -> loc(F, 6, 10, 6, 20) (ERROR @(Update Unit) why);
  val check: Text -> Update Unit = \(why: Text) -> loc(F, 8, 4, 8, 9) (F:blame why);
  template (this: Note) = {
    precondition True;
    signatories F:one (F:Note {owner} this);
    observers F:one (F:Note {reader} this);
    choice Archive (self) (a: F:Archive): Unit, controllers F:one (F:Note {owner} this) to upure @Unit ();
    choice @nonConsuming Break (self) (a: F:Break): Unit, controllers F:one (F:Note {owner} this)
      to ubind n: F:Note <- fetch_template @F:Note self in loc(F, 14, 2, 14, 9) (F:check (F:Break {why} a));
    choice @nonConsuming Outer (self) (a: F:Outer): Unit, controllers F:one (F:Note {owner} this)
      to exercise @F:Note Break (F:Outer {inner} a) (F:Break { why = "not today" });
  };
}
`

// rehearsal is a node with notes, on which alice and bob have parties.
type rehearsal struct {
	*apitest.Server
	t          *testing.T
	alice, bob ledger.Party
	note       string
}

func newRehearsal(t *testing.T) *rehearsal {
	t.Helper()
	return newRehearsalWith(t, apitest.Options{})
}

func newRehearsalWith(t *testing.T, options apitest.Options) *rehearsal {
	t.Helper()
	r := &rehearsal{Server: apitest.New(t, options), t: t}
	r.alice, r.bob = r.Party("alice"), r.Party("bob")
	r.ActingAs("alice", r.alice)
	r.ActingAs("bob", r.bob)
	r.Rights("reader", ledger.Right{Kind: ledger.CanReadAs, Party: r.alice})
	for _, source := range []string{dartest.Notes("notes", "1.0.0", ""), failing} {
		r.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dartest.Build(t, source))).OK(nil)
	}
	created := uploaded(r.Server, r.alice, "note", r.create("#notes:N:Note", `,"text":"hello"`))
	r.note = created.Events[0].CreatedEvent.ContractID
	return r
}

func (r *rehearsal) create(template, more string) string {
	return fmt.Sprintf(`{"CreateCommand":{"templateId":%q,"createArguments":{"owner":%q,"reader":%q%s}}}`,
		template, r.alice, r.bob, more)
}

// share shows the note to alice herself.
func (r *rehearsal) share() string {
	return fmt.Sprintf(`{"ExerciseCommand":{"templateId":"#notes:N:Note","contractId":%q,"choice":"Share",
		"choiceArgument":{"reader":%q}}}`, r.note, r.alice)
}

// body is the body of an endpoint for a command of a party.
func body(path, commandID string, actAs ledger.Party, command string) string {
	commands := fmt.Sprintf(`{"commandId":%q,"actAs":[%q],"commands":[%s]}`, commandID, actAs, command)
	if path == forResult {
		return `{"commands":` + commands + `}`
	}
	return commands
}

// state is what a submission would change in the record.
func (r *rehearsal) state() string {
	r.t.Helper()
	head, err := r.DB.Head(r.t.Context())
	require.NoError(r.t, err)
	completions, err := r.DB.Completions(r.t.Context(), db.CompletionsQuery{UpTo: head.Offset + 10, Limit: 1000})
	require.NoError(r.t, err)
	return fmt.Sprint(head, len(completions))
}

func TestDryRun_ShowsTheTransactionAndWritesNothing(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	for _, path := range []string{asyncURL, andWait, forResult, forTree} {
		before := r.state()
		var dry ledgerapi.JsDryRunResponse
		r.Call("alice", http.MethodPost, path+dryRun, body(path, "share"+path, r.alice, r.share())).OK(&dry)
		require.Equal(t, before, r.state(), path)
		require.True(t, dry.DryRun)

		require.Len(t, dry.Nodes, 2)
		exercise, create := dry.Nodes[0], dry.Nodes[1]
		require.Nil(t, exercise.ParentNodeID)
		require.Equal(t, []any{ledger.EventExercise, "Share", true, r.note},
			[]any{exercise.Kind, exercise.Choice, exercise.Consuming, exercise.ContractID})
		require.JSONEq(t, fmt.Sprintf(`{"reader":%q}`, r.alice), string(exercise.Argument))
		require.JSONEq(t, fmt.Sprintf("%q", create.ContractID), string(exercise.Result))
		require.EqualValues(t, 0, *create.ParentNodeID)
		require.Contains(t, string(create.Argument), `"hello+"`)
		both := ledger.Strings(ledger.SortedParties([]ledger.Party{r.alice, r.bob}))
		require.Equal(t, both, exercise.Informees)
		require.Equal(t, []string{string(r.alice)}, create.Informees, "bob sees it only with the exercise above it")
		require.Equal(t, both, create.Witnesses)
		for _, view := range dry.Views {
			require.Equal(t, []int32{0, 1}, view.NodeIDs)
		}
		require.Len(t, dry.Views, 2)

		if path == forTree {
			require.Nil(t, dry.Transaction)
			require.Len(t, dry.TransactionTree.EventsByID, 2)
		} else {
			require.Len(t, dry.Transaction.Events, 2)
			require.NotNil(t, dry.Transaction.Events[0].ArchivedEvent, "the default is the changes of contracts")
			require.Equal(t, create.ContractID, dry.Transaction.Events[1].CreatedEvent.ContractID)
			require.Empty(t, dry.Transaction.UpdateID)
			require.Zero(t, dry.Transaction.Offset)
		}
		estimate := r.Call("alice", http.MethodPost, "/v2/interactive-submission/prepare",
			body(asyncURL, "prepare", r.alice, r.share()))
		var prepared ledgerapi.JsPrepareSubmissionResponse
		estimate.OK(&prepared)
		require.Equal(t, prepared.CostEstimation.Total, dry.CostEstimation.Total)
	}
}

func TestDryRun_StartsNoWorkflow(t *testing.T) {
	t.Parallel()
	submitter := &stub{}
	b := newBundle(t, apitest.Options{Submitter: submitter})
	commands := fields{"commands": []fields{b.create("one")}, "commandId": "1", "actAs": []ledger.Party{b.alice}}
	for _, path := range []string{asyncURL, andWait, forTree} {
		b.Call("alice", http.MethodPost, path+dryRun, commands).OK(nil)
	}
	b.Call("alice", http.MethodPost, forResult+dryRun, fields{"commands": commands}).OK(nil)
	require.Empty(t, submitter.submissions)
}

func TestDryRun_UsesTheRequestedFormat(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	var dry ledgerapi.JsDryRunResponse
	request := fmt.Sprintf(`{"commands":%s,"transactionFormat":{"transactionShape":"TRANSACTION_SHAPE_LEDGER_EFFECTS",
		"eventFormat":{"verbose":true,"filtersByParty":{%q:{"cumulative":[]}}}}}`,
		body(andWait, "1", r.alice, r.share()), r.alice)
	r.Call("alice", http.MethodPost, forResult+dryRun, request).OK(&dry)
	require.Equal(t, "Share", dry.Transaction.Events[0].ExercisedEvent.Choice)
	r.Call("alice", http.MethodPost, forResult, request).OK(nil)
}

// A submission after a dry run is accepted; another with its command id is refused with and without a dry run.
func TestDryRun_FindsDuplicatesAndMakesNone(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	request := body(andWait, "again", r.alice, r.create("#notes:N:Note", `,"text":"x"`))
	r.Call("alice", http.MethodPost, andWait+dryRun, request).OK(nil)
	r.Call("alice", http.MethodPost, andWait+dryRun, request).OK(nil)
	r.Call("alice", http.MethodPost, andWait+"?dry_run=false", request).OK(nil)
	real := r.Call("alice", http.MethodPost, andWait, request).Refused(http.StatusConflict, "DUPLICATE_COMMAND")
	dry := r.Call("alice", http.MethodPost, andWait+dryRun, request).Refused(http.StatusConflict, "DUPLICATE_COMMAND")
	require.Equal(t, real.Cause, dry.Cause)
}

func TestDryRun_RefusesAsTheSubmissionWithATrace(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	created := uploaded(r.Server, r.alice, "f", r.create("#failing:F:Note", ""))
	id := created.Events[0].CreatedEvent.ContractID
	command := fmt.Sprintf(`{"ExerciseCommand":{"templateId":"#failing:F:Note","contractId":%q,"choice":"Outer",
		"choiceArgument":{"inner":%q}}}`, id, id)
	real := r.Call("alice", http.MethodPost, andWait, body(andWait, "real", r.alice, command)).
		Refused(http.StatusBadRequest, "INTERPRETATION_USER_ERROR")
	require.Nil(t, real.RefusalTrace)
	before := r.state()
	for _, path := range []string{asyncURL, andWait, forResult, forTree} {
		dry := r.Call("alice", http.MethodPost, path+dryRun, body(path, "dry"+path, r.alice, command)).
			Refused(http.StatusBadRequest, "INTERPRETATION_USER_ERROR")
		require.Equal(t, []any{real.Code, real.Cause, real.Resources}, []any{dry.Code, dry.Cause, dry.Resources})
		require.Equal(t, *real.Hint, *dry.Hint+fault.DryRunAdvice)
		require.NotNil(t, dry.RefusalTrace, path)
		var calls []string
		for _, call := range dry.RefusalTrace.Calls {
			calls = append(calls, fmt.Sprintf("%s %s:%d:%d", call.Definition, call.Module, call.Line, call.Column))
		}
		require.Equal(t, "F:blame F:7:11", calls[0])
		require.Contains(t, calls, "F:check F:9:5", "a tail call")
		require.Contains(t, fmt.Sprint(calls), "Outer", "the choice outside")
		nodes := dry.RefusalTrace.Nodes
		require.Len(t, nodes, 3)
		require.Equal(t, []string{"Outer", "Break", ""}, []string{nodes[0].Choice, nodes[1].Choice, nodes[2].Choice})
		require.EqualValues(t, 1, *nodes[2].ParentNodeID)
		require.Equal(t, ledger.EventFetch, nodes[2].Kind)
	}
	require.Equal(t, before, r.state())
}

func TestDryRun_RefusesUnknownInformees(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	command := strings.Replace(r.create("#notes:N:Note", `,"text":"x"`), string(r.bob), "nobody::1220aa", 1)
	real := r.Call("alice", http.MethodPost, andWait, body(andWait, "real", r.alice, command)).
		Refused(http.StatusNotFound, "UNKNOWN_INFORMEES")
	dry := r.Call("alice", http.MethodPost, andWait+dryRun, body(andWait, "dry", r.alice, command)).
		Refused(http.StatusNotFound, "UNKNOWN_INFORMEES")
	require.Equal(t, real.Cause, dry.Cause)
}

// A dry run needs the rights of its submission, and finds no other contracts.
func TestDryRun_NeedsTheRightsOfTheSubmission(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	for _, path := range []string{asyncURL, andWait, forResult, forTree} {
		for _, user := range []string{"bob", "reader"} {
			for _, query := range []string{"", dryRun} {
				r.Call(user, http.MethodPost, path+query, body(path, user, r.alice, r.share())).Refused(http.StatusForbidden, "NA")
			}
		}
		for _, query := range []string{"", dryRun} {
			carol := r.Party("carol" + fmt.Sprint(len(query), len(path)))
			user := fmt.Sprintf("carol%d-%d", len(query), len(path))
			r.ActingAs(user, carol)
			refused := r.Call(user, http.MethodPost, path+query, body(path, "hidden", carol, r.share()))
			if path == asyncURL && query == "" {
				refused.OK(nil) // the completion has the refusal
				continue
			}
			hidden := refused.Refused(http.StatusNotFound, "CONTRACT_NOT_FOUND")
			shown, err := json.Marshal(hidden)
			require.NoError(t, err)
			require.NotContains(t, string(shown), string(r.alice), "it tells nothing of the contract")
		}
	}
}

func TestDryRun_IsNeverIgnoredByAChange(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	before := r.state()
	for _, value := range []string{"", "1", "True", "true&dry_run=true"} {
		refused := r.Call("alice", http.MethodPost, andWait+"?dry_run="+value, body(andWait, "x", r.alice, r.share())).
			Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
		require.Contains(t, refused.Cause, "Send true to preview the change")
	}
	for _, path := range []string{"/v2/commands/async/submit-reassignment", "/v2/commands/submit-and-wait-for-reassignment"} {
		move := fmt.Sprintf(`{"reassignmentCommands":{"commandId":"move","submitter":%q,"commands":[{"command":{
			"UnassignCommand":{"value":{"contractId":%q,"source":%q,"target":%q}}}}]}}`, r.alice, r.note,
			r.Node.SynchronizerID, r.Node.SynchronizerID)
		real := r.Call("alice", http.MethodPost, path, move).Refused(http.StatusNotFound, "REASSIGNMENT_VALIDATION_FAILED")
		dry := r.Call("alice", http.MethodPost, path+dryRun, move).Refused(http.StatusNotFound, real.Code)
		require.Equal(t, real.Cause, dry.Cause)
	}
	refused := r.Call(apitest.Admin, http.MethodPost, "/v2/parties"+dryRun, `{"partyIdHint":"dora"}`).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, refused.Cause, "does not support dry_run")
	require.Equal(t, before, r.state())
}

// Signed transactions have the same answer, and their callers may lack the right to read.
func TestDryRun_OfSignedTransactions(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	signed := c.sign(c.prepare(c.settleBody("dry")))
	head := func() ledger.Offset {
		at, err := c.DB.Head(t.Context())
		require.NoError(t, err)
		return at.Offset
	}
	before := head()
	for _, path := range []string{executeURL, waitURL, showURL} {
		var dry ledgerapi.JsDryRunResponse
		c.Call("signer", http.MethodPost, path+dryRun, signed).OK(&dry)
		require.NotEmpty(t, dry.Nodes)
		require.NotEmpty(t, dry.Transaction.Events)
		require.Positive(t, dry.CostEstimation.Total)
		c.Call("reader", http.MethodPost, path+dryRun, signed).Refused(http.StatusForbidden, "NA")
	}
	require.Equal(t, before, head())

	// Who only executes sees only the cost.
	c.Rights("blind", ledger.Right{Kind: ledger.CanExecuteAs, Party: c.carol})
	var dry ledgerapi.JsDryRunResponse
	c.Call("blind", http.MethodPost, waitURL+dryRun, signed).OK(&dry)
	require.Equal(t, []v2.TransactionNode{}, dry.Nodes)
	require.Empty(t, dry.Views)
	require.Nil(t, dry.Transaction)
	require.Positive(t, dry.CostEstimation.Total)
	c.Call("blind", http.MethodPost, showURL+dryRun, signed).Refused(http.StatusForbidden, "NA")

	c.Call("signer", http.MethodPost, waitURL, signed).OK(nil)
	c.Call("signer", http.MethodPost, waitURL+dryRun, signed).Refused(http.StatusConflict, "DUPLICATE_COMMAND")
}

func TestDryRun_NeedsTheTrafficOfTheSubmission(t *testing.T) {
	t.Parallel()
	const granted = 10_000
	r := newRehearsalWith(t, apitest.Options{
		Traffic:        ledger.TrafficRules{BaseBurst: granted, BaseWindow: 1_000_000 * time.Hour},
		LedgerSettings: func(s *ledger.Settings) { s.EnforceTraffic = true },
	})
	small := body(andWait, "small", r.alice, r.create("#notes:N:Note", `,"text":"x"`))
	large := body(andWait, "large", r.alice, r.create("#notes:N:Note", `,"text":"`+strings.Repeat("x", granted)+`"`))
	r.Call("alice", http.MethodPost, andWait+dryRun, small).OK(nil)
	dry := r.Call("alice", http.MethodPost, andWait+dryRun, large)
	real := r.Call("alice", http.MethodPost, andWait, large)
	require.NotEqual(t, http.StatusOK, real.Status)
	require.Equal(t, real.Status, dry.Status)
	var both [2]v2.JsCantonError
	require.NoError(t, json.Unmarshal([]byte(real.Text), &both[0]))
	require.NoError(t, json.Unmarshal([]byte(dry.Text), &both[1]))
	require.Equal(t, []string{both[0].Code, both[0].Cause}, []string{both[1].Code, both[1].Cause})
	r.Call("alice", http.MethodPost, andWait, small).OK(nil)
}
