package script

import (
	"errors"
	"maps"
	"strings"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// The questions that handle errors of a script: Catch handles exceptions, which are an [engine.Failure] with one;
// TryFailureStatus handles failure statuses, and an uncaught exception is one; TryCommands alone handles failed
// questions. Nothing handles an error that ends the run.

func (q *question) throw() (engine.Value, error) {
	exception := field[*engine.Any](q.reader, q.payload, "exc")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	failure := &engine.Failure{Exception: exception}
	if message, ok := pseudoException(exception); ok {
		name, _ := exception.Type.IsCon()
		failure.Fault = fault.UserFailure(fault.InvalidGivenCurrentSystemStateOther,
			"UNHANDLED_EXCEPTION/"+name.QualifiedName(), message, nil)
		return nil, &passThroughError{q.addPlaces(failure)}
	}
	err := q.suite.program.Throw(q.ctx, q.evaluation, exception)
	if thrown, ok := errors.AsType[*engine.Failure](err); ok {
		failure = thrown
		failure.Exception = exception
		return nil, &passThroughError{q.addPlaces(failure)}
	}
	return nil, err
}

// addPlaces adds the places of the question to a failure of the script's own code.
func (q *question) addPlaces(failure *engine.Failure) *engine.Failure {
	var calls []engine.Call
	for _, frame := range q.at {
		calls = append(calls, engine.Call{Function: frame.Definition, Location: frame.At})
	}
	place := func(calls []engine.Call) {
		failure.Explain, failure.Calls = nil, calls
		if len(calls) > 0 {
			failure.Location = calls[0].Location
		}
	}
	place(calls)
	if len(calls) == 0 {
		last := q.last
		failure.Explain = func() { place(q.askingCalls(last)) }
	}
	return failure
}

// pseudoException is the message of an exception that the library throws but does not define as an exception.
func pseudoException(exception *engine.Any) (string, bool) {
	name, ok := exception.Type.IsCon()
	record, isRecord := exception.Value.(*engine.Record)
	if !ok || !isRecord || name.Module != usersModule || len(record.Fields) != 1 {
		return "", false
	}
	read := &reader{}
	switch name.Entity {
	case "InvalidUserId":
		return string(only[lf.Text](read, record)), true
	case "UserAlreadyExists":
		return "User already exists: " + string(only[lf.Text](read, only[*engine.Record](read, record))), true
	case "UserNotFound":
		return "User not found: " + string(only[lf.Text](read, only[*engine.Record](read, record))), true
	default:
		return "", false
	}
}

// runNested runs the script of the payload's function.
func (q *question) runNested() (engine.Value, error) {
	act := field[engine.Value](q.reader, q.payload, "act")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	v, err := q.apply(act, unit)
	if err != nil {
		return nil, err
	}
	return q.resolve(v)
}

// catch runs a script and handles an exception.
func (q *question) catch() (engine.Value, error) {
	v, err := q.runNested()
	if err == nil {
		return q.make.right(v), nil
	}
	if failure, ok := err.(*engine.Failure); ok && failure.Exception != nil { //nolint:errorlint // not one in a submission
		return q.make.left(failure.Exception), nil
	}
	return nil, &passThroughError{err}
}

// tryFailureStatus runs a script and handles a failure status.
func (q *question) tryFailureStatus() (engine.Value, error) {
	v, err := q.runNested()
	if err == nil {
		return q.make.right(v), nil
	}
	if failure, ok := err.(*engine.Failure); ok && isStatus(failure) { //nolint:errorlint // not one of a submission
		return q.make.left(q.make.status(failure.Fault)), nil
	}
	return nil, &passThroughError{err}
}

func isStatus(failure *engine.Failure) bool {
	return failure.Fault != nil && failure.Fault.Code == fault.DamlFailure.ID
}

// status makes a FailureStatus.
func (m *maker) status(refusal *fault.Fault) engine.Value {
	entries := map[string]string{}
	maps.Copy(entries, refusal.Context)
	id := entries["error_id"]
	delete(entries, "error_id")
	message := refusal.Cause
	if _, after, ok := strings.Cut(message, "): "); ok { // the prefix of fault.UserFailure
		message = after
	}
	meta, err := m.program.NewTextMap(m.ctx, entries)
	m.keep(err)
	return m.record(failureStatus, fieldValues{
		"errorId": lf.Text(id), "category": lf.Int64(refusal.Category), "message": lf.Text(message), "meta": meta,
	})
}

// failWithStatus fails with a status.
func (q *question) failWithStatus() (engine.Value, error) {
	status := field[*engine.Record](q.reader, q.payload, "status")
	metadata := map[string]string{}
	meta := field[*engine.Map](q.reader, status, "meta")
	id := field[lf.Text](q.reader, status, "errorId")
	category := field[lf.Int64](q.reader, status, "category")
	message := field[lf.Text](q.reader, status, "message")
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	meta.Each(func(key, value engine.Value) bool {
		metadata[string(as[lf.Text](q.reader, key))] = string(as[lf.Text](q.reader, value))
		return true
	})
	refusal := fault.UserFailure(fault.Category(category), string(id), string(message), metadata)
	return nil, &passThroughError{q.addPlaces(&engine.Failure{Fault: refusal})}
}

// tryCommands runs a script and handles a failed question.
func (q *question) tryCommands() (engine.Value, error) {
	v, err := q.resolve(field[engine.Value](q.reader, q.payload, "act"))
	if err == nil {
		return q.make.right(v), nil
	}
	failure, ok := err.(*questionError) //nolint:errorlint // nothing around it
	if !ok || failure.final {
		return nil, &passThroughError{err}
	}
	return q.make.left(q.make.record(tuple3, fieldValues{
		"_1": lf.Text(failure.question), "_2": lf.Text(errorClass(failure.err)), "_3": lf.Text(failure.err.Error()),
	})), nil
}

// errorClass is the library's name for the kind of an error.
func errorClass(err error) string {
	refusal, ok := fault.As(err)
	if !ok {
		return "Error"
	}
	if name, ok := errorNames[refusal.Code]; ok {
		return name
	}
	return "UnknownError"
}
