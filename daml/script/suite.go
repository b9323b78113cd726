package script

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Suite runs scripts of packages, several at a time.
type Suite struct {
	program  *engine.Program
	packages ast.Packages
}

// NewSuite prepares packages, which must be complete and well-typed: use package check.
func NewSuite(packages ast.Packages) (*Suite, error) {
	out := &Suite{program: engine.NewProgram(packages), packages: packages}
	for id, p := range packages {
		name := ast.ValueName{Package: id, Module: lowLevel, Name: "dangerousCast"}
		if !isLibrary(p) || packages.Value(name) == nil {
			continue
		}
		// Questions and answers have one type outside the library, so the library casts them.
		if err := out.program.MakeIdentity(name); err != nil {
			return nil, fmt.Errorf("the Daml Script library: %w", err)
		}
	}
	return out, nil
}

// Options are options of a run.
type Options struct {
	// Seed is the source of contract ids and keys.
	Seed [32]byte
	// Limits bound each evaluation; the engine's defaults if zero.
	Limits engine.Limits
	// More reports whether a script may take more memory, see [engine.Options]. The run also calls it with 0 at the
	// start and before each question, because a script may keep the answers. If it returns false, the script fails. nil
	// always grants.
	More func(bytes int64) bool
	// Node is the node whose ledger answers the script; nil for a ledger in memory.
	Node Node
	// User is the node's user for the script. It gets the right to act as the script's parties.
	User string
	// Parties are existing parties of the node that the user may act as, by the names that the script allocates. The
	// script uses them instead of new parties.
	Parties map[string]ledger.Party
	// Input is the script's argument, if it takes one, in the JSON of the API.
	Input json.RawMessage
	// Output adds the script's result to the report.
	Output bool
	// Questions bounds the questions of a script; 0 means 100,000.
	Questions int
}

const maxQuestions = 100_000

// Run runs a script. The report has its failure.
func (s *Suite) Run(ctx context.Context, script Script, options Options) Report {
	if options.Questions == 0 {
		options.Questions = maxQuestions
	}
	r := &run{
		suite: s, name: script.Name, ctx: ctx, options: options, known: questionHandlers(), ledger: s.world(options),
		questions: options.Questions,
		make:      maker{ctx: ctx, program: s.program, library: libraryOf(script.Name, s.packages)},
	}
	r.evaluation = engine.Options{Limits: options.Limits, More: r.more, Trace: r.trace, Explain: true}
	out := Report{Script: script}
	err := r.memory() // the packages alone may take all memory
	if err == nil {
		err = r.script(script.Name)
	}
	if err == nil && options.Output {
		out.Result = r.result
	} else if err != nil {
		starved := r.starved // before failureOf, which runs code too
		out.Failure = failureOf(err)
		if starved {
			out.Failure.Starved, out.Failure.Code, out.Failure.Message = true, "", errOutOfMemory.Error()
		}
	}
	r.forget()
	out.Messages, out.Omitted = r.messages, r.omitted
	r.ledger.report(&out)
	return out
}

type run struct {
	suite      *Suite
	name       ast.ValueName
	ctx        context.Context //nolint:containedctx // a run is one call of Run
	options    Options
	evaluation engine.Options
	known      map[string]questionHandler
	ledger     world
	make       maker
	messages   []Message
	omitted    int    // number of messages before them
	questions  int    // number of questions left
	starved    bool   // the run got no more memory
	draws      uint64 // number of seeds so far
	last       application
	result     json.RawMessage
}

// world makes the ledger of a run.
func (s *Suite) world(options Options) world {
	if options.Node == nil {
		return newMemoryLedger(s.packages)
	}
	return &remote{node: options.Node, speaker: options.User, parties: options.Parties}
}

// maxMessages bounds the messages of a report: the last ones.
const maxMessages = 10_000

func (r *run) trace(text string, at ast.Location) {
	if r.messages = append(r.messages, Message{text, at}); len(r.messages) >= 2*maxMessages {
		r.forget()
	}
}

// forget drops the first messages if there are too many.
func (r *run) forget() {
	if n := len(r.messages) - maxMessages; n > 0 {
		r.messages = slices.Delete(r.messages, 0, n)
		r.omitted += n
	}
}

// draw makes a seed that is unique in the run.
func (r *run) draw() [32]byte {
	r.draws++
	return sha256.Sum256(binary.BigEndian.AppendUint64(r.options.Seed[:], r.draws))
}

