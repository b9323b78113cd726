package ledger

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Error ids of failures for which the contract names no id of its own (upstream's names).
const (
	assertionFailed     = "UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed"
	generalError        = "UNHANDLED_EXCEPTION/DA.Exception.GeneralError:GeneralError"
	arithmeticError     = "UNHANDLED_EXCEPTION/DA.Exception.ArithmeticError:ArithmeticError"
	deadlineExceeded    = "stdlib.daml.com/deadline-exceeded"
	deadlineNotExceeded = "stdlib.daml.com/deadline-not-exceeded"
)

// categoryState is the error category of failures that depend on the state of the ledger, as almost all do.
const categoryState = fault.Category(9)

// Require fails with the text of a requirement unless it holds.
func Require(message string, holds bool) error {
	if holds {
		return nil
	}
	return fault.UserFailure(categoryState, assertionFailed,
		fmt.Sprintf("The requirement '%s' was not met.", message), nil)
}

// Abort is a failure with a free text.
func Abort(format string, args ...any) error {
	return fault.UserFailure(categoryState, generalError, fmt.Sprintf(format, args...), nil)
}

// ArithmeticFailure turns an error of decimal arithmetic (overflow, division by zero) into the failure of a contract;
// nil stays nil.
func ArithmeticFailure(err error) error {
	if err == nil {
		return nil
	}
	return fault.UserFailure(categoryState, arithmeticError, "ArithmeticError while evaluating: "+err.Error(), nil)
}

// Sum adds integers as the contract language does: an overflow is a failure.
func Sum(numbers ...int64) (int64, error) {
	total := new(big.Int)
	for _, number := range numbers {
		total.Add(total, big.NewInt(number))
	}
	if !total.IsInt64() {
		return 0, ArithmeticFailure(fmt.Errorf("the sum %s does not fit into a 64-bit integer", total))
	}
	return total.Int64(), nil
}

// RequireWithinDeadline fails unless the ledger time is strictly before the deadline.
func RequireWithinDeadline(tx *Tx, label string, deadline lf.Timestamp) error {
	if tx.IsBefore(deadline) {
		return nil
	}
	return fault.UserFailure(categoryState, deadlineExceeded,
		fmt.Sprintf("Ledger time is at or past deadline '%s' at %s", label, deadline), nil)
}

// RequireDeadlineExceeded fails unless the ledger time is at or after the deadline.
func RequireDeadlineExceeded(tx *Tx, label string, deadline lf.Timestamp) error {
	if !tx.IsBefore(deadline) {
		return nil
	}
	return fault.UserFailure(categoryState, deadlineNotExceeded,
		fmt.Sprintf("Ledger time is before deadline '%s' at %s", label, deadline), nil)
}

// exerciseTrace is the field of a failure that lists the choices around it: a line for each, the innermost first, and
// the command last (upstream's form, which its conformance tests check).
const exerciseTrace = "exercise_trace"

const maxTraced = 10

func inExercise(err error, node int32, id ContractID, template lf.TypeName, choice string) error {
	return addTrace(err, maxTraced, fmt.Sprintf("choice %s on contract %.10s (#%d)", traceName(template, choice), id, node))
}

func inExerciseCommand(err error, command Command) error {
	const withCommand = maxTraced + 2 // and the line "..."
	switch {
	case command.Exercise != nil:
		c := command.Exercise
		return addTrace(err, withCommand,
			fmt.Sprintf("exercise command %s on contract %.10s.", traceName(c.Template, c.Choice), c.Contract))
	case command.CreateAndExercise != nil:
		c := command.CreateAndExercise
		return addTrace(err, withCommand, fmt.Sprintf("create-and-exercise command %s.", traceName(c.Template, c.Choice)))
	case command.ExerciseByKey != nil:
		c := command.ExerciseByKey
		return addTrace(err, withCommand, fmt.Sprintf("exercise-by-key command %s.", traceName(c.Template, c.Choice)))
	default:
		return err
	}
}

// traceName names a choice in a trace, with the beginning of the package id.
func traceName(template lf.TypeName, choice string) string {
	return fmt.Sprintf("%.8s:%s:%s", template.Package, template.QualifiedName(), choice)
}

// addTrace adds a line to the trace of a failure that a contract raised, up to maxLines. It returns the same error,
// because outer code may catch it as an exception.
func addTrace(err error, maxLines int, where string) error {
	refusal, ok := fault.As(err)
	if !ok || refusal.Code != fault.DamlFailure.ID {
		return err
	}
	trace := refusal.Context[exerciseTrace]
	lines := 0
	if trace != "" {
		lines = strings.Count(trace, "\n") + 1
		trace += "\n"
	}
	switch {
	case lines < maxLines:
		_ = refusal.With(exerciseTrace, trace+"    in "+where)
	case lines == maxLines:
		_ = refusal.With(exerciseTrace, trace+"    ...")
	}
	return err
}

func unauthorized(action string, template lf.TypeName, choice string, have, missing []Party) error {
	what := action + " of " + template.QualifiedName()
	if choice != "" {
		what = "exercise of " + choice + " in " + template.QualifiedName()
	}
	need := "requires authorizers"
	if action == "fetch" {
		need = "requires one of the stakeholders"
	}
	return fault.DamlAuthorizationError.New(
		"Interpretation error: Error: node failed authorization: %s %s %s, but only %s were given",
		what, need, listParties(missing), listParties(have)).
		WithHint("Submit with actAs naming the missing parties, or use a choice that they have agreed to.")
}

func wronglyTyped(id ContractID, expected, actual lf.TypeName) error {
	return fault.WronglyTypedContract.New(
		"Interpretation error: Error: contract %s is of template %s, not %s", id, actual, expected).
		WithResource("CONTRACT_ID", string(id)).
		WithResource("TEMPLATE_ID", expected.String()).
		WithResource("TEMPLATE_ID", actual.String())
}

func notImplemented(id ContractID, template, iface lf.TypeName) error {
	return fault.ContractDoesNotImplementInterface.New(
		"Interpretation error: Error: contract %s of template %s does not implement interface %s", id, template, iface).
		WithResource("CONTRACT_ID", string(id)).
		WithResource("TEMPLATE_ID", template.String()).
		WithResource("INTERFACE_ID", iface.String())
}

func listParties(parties []Party) string {
	quoted := make([]string, len(parties))
	for i, party := range parties {
		quoted[i] = "'" + string(party) + "'"
	}
	return strings.Join(quoted, ", ")
}
