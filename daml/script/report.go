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

// Report is what came of a run.
type Report struct {
	Script Script
	// Failure is nil for a script that passed.
	Failure *Failure
	// Result is what the script returned, in the JSON of the API, where it was asked for.
	Result json.RawMessage
	// Transactions are those that were committed.
	Transactions []Transaction
	// Contracts are those that are active at the end, in the order of creation.
	Contracts []ledger.Contract
	// Parties are those that were allocated.
	Parties []ledger.Party
	// Messages are those of debug and trace, the last ones where there are many.
	Messages []Message
	// Unsaid is how many messages before them are left out.
	Unsaid int
}

// Transaction is a transaction that was committed, or as much of one as there was when its submission failed, with what
// was taken back.
type Transaction struct {
	ActAs  []ledger.Party
	ReadAs []ledger.Party
	// At is where the script submits it.
	At   []Frame
	Tree ledger.Transaction
}

// Message is a text that a script or a choice prints.
type Message struct {
	Text string
	At   ast.Location
}

// Frame is a place in a script or a package, in a definition.
type Frame struct {
	Definition string
	At         ast.Location
	// Defined: At is where the definition begins; where in it is not known.
	Defined bool
}

// Failure is why a script failed.
type Failure struct {
	// Code is the id of the error, and Message its text.
	Code    string
	Message string
	// Hint is what to do, where the ledger says so.
	Hint string
	// Question is what the script asked when it failed, such as Submit; "" when its own code failed.
	Question string
	// Script are the places in the script that led there, the innermost first.
	Script []Frame
	// Calls are the definitions that were evaluated, the innermost first.
	Calls []Frame
	// Submission is the transaction that failed, as far as it came; nil where no submission did.
	Submission *Transaction
	// Late: the script did not fail of itself. Its time was over.
	Late bool
	// Starved: the script did not fail of itself. There was no more memory for it.
	Starved bool
}

// failureOf says what a run ended with.
func failureOf(err error) *Failure {
	out := &Failure{Message: err.Error(), Late: errors.Is(err, context.DeadlineExceeded)}
	if asked, ok := errors.AsType[*questionError](err); ok {
		out.Question, out.Script, out.Submission = asked.question, asked.at, asked.submission
		out.Message = asked.err.Error()
	}
	if failure, ok := errors.AsType[*engine.Failure](err); ok {
		if failure.Explain != nil { // not before: nobody sees the places of a failure that the script catches
			failure.Explain()
		}
		out.Calls = callsOf(failure.Location, failure.Calls)
	}
	if stopped, ok := errors.AsType[*engine.Stopped](err); ok { // where it was when its time was over
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

// callsOf are the functions that were under way, with the innermost place that is known.
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

// questionError is the failure of a question that could not be answered.
type questionError struct {
	question   string
	at         []Frame
	submission *Transaction
	err        error
	// final: no ledger refuses what was asked; the run cannot go on. Nothing catches it.
	final bool
}

func (q *questionError) Error() string { return q.question + ": " + q.err.Error() }
func (q *questionError) Unwrap() error { return q.err }
