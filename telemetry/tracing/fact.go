package tracing

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/florinledger/florin/ledger"
)

// Fact is an attribute of a span. Only the functions of this file make facts.
type Fact struct{ attribute attribute.KeyValue }

// The names of facts: OpenTelemetry's where it has one.
const (
	keyMethod     = "http.request.method"
	keyRoute      = "http.route"
	keyStatus     = "http.response.status_code"
	keyError      = "error.type"
	keyUser       = "florin.user"
	keyCommand    = "florin.command_id"
	keySubmission = "florin.submission_id"
	keyParties    = "florin.act_as"
	keyRules      = "florin.rules"
	keyKind       = "florin.kind"
	keyWorkflow   = "florin.workflow_id"
	keyOffset     = "florin.offset"
	keyUpdate     = "florin.update_id"
	keyCount      = "florin.submissions"
	keyQuery      = "db.operation.name"
	keySystem     = "db.system.name"
	keySQLState   = "db.response.status_code"
)

// Keys are the names of all facts.
func Keys() []string {
	return []string{
		keyMethod, keyRoute, keyStatus, keyError, keyUser, keyCommand, keySubmission, keyParties, keyRules, keyKind,
		keyWorkflow, keyOffset, keyUpdate, keyCount, keyQuery, keySystem, keySQLState,
	}
}

// Method is the method of a request.
func Method(name string) Fact { return Fact{attribute.String(keyMethod, name)} }

// Route is the pattern of a request's path, without the values in the path.
func Route(pattern string) Fact { return Fact{attribute.String(keyRoute, pattern)} }

// Status is the status of an answer.
func Status(code int) Fact { return Fact{attribute.Int(keyStatus, code)} }

// ErrorCode is the code of a refusal.
func ErrorCode(code string) Fact { return Fact{attribute.String(keyError, code)} }

// User is the user who calls.
func User(id string) Fact { return Fact{attribute.String(keyUser, id)} }

// Workflow is the workflow that does the work.
func Workflow(id string) Fact { return Fact{attribute.String(keyWorkflow, id)} }

// Kind is the kind of a submission or of a workflow.
func Kind(name string) Fact { return Fact{attribute.String(keyKind, name)} }

// Offset is a place in the record.
func Offset(at ledger.Offset) Fact { return Fact{attribute.Int64(keyOffset, int64(at))} }

// Submissions is the number of submissions in a batch.
func Submissions(count int) Fact { return Fact{attribute.Int(keyCount, count)} }

// Database are the facts of a query of the record, by its name.
func Database(query string) []Fact {
	return []Fact{{attribute.String(keySystem, "postgresql")}, {attribute.String(keyQuery, query)}}
}

// SQLState is the code of an error of the database.
func SQLState(code string) Fact { return Fact{attribute.String(keySQLState, code)} }

// Submission returns the facts by which operators find a submission.
func Submission(of ledger.Submission) []Fact {
	parties, commands := of.ActAs[:min(len(of.ActAs), maxNamed)], of.Commands[:min(len(of.Commands), maxNamed)]
	return []Fact{
		User(of.UserID),
		Kind(of.Kind),
		{attribute.String(keyCommand, of.CommandID)},
		{attribute.String(keySubmission, of.SubmissionID)},
		{attribute.StringSlice(keyParties, ledger.Strings(parties))},
		{attribute.StringSlice(keyRules, rules(commands))},
	}
}

// Completion returns the facts about the outcome of a submission.
func Completion(of ledger.Completion) []Fact {
	facts := []Fact{Offset(of.Offset)}
	if of.Refusal != nil {
		return append(facts, ErrorCode(of.Refusal.Code))
	}
	return append(facts, Fact{attribute.String(keyUpdate, string(of.UpdateID))})
}

// maxNamed limits the parties and the commands of a submission that a span names.
const maxNamed = 10

// rules are the templates and choices of commands.
func rules(commands []ledger.Command) []string {
	names := make([]string, 0, len(commands))
	for _, command := range commands {
		switch {
		case command.Create != nil:
			names = append(names, command.Create.Template.String())
		case command.Exercise != nil:
			names = append(names, command.Exercise.Template.String()+" "+command.Exercise.Choice)
		case command.ExerciseByKey != nil:
			names = append(names, command.ExerciseByKey.Template.String()+" "+command.ExerciseByKey.Choice)
		case command.CreateAndExercise != nil:
			names = append(names, command.CreateAndExercise.Template.String()+" "+command.CreateAndExercise.Choice)
		}
	}
	return names
}
