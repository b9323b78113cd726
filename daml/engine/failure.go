package engine

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Failure is the reason why a run failed, and the place in the source.
type Failure struct { //nolint:errname // the failure of a run, as a fault is that of a command
	// Fault is the error for clients.
	Fault *fault.Fault
	// Location is the innermost known place in the source.
	Location ast.Location
	// Calls are the active functions, the innermost first.
	Calls []Call
	// Exception is the uncaught exception; nil for other failures.
	Exception *Any
	// Explain finds the location and the tail calls by another run of the failed code; nil without Options.Explain. It
	// costs about as much as the failed run.
	Explain func()

	err   error // a failure of the host, or of the context
	final bool  // the exception cannot be caught any more
}

// Call is an active function, and the place where it waited for the one before it.
type Call struct {
	Function string
	Location ast.Location
	// Defined: the place in the function is unknown, and the location is that of its definition.
	Defined bool
}

// Error is the text of the fault.
func (f *Failure) Error() string {
	if f.err != nil {
		return f.err.Error()
	}
	return f.Fault.Error()
}

// Unwrap returns the fault, or the error of the host or context.
func (f *Failure) Unwrap() error {
	if f.err != nil {
		return f.err
	}
	return f.Fault
}

// Places implements [ledger.CodeFailure].
func (f *Failure) Places() []ledger.CodePlace {
	var out []ledger.CodePlace
	add := func(definition string, at ast.Location, isDefinition bool) {
		place := ledger.CodePlace{Definition: definition, IsDefinition: isDefinition}
		if !at.IsZero() {
			place.Package, place.Module = at.Package, at.Module
			place.Line, place.Column = int(at.Start.Line)+1, int(at.Start.Column)+1
		}
		out = append(out, place)
	}
	if !f.Location.IsZero() && (len(f.Calls) == 0 || f.Calls[0].Location != f.Location) {
		add("", f.Location, false)
	}
	for _, call := range f.Calls {
		add(call.Function, call.Location, call.Defined)
	}
	return out
}

// Stopped is the error of a run that did not fail by itself: its context ended, or its host failed.
type Stopped struct { //nolint:errname // it is the error beside Failure
	// Location is the innermost known place in the source.
	Location ast.Location
	// Calls are the active functions, the innermost first.
	Calls []Call

	err error
}

func (s *Stopped) Error() string { return "evaluation: " + s.err.Error() }

// Unwrap returns the error that ended the run.
func (s *Stopped) Unwrap() error { return s.err }

// Defect is an error of the engine itself. No package that package check accepts causes one.
type Defect struct { //nolint:errname // it is the error beside Failure
	// Problem says what went wrong in the engine.
	Problem string
	// Stack is where, in Go.
	Stack string
	// Calls are the active functions, the innermost first.
	Calls []Call
}

func (d *Defect) Error() string { return "defect of the Daml engine: " + d.Problem }

// defect is the failure at code that no well-typed package has.
func defect(format string, args ...any) *Failure {
	return &Failure{err: &Defect{Problem: fmt.Sprintf(format, args...), Stack: string(debug.Stack())}}
}

const interpretationError = "Interpretation error: Error: "

func failureOf(refusal *fault.Fault) *Failure { return &Failure{Fault: refusal} }

// crash is a failure without its own error id upstream.
func crash(format string, args ...any) *Failure {
	return failureOf(fault.DamlInterpretationError.New("Interpretation error: "+format, args...))
}

func cancellation(err error) *Failure { return &Failure{err: err} }

func limitReached(what string, limit int64) *Failure {
	return failureOf(fault.InterpretationTimeExceeded.New(
		"Interpretation takes more than %d %s", limit, what).
		WithHint("Split the commands over several submissions, or make the package do less."))
}

// noMemory is the failure of a run that gets no more memory.
func noMemory() *Failure {
	return failureOf(fault.InterpretationTimeExceeded.New("Interpretation exceeds its memory limit").
		WithHint("Split the commands over several submissions, or make the package do less."))
}

// maxCalls bounds the calls that a failure lists.
const maxCalls = 50

func (m *machine) fail(failure *Failure) code {
	if m.failure != nil {
		return nil
	}
	m.failure = failure
	m.trail(failure)
	return nil
}

// locator is a continuation with a place in the source.
type locator interface {
	location(f *frame) ast.Location
}

// trail records the active functions.
func (m *machine) trail(failure *Failure) {
	m.eachActiveCall(func(function *Function, at ast.Location) bool {
		call := Call{Function: function.code.name, Location: at}
		if at.IsZero() {
			call.Location, call.Defined = function.code.at, !function.code.at.IsZero()
		}
		if failure.Location.IsZero() {
			failure.Location = call.Location
		}
		failure.Calls = append(failure.Calls, call)
		return len(failure.Calls) < maxCalls
	})
	if defect, ok := errors.AsType[*Defect](failure.err); ok {
		defect.Calls = failure.Calls
	}
}

// eachActiveCall calls yield with each active function, the innermost first, and the known place in it.
func (m *machine) eachActiveCall(yield func(function *Function, at ast.Location) bool) {
	function, at, last := m.function, ast.Location{}, ""
	leave := func() bool {
		if function == nil {
			return true
		}
		last = function.code.name
		return yield(function, at)
	}
	for _, f := range slices.Backward(m.frames) {
		of := f.function
		if p, ok := f.then.(*place); ok {
			of = p.function
		}
		if of != function {
			if !leave() {
				return
			}
			function, at = of, ast.Location{}
		}
		if _, ok := f.then.(choiceResult); ok {
			if last != f.more.(*choice).title() && !yield(f.more.(*choice).function(), ast.Location{}) {
				return
			}
			last = ""
		}
		if place, ok := f.then.(locator); ok && at.IsZero() {
			at = place.location(&f)
		}
	}
	leave()
}

