package script

import (
	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

type command struct {
	kind string
	// of is the template or interface in the command.
	of lf.TypeName
	// exact: the command means exactly this package, not the selected package of the same name.
	exact    bool
	argument engine.Value // of a create
	contract lf.ContractID
	key      engine.Value
	choice   string
	choiceOf engine.Value // the argument of the choice
}

// The kinds of commands, with the library's names.
const (
	create            = "Create"
	exercise          = "Exercise"
	exerciseByKey     = "ExerciseByKey"
	createAndExercise = "CreateAndExercise"
)

func (r *reader) command(of *engine.Record) (out command) {
	out.exact = bool(field[lf.Bool](r, of, "explicitPackageId"))
	v := field[*engine.Variant](r, of, "command")
	if v == nil {
		return out
	}
	content := as[*engine.Record](r, v.Value)
	out.kind = v.Constructor()
	choice := func(name string) { out.choice, out.choiceOf = r.choice(field[*engine.Record](r, content, name)) }
	switch out.kind {
	case create:
		out.of, out.argument = r.template(field[*engine.Record](r, content, "argC"))
	case exercise:
		out.of = r.typeName(field[*engine.Record](r, content, "tplId"))
		out.contract = field[lf.ContractID](r, content, "cId")
		choice("argE")
	case exerciseByKey:
		out.of = r.typeName(field[*engine.Record](r, content, "tplId"))
		out.key = r.key(field[*engine.Record](r, content, "keyE"))
		choice("argE")
	case createAndExercise:
		out.of, out.argument = r.template(field[*engine.Record](r, content, "tplArgCE"))
		choice("choiceArgCE")
	default:
		r.fail("command %s is not known", out.kind)
	}
	return out
}

// engineCommand converts a command for the engine. Names has the selected packages by name.
func (l *memoryLedger) engineCommand(q *question, c command, names map[string]lf.PackageID) (engine.Command, error) {
	of, err := l.chooseTemplate(q, c, names)
	if err != nil {
		return nil, err
	}
	argument, err := q.convert(c.argument, of.Package)
	if err != nil {
		return nil, err
	}
	choiceArgument, err := q.convert(c.choiceOf, of.Package)
	if err != nil {
		return nil, err
	}
	switch c.kind {
	case create:
		return engine.Create{Template: of, Argument: argument}, nil
	case exercise:
		return engine.Exercise{Type: of, Contract: c.contract, Choice: c.choice, Argument: choiceArgument}, nil
	case createAndExercise:
		return engine.CreateAndExercise{
			Create: engine.Create{Template: of, Argument: argument}, Choice: c.choice, ChoiceArgument: choiceArgument,
		}, nil
	default:
		key, err := q.convert(c.key, of.Package)
		return engine.ExerciseByKey{Template: of, Key: key, Choice: c.choice, Argument: choiceArgument}, err
	}
}

// key is the key in an AnyContractKey. Old libraries have its type, too.
func (r *reader) key(of *engine.Record) engine.Value {
	key := field[engine.Value](r, of, "getAnyContractKey")
	if typed, ok := key.(*engine.Any); ok {
		return typed.Value
	}
	return key
}

// chooseTemplate finds the template or interface of a command.
func (l *memoryLedger) chooseTemplate(q *question, c command, names map[string]lf.PackageID) (lf.TypeName, error) {
	of := c.of
	p := q.suite.packages[of.Package]
	if p == nil {
		return of, fault.DamlInterpretationError.New("Interpretation error: package %s is not known", of.Package)
	}
	if q.suite.packages.Template(of) == nil || c.exact { // interfaces have no versions
		if l.unvetted[of.Package] {
			return of, fault.UnresolvedPackageName.New("Package %s (%s) is not vetted", of.Package, p.Name)
		}
		return of, nil
	}
	id, ok := names[p.Name]
	if !ok {
		return of, fault.UnresolvedPackageName.New("No package with the name %s is vetted", p.Name).
			With("package_name", p.Name)
	}
	of.Package = id
	if q.suite.packages.Template(of) == nil {
		return of, fault.CommandPreprocessingFailed.New("Package %s has no template %s", id, of.QualifiedName())
	}
	return of, nil
}