// script evaluates a script and answers its questions.
func (r *run) script(name ast.ValueName) (err error) {
	defer func() {
		if defect := recover(); defect != nil {
			err = fmt.Errorf("the script cannot be run: %v", defect)
		}
	}()
	if r.make.library == "" {
		return fmt.Errorf("%s is not a script", name.QualifiedName())
	}
	v, err := r.suite.program.Value(r.ctx, r.evaluation, name)
	if err != nil {
		return err
	}
	takes, returns := typesOf(name, r.suite.packages)
	if takes != nil {
		argument, err := r.suite.program.DecodeAs(takes, r.options.Input)
		if err != nil {
			return fmt.Errorf("the input of %s: %w", name.QualifiedName(), err)
		}
		if v, err = r.apply(v, argument); err != nil {
			return err
		}
	}
	v, err = r.resolve(v)
	if err == nil && r.options.Output {
		if r.result, err = r.suite.program.EncodeAs(returns, v); err != nil {
			err = fmt.Errorf("the result of %s cannot be written: %w", name.QualifiedName(), err)
		}
	}
	return err
}

// resolve runs an evaluated script, and returns its result.
func (r *run) resolve(v engine.Value) (engine.Value, error) {
	read := &reader{}
	start := field[engine.Value](read, as[*engine.Record](read, v), "runScript")
	if read.err != nil {
		return nil, read.err
	}
	free, err := r.apply(start, unit)
	for err == nil {
		next := as[*engine.Variant](read, free)
		if read.err != nil {
			return nil, read.err
		}
		if next.Constructor() == "Pure" {
			return field[engine.Value](read, as[*engine.Record](read, next.Value), "_1"), read.err
		}
		free, err = r.step(only[*engine.Record](read, as[*engine.Record](read, next.Value)), read)
	}
	return nil, err
}

// step answers a question and continues the script.
func (r *run) step(record *engine.Record, read *reader) (engine.Value, error) {
	q := question{
		run: r, reader: read,
		name:    string(field[lf.Text](read, record, "commandName")),
		version: int64(field[lf.Int64](read, record, "commandVersion")),
		payload: field[*engine.Record](read, record, "payload"),
	}
	q.at = read.frames(field[*engine.List](read, record, "locations"))
	next := field[engine.Value](read, record, "continue")
	if read.err != nil {
		return nil, read.err
	}
	if r.questions--; r.questions < 0 {
		return nil, q.endRun(fmt.Errorf("the script asks more than %d questions", r.options.Questions))
	}
	if err := cmp.Or(r.ctx.Err(), r.memory()); err != nil {
		return nil, q.endRun(err)
	}
	answer, err := q.answer()
	if err != nil {
		return nil, err
	}
	return r.apply(next, answer)
}

// more reports whether the script may take more memory.
func (r *run) more(bytes int64) bool {
	if r.options.More != nil && !r.options.More(bytes) {
		r.starved = true
	}
	return !r.starved
}

// memory returns an error if the script got no more memory. Then the current question must fail.
func (r *run) memory() error {
	if r.more(0) {
		return nil
	}
	return errOutOfMemory
}

var errOutOfMemory = errors.New("the script exceeds its memory limit")

func (r *run) apply(f engine.Value, args ...engine.Value) (engine.Value, error) {
	r.last = application{f, args}
	v, err := r.suite.program.Apply(r.ctx, r.evaluation, f, args...)
	if failure, ok := errors.AsType[*engine.Failure](err); ok {
		r.explainOwn(failure, r.last)
	}
	return v, err
}

// frames reads the places of a question.
func (r *reader) frames(of *engine.List) []Frame {
	var out []Frame
	for _, pair := range list[*engine.Record](r, of) {
		place := field[*engine.Record](r, pair, "_2")
		number := func(name string) int32 { return int32(field[lf.Int64](r, place, name)) }
		at := ast.Location{
			Module: string(field[lf.Text](r, place, "srcLocModule")),
			Start:  ast.Position{Line: number("srcLocStartLine"), Column: number("srcLocStartCol")},
			End:    ast.Position{Line: number("srcLocEndLine"), Column: number("srcLocEndCol")},
		}
		out = append(out, Frame{Definition: string(field[lf.Text](r, pair, "_1")), At: at})
	}
	return out
}

// parties are the parties of a query, at least one.
func (q *question) parties() []ledger.Party {
	out := q.reader.parties(field[*engine.List](q.reader, q.payload, "parties"))
	if len(out) == 0 {
		q.reader.fail("a query names no party")
	}
	return out
}
