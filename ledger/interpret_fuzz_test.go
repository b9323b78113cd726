package ledger_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// Cell is a contract whose choices run a program.
type Cell struct {
	_      struct{}     `lf:"test-cell:Test.Cell:Cell"`
	Owner  ledger.Party `lf:"owner"`
	Reader ledger.Party `lf:"reader"`
}

// Use runs a program and leaves the cell; Spend archives it first.
type (
	Use struct {
		_       struct{}       `lf:"test-cell:Test.Cell:Use"`
		Actor   ledger.Party   `lf:"actor"`
		Known   []lf.CID[Cell] `lf:"known"`
		Program string         `lf:"program"`
	}
	Spend struct {
		_       struct{}       `lf:"test-cell:Test.Cell:Spend"`
		Actor   ledger.Party   `lf:"actor"`
		Known   []lf.CID[Cell] `lf:"known"`
		Program string         `lf:"program"`
	}
)

// step is one step of a program. Cells have numbers in the order in which the program sees them.
type step struct {
	Kind   stepKind     `json:"kind"`
	Cell   int          `json:"cell"`
	Party  ledger.Party `json:"party"` // the owner of the new cell, or the actor
	Reader ledger.Party `json:"reader"`
	Steps  []step       `json:"steps"`
}

type stepKind int

const (
	stepCreate stepKind = iota
	stepUse
	stepSpend
	stepFetch
	stepKinds
)

var errProgram = errors.New("malformed program")

func cellPackage() ledger.Package {
	return ledger.Package{
		ID: "2222222222222222222222222222222222222222222222222222222222222222", Name: "test-cell", Version: "1.0.0",
		Templates: []ledger.TemplateSource{ledger.Template[Cell]{
			Signatories: func(c Cell) []ledger.Party { return []ledger.Party{c.Owner} },
			Observers:   func(c Cell) []ledger.Party { return []ledger.Party{c.Reader} },
			Choices: []ledger.ChoiceOf[Cell]{
				ledger.Choice[Cell, Use, []lf.CID[Cell]]{
					Controllers: func(_ Cell, arg Use) []ledger.Party { return []ledger.Party{arg.Actor} },
					Body: func(tx *ledger.Tx, _ lf.CID[Cell], _ Cell, arg Use) ([]lf.CID[Cell], error) {
						return runProgram(tx, arg.Known, arg.Program)
					},
				},
				ledger.Choice[Cell, Spend, []lf.CID[Cell]]{
					Consuming:   true,
					Controllers: func(_ Cell, arg Spend) []ledger.Party { return []ledger.Party{arg.Actor} },
					Body: func(tx *ledger.Tx, _ lf.CID[Cell], _ Cell, arg Spend) ([]lf.CID[Cell], error) {
						return runProgram(tx, arg.Known, arg.Program)
					},
				},
			},
		}},
	}
}

func encodeProgram(steps []step) string {
	encoded, _ := json.Marshal(steps) // steps always encode
	return string(encoded)
}