// arithmeticErrorType is the type of exceptions of arithmetic.
var arithmeticErrorType = lf.TypeName{
	Package: "ee33fb70918e7aaa3d3fc44d64a399fb2bf5bcefc54201b1690ecd448551ba88",
	Module:  "DA.Exception.ArithmeticError", Entity: "ArithmeticError",
}

var arithmeticErrorRecord = &RecordType{Name: arithmeticErrorType, Labels: []string{"message"}}

// arithmeticError throws the exception of an operation without a result.
func (m *machine) arithmeticError(function string, args []Value) code {
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = show(arg)
	}
	message := fmt.Sprintf("ArithmeticError while evaluating (%s %s).", function, strings.Join(texts, " "))
	return m.throw(&Any{
		Type:  m.program.typeRep(&ast.TyCon{Name: arithmeticErrorType}),
		Value: &Record{Type: arithmeticErrorRecord, Fields: []Value{lf.Text(message)}},
	})
}

// show prints a value of a scalar type as programs do.
func show(v Value) string {
	switch v := v.(type) {
	case lf.Bool:
		return strconv.FormatBool(bool(v))
	case lf.Int64:
		return strconv.FormatInt(int64(v), 10)
	case *Numeric:
		return v.show()
	case lf.Text:
		return string(v)
	case lf.Party:
		return string(v)
	case lf.Date:
		return showDate(v)
	case lf.Timestamp:
		return showTimestamp(v)
	case lf.Unit:
		return "<unit>"
	default:
		return fmt.Sprintf("<%T>", v)
	}
}

// handler is a continuation that may catch exceptions.
type handler interface {
	continuation
	// handle handles an exception. The frame is off the stack, and the activation restored.
	handle(m *machine, f *frame, thrown *Failure) code
}

func (m *machine) throw(exception *Any) code {
	thrown := &Failure{Exception: exception}
	m.trail(thrown)
	return m.rethrow(thrown)
}

// rethrow goes back to the innermost handler.
func (m *machine) rethrow(thrown *Failure) code {
	for len(m.frames) > m.bottom {
		top := m.frames[len(m.frames)-1]
		h, ok := top.then.(handler)
		if !ok {
			m.frames = m.frames[:len(m.frames)-1]
			continue
		}
		m.frames = m.frames[:len(m.frames)-1]
		m.base, m.function = top.base, top.function
		return h.handle(m, &top, thrown)
	}
	return m.handleUncaught(thrown)
}

// handleUncaught turns an uncaught exception into a failure, with the message of its type and an error id that names
// it.
func (m *machine) handleUncaught(thrown *Failure) code {
	name, _ := thrown.Exception.Type.IsCon()
	if m.nested { // the choice outside may catch it, and otherwise computes the failure
		thrown.Fault = userFailure("UNHANDLED_EXCEPTION/"+name.QualifiedName(), categoryState, "", nil)
		m.failure = thrown
		return nil
	}
	if name == arithmeticErrorType {
		message := thrown.Exception.Value.(*Record).Fields[0].(lf.Text)
		return m.failUnhandled(thrown, name, string(message))
	}
	f, failure := m.program.exceptionMessage(name)
	if failure != nil {
		return m.fail(failure)
	}
	m.base, m.function = 0, nil
	m.push(unhandledException{}, 0, 0, thrown)
	return m.applyGlobal(f, thrown.Exception.Value)
}

func (m *machine) failUnhandled(thrown *Failure, name lf.TypeName, message string) code {
	thrown.Fault = userFailure("UNHANDLED_EXCEPTION/"+name.QualifiedName(), categoryState, message, nil)
	m.failure, thrown.final = thrown, true
	return nil
}

// categoryState is the category of failures that depend on the ledger's state.
const categoryState = 9

// userError is the failure of ERROR.
func userError(message string) *fault.Fault {
	return fault.InterpretationUserError.New(interpretationError+"User abort: %s", fault.ShortenTo(maxMessage, message))
}

// maxMessage bounds the message of a failure of a package, and the size of its metadata.
const maxMessage = 64 << 10

func userFailure(id string, category int, message string, metadata map[string]string) *fault.Fault {
	return fault.UserFailure(
		fault.Category(category), fault.ShortenTo(1000, id), fault.ShortenTo(maxMessage, message), metadata)
}

// unhandledException waits for the message of an uncaught exception.
type unhandledException struct{}

func (unhandledException) resume(m *machine, f *frame) code {
	thrown := f.more.(*Failure)
	name, _ := thrown.Exception.Type.IsCon()
	return m.failUnhandled(thrown, name, string(m.result.(lf.Text)))
}

// handle handles an exception during the computation of the message.
func (unhandledException) handle(m *machine, f *frame, _ *Failure) code {
	thrown := f.more.(*Failure)
	name, _ := thrown.Exception.Type.IsCon()
	return m.failUnhandled(thrown, name, fmt.Sprintf(
		"<Failed to calculate message as %s was thrown during conversion>", name.QualifiedName()))
}
