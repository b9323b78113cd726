package script

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Report is the result of a run.
type Report struct {
	Script Script
	// Failure is nil if the script passed.
	Failure *Failure
	// Result is the script's result, in the JSON of the API, if Options.Output is set.
	Result json.RawMessage
	// Transactions are the committed transactions.
	Transactions []Transaction
	// Contracts are the active contracts at the end, in the order of creation.
	Contracts []ledger.Contract
	// Parties are the allocated parties.
	Parties []ledger.Party
	// Messages are the messages of debug and trace, the last ones if there are many.
	Messages []Message
	// Omitted is the number of messages before them.
	Omitted int
}

// Transaction is a committed transaction, or the partial one of a failed submission, with rolled-back nodes.
type Transaction struct {
	ActAs  []ledger.Party
	ReadAs []ledger.Party
	// At is the place of the submission in the script.
	At   []Frame
	Tree ledger.Transaction
}

// Message is a text of debug or trace.
type Message struct {
	Text string
	At   ast.Location
}

// Frame is a place in a definition of a script or a package.
type Frame struct {
	Definition string
	At         ast.Location
	// Defined: At is the beginning of the definition; the place in it is not known.
	Defined bool
}

// Failure is the failure of a script.
type Failure struct {
	// Code is the id of the error, and Message its text.
	Code    string
	Message string
	// Hint is the ledger's hint.
	Hint string
	// Question is the failed question of the script, such as Submit; "" if its own code failed.
	Question string
	// Script has the places in the script, the innermost first.
	Script []Frame
	// Calls are the active definitions, the innermost first.
	Calls []Frame
	// Submission is the partial transaction of a failed submission, or nil.
	Submission *Transaction
	// Late: the script ran out of time.
	Late bool
	// Starved: the script ran out of memory.
	Starved bool
}

// failureOf makes the failure of a run's error.
func failureOf(err error) *Failure {
	out := &Failure{Message: err.Error(), Late: errors.Is(err, context.DeadlineExceeded)}
	if questionErr, ok := errors.AsType[*questionError](err); ok {
		out.Question, out.Script, out.Submission = questionErr.question, questionErr.at, questionErr.submission
		out.Message = questionErr.err.Error()
	}
	if failure, ok := errors.AsType[*engine.Failure](err); ok {
		if failure.Explain != nil { // a failure that the script catches needs no places
			failure.Explain()
		}
		out.Calls = callsOf(failure.Location, failure.Calls)
	}
	if stopped, ok := errors.AsType[*engine.Stopped](err); ok { // the place at the end of its time
		out.Calls = callsOf(stopped.Location, stopped.Calls)
	}
	if refusal, ok := fault.As(err); ok {
		out.Code, out.Message, out.Hint = refusal.Code, refusal.Cause, refusal.Hint
		if id := refusal.Context["error_id"]; id != "" {
			out.Code = id
		}
	}
	return out
}

// callsOf makes frames of the active functions and the innermost known place.
func callsOf(at ast.Location, calls []engine.Call) []Frame {
	var out []Frame
	if !at.IsZero() && (len(calls) == 0 || calls[0].Location != at) {
		out = append(out, Frame{At: at})
	}
	for _, call := range calls {
		out = append(out, Frame{call.Function, call.Location, call.Defined})
	}
	return out
}

// questionError is the failure of a question.
type questionError struct {
	question   string
	at         []Frame
	submission *Transaction
	err        error
	// final: it is not a refusal of the ledger. It ends the run, and nothing catches it.
	final bool
}

func (q *questionError) Error() string { return q.question + ": " + q.err.Error() }
func (q *questionError) Unwrap() error { return q.err }