// runProgram is the body of a choice. It returns all cells that it knows at the end.
func runProgram(tx *ledger.Tx, known []lf.CID[Cell], program string) ([]lf.CID[Cell], error) {
	var steps []step
	if err := json.Unmarshal([]byte(program), &steps); err != nil {
		return nil, errProgram
	}
	for _, s := range steps {
		if s.Kind == stepCreate {
			created, err := ledger.Create(tx, Cell{Owner: s.Party, Reader: s.Reader})
			if err != nil {
				return nil, err
			}
			known = append(slices.Clone(known), created)
			continue
		}
		cell, inner := known[s.Cell%len(known)], encodeProgram(s.Steps)
		var err error
		switch s.Kind {
		case stepUse:
			known, err = ledger.Exercise[[]lf.CID[Cell]](tx, cell, Use{Actor: s.Party, Known: known, Program: inner})
		case stepSpend:
			known, err = ledger.Exercise[[]lf.CID[Cell]](tx, cell, Spend{Actor: s.Party, Known: known, Program: inner})
		default:
			_, err = ledger.Fetch(tx, cell)
		}
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

// oracle decides in the simplest way whether a program is allowed: with a list of cells and the authorizers.
type oracle struct{ cells []oracleCell }

type oracleCell struct {
	owner, reader ledger.Party
	isGone        bool
}

func (o *oracle) run(steps []step, authorizers []ledger.Party) bool {
	for _, s := range steps {
		if s.Kind == stepCreate {
			if !slices.Contains(authorizers, s.Party) {
				return false
			}
			o.cells = append(o.cells, oracleCell{owner: s.Party, reader: s.Reader})
			continue
		}
		cell := &o.cells[s.Cell%len(o.cells)]
		switch {
		case cell.isGone:
			return false
		case s.Kind == stepFetch:
			if !slices.Contains(authorizers, cell.owner) && !slices.Contains(authorizers, cell.reader) {
				return false
			}
			continue
		case !slices.Contains(authorizers, s.Party):
			return false
		}
		cell.isGone = s.Kind == stepSpend
		if !o.run(s.Steps, []ledger.Party{cell.owner, s.Party}) {
			return false
		}
	}
	return true
}

// program draws steps. Few of them fail, so that many transactions run long.
func program(random *rand.Rand, depth int, authorizers []ledger.Party) []step {
	steps := make([]step, random.IntN(4))
	for i := range steps {
		party := cellParties()[random.IntN(len(cellParties()))]
		if random.IntN(8) > 0 {
			party = authorizers[random.IntN(len(authorizers))]
		}
		steps[i] = step{
			Kind: stepKind(random.IntN(int(stepKinds))), Cell: random.IntN(6), Party: party,
			Reader: cellParties()[random.IntN(len(cellParties()))],
		}
		if depth > 0 && (steps[i].Kind == stepUse || steps[i].Kind == stepSpend) {
			steps[i].Steps = program(random, depth-1, []ledger.Party{party})
		}
	}
	return steps
}

func cellParties() []ledger.Party { return []ledger.Party{"alice::1220", "bob::1220", "carol::1220"} }

// FuzzInterpretation_AgreesWithTheOracle submits random trees of commands, and compares every outcome and the state
// after it with the oracle.
func FuzzInterpretation_AgreesWithTheOracle(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed, byte(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, actors byte) {
		random := rand.New(rand.NewPCG(seed, uint64(actors)))
		l, err := ledgertest.New(cellPackage())
		require.NoError(t, err)
		parties := cellParties()
		var known []lf.CID[Cell]
		o := &oracle{}
		for i, owner := range parties {
			reader := parties[(i+1)%len(parties)]
			id, err := ledgertest.Create(l, ledgertest.As(owner), Cell{Owner: owner, Reader: reader})
			require.NoError(t, err)
			known = append(known, id)
			o.cells = append(o.cells, oracleCell{owner: owner, reader: reader})
		}
		for range 4 {
			known = submitProgram(t, random, l, o, known, actors)
		}
	})
}

// submitProgram submits a command that runs a program, and returns all cells so far.
func submitProgram(
	t *testing.T, random *rand.Rand, l *ledgertest.Ledger, o *oracle, known []lf.CID[Cell], actors byte,
) []lf.CID[Cell] {
	t.Helper()
	actor := cellParties()[int(actors)%len(cellParties())]
	root := step{Kind: stepSpend, Cell: random.IntN(len(known)), Party: actor}
	if random.IntN(2) == 0 {
		root.Kind = stepUse
	}
	root.Steps = program(random, 4, []ledger.Party{actor, o.cells[root.Cell].owner})
	expected := &oracle{cells: slices.Clone(o.cells)}
	accepted := expected.run([]step{root}, []ledger.Party{actor})

	var command ledger.Command
	var err error
	if root.Kind == stepUse {
		command, err = ledgertest.ExerciseCommand(l, known[root.Cell],
			Use{Actor: actor, Known: known, Program: encodeProgram(root.Steps)})
	} else {
		command, err = ledgertest.ExerciseCommand(l, known[root.Cell],
			Spend{Actor: actor, Known: known, Program: encodeProgram(root.Steps)})
	}
	require.NoError(t, err)
	by := ledgertest.As(actor)
	by.ReadAs = cellParties()
	transaction, err := l.SubmitCommands(by, command)
	if !accepted {
		_, isFault := fault.As(err)
		require.True(t, isFault, "a refusal, no failure: %v", err)
		requireState(t, l, o)
		return known
	}
	require.NoError(t, err)
	o.cells = expected.cells
	all := slices.Clone(known)
	for _, created := range transaction.Created() {
		all = append(all, lf.CID[Cell](created.Contract.ID))
	}
	require.Len(t, all, len(o.cells))
	requireState(t, l, o)
	for i, cell := range o.cells {
		_, active := l.Active[all[i].ID()]
		require.Equal(t, !cell.isGone, active, "cell %d", i)
	}
	return all
}

// requireState compares the number of active cells of each owner and reader.
func requireState(t *testing.T, l *ledgertest.Ledger, o *oracle) {
	t.Helper()
	found, err := ledgertest.All[Cell](l)
	require.NoError(t, err)
	count := map[Cell]int{}
	for _, cell := range found {
		count[cell]++
	}
	for _, cell := range o.cells {
		if !cell.isGone {
			count[Cell{Owner: cell.owner, Reader: cell.reader}]--
		}
	}
	for cell, difference := range count {
		require.Zero(t, difference, "cells of %s that %s reads", cell.Owner, cell.Reader)
	}
}
