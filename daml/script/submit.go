package script

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// submission is a list of commands with its parties and options.
type submission struct {
	actAs, readAs []ledger.Party
	disclosed     []disclosure
	preference    []lf.PackageID
	behaviour     string
	commands      []command
	at            []Frame
}

// The expectations of a submission.
const (
	mustSucceed = "MustSucceed"
	mustFail    = "MustFail"
)

// submit makes submissions, one after another.
func (q *question) submit() (engine.Value, error) {
	var submissions []submission
	for _, one := range list[*engine.Record](q.reader, field[*engine.List](q.reader, q.payload, "submissions")) {
		submissions = append(submissions, q.reader.submission(one))
	}
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	var answers []engine.Value
	for _, one := range submissions {
		if len(one.at) == 0 {
			one.at = q.at
		}
		answer, err := q.ledger.submit(q, one)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return engine.ListOf(answers...), nil
}

func (r *reader) submission(of *engine.Record) submission {
	out := submission{
		actAs:  r.nonEmpty(field[*engine.Record](r, of, "sActAs")),
		readAs: r.parties(field[*engine.List](r, of, "sReadAs")),
	}
	for _, one := range list[*engine.Record](r, field[*engine.List](r, of, "sDisclosures")) {
		out.disclosed = append(out.disclosed, disclosure{
			id: field[lf.ContractID](r, one, "contractId"), blob: string(field[lf.Text](r, one, "blob")),
		})
	}
	if some := field[*engine.Optional](r, of, "sPackagePreference"); some != nil {
		for _, id := range list[*engine.Record](r, as[*engine.List](r, some.Value)) {
			out.preference = append(out.preference, lf.PackageID(only[lf.Text](r, id)))
		}
	}
	if behaviour := field[*engine.Enum](r, of, "sErrorBehaviour"); behaviour != nil {
		out.behaviour = behaviour.Constructor()
	}
	for _, one := range list[*engine.Record](r, field[*engine.List](r, of, "sCommands")) {
		out.commands = append(out.commands, r.command(one))
	}
	if place := field[*engine.Optional](r, of, "sLocation"); place != nil {
		out.at = r.frames(engine.ListOf(place.Value))
	}
	return out
}

func (r *reader) nonEmpty(of *engine.Record) []ledger.Party {
	first := field[lf.Party](r, of, "hd")
	return append([]ledger.Party{first}, r.parties(field[*engine.List](r, of, "tl"))...)
}

// submit interprets one submission, and applies its transaction.
func (l *memoryLedger) submit(q *question, one submission) (engine.Value, error) {
	h := &host{ledger: l, readers: ledger.SortedParties(one.actAs, one.readAs)}
	outcome, err := l.interpret(q, one, h)
	transaction := Transaction{ActAs: one.actAs, ReadAs: one.readAs, At: one.at, Tree: outcome.Transaction}
	whole := transaction
	whole.Tree = outcome.Whole
	switch {
	case err == nil && one.behaviour == mustFail:
		return nil, &questionError{
			question: q.name, at: one.at, submission: &whole,
			err: fault.InterpretationUserError.New("Expected submit to fail but it succeeded"),
		}
	case err == nil:
		l.commit(transaction)
		return q.make.right(q.make.pair(q.results(one, outcome), q.tree(outcome.Transaction, one.commands))), nil
	case one.behaviour == mustSucceed || !q.isRefusal(err):
		return nil, &questionError{
			question: q.name, at: one.at, submission: &whole, err: l.explainMissing(err, h), final: !q.isRefusal(err),
		}
	default:
		return q.make.left(q.submitError(err, h)), nil
	}
}

// interpret interprets commands and checks their outcome.
func (l *memoryLedger) interpret(q *question, one submission, h *host) (engine.Interpretation, error) {
	if unknown := l.unallocatedParties(h.readers); len(unknown) > 0 {
		return engine.Interpretation{}, notAllocated(unknown)
	}
	names, err := l.selectPackages(one.preference)
	if err != nil {
		return engine.Interpretation{}, err
	}
	if h.disclosed, err = l.disclose(one.disclosed); err != nil {
		return engine.Interpretation{}, err
	}
	var commands []engine.Command
	for _, c := range one.commands {
		command, err := l.engineCommand(q, c, names)
		if err != nil {
			return engine.Interpretation{}, err
		}
		commands = append(commands, command)
	}
	evaluation := q.evaluation
	evaluation.Explain = one.behaviour == mustSucceed
	outcome, err := q.suite.program.Interpret(q.ctx, evaluation, engine.Environment{
		Host: h, ActAs: one.actAs, EffectiveAt: l.now, Seed: q.draw(), Packages: names, TakeBack: true,
	}, commands)
	if err != nil {
		return outcome, err
	}
	if unknown := l.unallocatedParties(outcome.Whole.Informees()); len(unknown) > 0 {
		return outcome, notAllocated(unknown)
	}
	for _, node := range outcome.Whole.Nodes {
		if l.unvetted[node.Template.Package] {
			return outcome, fault.PackageSelectionFailed.New(
				"Package %s of template %s is not vetted", node.Template.Package, node.Template.QualifiedName())
		}
	}
	for _, d := range one.disclosed {
		if e := l.entries[d.id]; e == nil || e.archived {
			h.unusable, h.why = d.id, notActive
			return outcome, fault.ContractNotActive.New("The disclosed contract %s is not active", d.id).
				WithResource("CONTRACT_ID", string(d.id))
		}
	}
	return outcome, nil
}

func notAllocated(parties []ledger.Party) error {
	refusal := fault.UnknownParties(ledger.Strings(parties)...)
	return refusal.WithHint("Allocate the party with allocateParty first.")
}

// results makes the library's values of the results: a create-and-exercise has two.
func (q *question) results(one submission, outcome engine.Interpretation) engine.Value {
	result := q.make.in(commandsModule, "CommandResult")
	var out []engine.Value
	roots := outcome.Transaction.Roots
	for i, c := range one.commands {
		switch c.kind {
		case create:
			out = append(out, q.make.variant(result, "CreateResult", outcome.Results[i]))
		case createAndExercise:
			id := outcome.Transaction.Nodes[roots[0]].ContractID
			out = append(out, q.make.variant(result, "CreateResult", id))
			roots = roots[1:]
			fallthrough
		default:
			v := q.result(c, outcome.Transaction.Nodes[roots[0]], outcome.Results[i])
			out = append(out, q.make.variant(result, "ExerciseResult", v))
		}
		roots = roots[1:]
	}
	return engine.ListOf(out...)
}

// result converts the result of a choice to the version in the command.
func (q *question) result(c command, node ledger.TxNode, v engine.Value) engine.Value {
	if node.Interface != nil || node.Template.Package == c.of.Package {
		return v
	}
	v, err := q.suite.program.ImportResult(c.of, c.choice, node.Result)
	if err != nil {
		q.make.keep(fmt.Errorf("choice %s ran in version %s of its package, and its result does not fit version %s, "+
			"which the command names: %w", c.choice, q.release(node.Template.Package), q.release(c.of.Package), err))
	}
	return v
}

// release is the version of a package.
func (q *question) release(id lf.PackageID) string {
	if p := q.suite.packages[id]; p != nil {
		return p.Release
	}
	return string(id)
}

// explainMissing adds the reason for a missing contract to the error of a submission.
func (l *memoryLedger) explainMissing(err error, h *host) error {
	refusal, ok := fault.As(err)
	if !ok || refusal.Code != fault.ContractNotFound.ID || h.unusable == "" {
		return err
	}
	if hint := l.hintFor(h); hint != "" {
		refusal.Cause += "; " + hint
	}
	return err
}

func (l *memoryLedger) hintFor(h *host) string {
	e := l.entries[h.unusable]
	if e == nil {
		return ""
	}
	of := "it is a " + e.Template.QualifiedName()
	switch h.why {
	case notActive:
		return of + " that was archived"
	case notEffective:
		return of + " whose creation is later than the ledger's time"
	case notVisible:
		return of + " that no party of the submission can see; its stakeholders are " +
			strings.Join(ledger.Strings(e.Stakeholders()), ", ")
	default:
		return ""
	}
}
