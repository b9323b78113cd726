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

// Suite is packages whose scripts can be run, several at a time.
type Suite struct {
	program  *engine.Program
	packages ast.Packages
}

// NewSuite prepares packages, which must be complete and well-typed: package check sees to it.
func NewSuite(packages ast.Packages) (*Suite, error) {
	out := &Suite{program: engine.NewProgram(packages), packages: packages}
	for id, p := range packages {
		name := ast.ValueName{Package: id, Module: lowLevel, Name: "dangerousCast"}
		if !isLibrary(p) || packages.Value(name) == nil {
			continue
		}
		// Questions and answers are of one type for whom they go through, so the library casts them.
		if err := out.program.MakeIdentity(name); err != nil {
			return nil, fmt.Errorf("the Daml Script library: %w", err)
		}
	}
	return out, nil
}

// Options say how a script is run.
type Options struct {
	// Seed is what contract ids and keys derive from.
	Seed [32]byte
	// Limits are for each evaluation; the engine's own where they are zero.
	Limits engine.Limits
	// More is asked before a script takes more memory, as [engine.Options] say, and with 0 before it begins and before
	// each question, as a script may keep what it gets to know. A script that is refused fails. nil always grants.
	More func(bytes int64) bool
	// Node answers what the script asks from the ledger of a node; nil stands for a ledger in memory.
	Node Node
	// User is who the script speaks as to the node. It gets the right to act as the parties that the script makes.
	User string
	// Parties are parties of the node that the user may act as, by the names under which the script allocates them: those
	// are taken, and none is made.
	Parties map[string]ledger.Party
	// Input is the argument of a script that wants one, in the JSON of the API.
	Input json.RawMessage
	// Output has the result of the script in the report.
	Output bool
	// Questions bounds how many questions a script asks; 0 stands for 100,000.
	Questions int
}

const maxQuestions = 100_000

// Run runs a script. What it fails with is in the report.
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
	err := r.memory() // what the packages take may be all that there is
	if err == nil {
		err = r.script(script.Name)
	}
	if err == nil && options.Output {
		out.Result = r.result
	} else if err != nil {
		starved := r.starved // and not by what explains the failure
		out.Failure = failureOf(err)
		if starved {
			out.Failure.Starved, out.Failure.Code, out.Failure.Message = true, "", errStarved.Error()
		}
	}
	r.forget()
	out.Messages, out.Unsaid = r.messages, r.unsaid
	r.ledger.report(&out)
	return out
}

// run is a run of a script.
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
	unsaid     int    // how many messages before them are left out
	questions  int    // how many more may be asked
	starved    bool   // it was refused memory
	drawn      uint64 // how many seeds were drawn
	last       application
	result     json.RawMessage
}

// world is the ledger that a run asks.
func (s *Suite) world(options Options) world {
	if options.Node == nil {
		return newMemory(s.packages)
	}
	return &remote{node: options.Node, speaker: options.User, parties: options.Parties}
}

// maxMessages bounds the messages that a report has: the last ones.
const maxMessages = 10_000

func (r *run) trace(text string, at ast.Location) {
	if r.messages = append(r.messages, Message{text, at}); len(r.messages) >= 2*maxMessages {
		r.forget()
	}
}

// forget leaves the first messages out where there are too many.
func (r *run) forget() {
	if n := len(r.messages) - maxMessages; n > 0 {
		r.messages = slices.Delete(r.messages, 0, n)
		r.unsaid += n
	}
}

// draw is a seed that no other draw of the run gets.
func (r *run) draw() [32]byte {
	r.drawn++
	return sha256.Sum256(binary.BigEndian.AppendUint64(r.options.Seed[:], r.drawn))
}

// script evaluates a script and answers what it asks.
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

// resolve runs a script that was evaluated, and returns its result.
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

// step answers a question and goes on.
func (r *run) step(asked *engine.Record, read *reader) (engine.Value, error) {
	q := question{
		run: r, reader: read,
		name:    string(field[lf.Text](read, asked, "commandName")),
		version: int64(field[lf.Int64](read, asked, "commandVersion")),
		payload: field[*engine.Record](read, asked, "payload"),
	}
	q.at = read.frames(field[*engine.List](read, asked, "locations"))
	next := field[engine.Value](read, asked, "continue")
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

// memory is an error once the script is refused memory: a question that fails for that must not count as answered.
func (r *run) memory() error {
	if r.more(0) {
		return nil
	}
	return errStarved
}

var errStarved = errors.New("the script exceeds its memory limit")

func (r *run) apply(f engine.Value, args ...engine.Value) (engine.Value, error) {
	r.last = application{f, args}
	v, err := r.suite.program.Apply(r.ctx, r.evaluation, f, args...)
	if failure, ok := errors.AsType[*engine.Failure](err); ok {
		r.explainOwn(failure, r.last)
	}
	return v, err
}

// frames reads the places that led to a question.
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

// parties are those of a query, which must name some.
func (q *question) parties() []ledger.Party {
	out := q.reader.parties(field[*engine.List](q.reader, q.payload, "parties"))
	if len(out) == 0 {
		q.reader.fail("a query names no party")
	}
	return out
}
