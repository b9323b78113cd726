package engine

import (
	"errors"
	"fmt"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// LFType describes a type without arguments, such as a template, in the ledger's form.
func (p *Program) LFType(name lf.TypeName) (*lf.Type, error) {
	return p.lfTypeOf(&ast.TyCon{Name: name})
}

// lfTypeOf describes a type of stored values.
func (p *Program) lfTypeOf(t ast.Type) (*lf.Type, error) {
	return once(p, p.lfTypes, p.typeRep(t).key, func() (*lf.Type, error) {
		d := describer{program: p, known: map[string]*lf.Type{}, left: maxDescription}
		out, err := d.describe(t, nil)
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", fault.Shorten(p.typeRep(t).key), err)
		}
		return out, nil
	})
}

// maxDescription bounds the types that a description visits. A type whose parts have ever larger types
// (data T a = T a (T (a, a))) has no description.
const maxDescription = 100_000

// describer describes types, which may be recursive.
type describer struct {
	program *Program
	known   map[string]*lf.Type
	left    int
}

var errDescription = errors.New("its description is infinite or too large")

// enter counts a type and its parts. It reports whether to continue.
func (d *describer) enter(t ast.Type) bool {
	if d.left--; d.left < 0 {
		return false
	}
	switch t := t.(type) {
	case *ast.TyApp:
		return d.enter(t.Fun) && d.enterAll(t.Args)
	case *ast.TySyn:
		return d.enterAll(t.Args)
	default:
		return true
	}
}

func (d *describer) enterAll(types []ast.Type) bool {
	for _, t := range types {
		if !d.enter(t) {
			return false
		}
	}
	return true
}

// typeArgs are the types of variables.
type typeArgs map[string]ast.Type

// substitute replaces variables by types. Types of values have no binders.
func substitute(t ast.Type, args typeArgs) ast.Type {
	switch t := t.(type) {
	case *ast.TyVar:
		if bound, ok := args[t.Name]; ok {
			return bound
		}
		return t
	case *ast.TyApp:
		out := make([]ast.Type, len(t.Args))
		for i, arg := range t.Args {
			out[i] = substitute(arg, args)
		}
		return ast.Apply(substitute(t.Fun, args), out...)
	case *ast.TySyn:
		out := make([]ast.Type, len(t.Args))
		for i, arg := range t.Args {
			out[i] = substitute(arg, args)
		}
		return &ast.TySyn{Name: t.Name, Args: out}
	default:
		return t
	}
}

// expandSynonyms replaces a synonym at the top of a type.
func (p *Program) expandSynonyms(t ast.Type) (ast.Type, error) {
	for {
		syn, ok := t.(*ast.TySyn)
		if !ok {
			if app, ok := t.(*ast.TyApp); ok {
				fun, err := p.expandSynonyms(app.Fun)
				return ast.Apply(fun, app.Args...), err
			}
			return t, nil
		}
		def := p.packages.Synonym(syn.Name)
		if def == nil || len(def.Params) != len(syn.Args) {
			return nil, fmt.Errorf("type synonym %s is not defined with %d parameters", syn.Name, len(syn.Args))
		}
		t = substitute(def.Type, bind(def.Params, syn.Args))
	}
}

func bind(params []ast.TypeBinder, args []ast.Type) typeArgs {
	out := make(typeArgs, len(params))
	for i, param := range params {
		out[param.Name] = args[i]
	}
	return out
}

var scalarKinds = map[ast.BuiltinType]lf.Kind{
	ast.Unit: lf.KindUnit, ast.Bool: lf.KindBool, ast.Int64: lf.KindInt64, ast.Date: lf.KindDate,
	ast.Timestamp: lf.KindTimestamp, ast.Numeric: lf.KindNumeric, ast.Party: lf.KindParty, ast.Text: lf.KindText,
	ast.ContractID: lf.KindContractID, ast.Optional: lf.KindOptional, ast.List: lf.KindList, ast.GenMap: lf.KindGenMap,
	ast.TextMap: lf.KindTextMap,
}

func (d *describer) describe(t ast.Type, args typeArgs) (*lf.Type, error) {
	if args != nil {
		t = substitute(t, args)
	}
	if !d.enter(t) {
		return nil, errDescription
	}
	t, err := d.program.expandSynonyms(t)
	if err != nil {
		return nil, err
	}
	if !d.enter(t) {
		return nil, errDescription
	}
	key := d.program.typeRep(t).key
	if known := d.known[key]; known != nil {
		return known, nil
	}
	out := &lf.Type{}
	d.known[key] = out // before its parts, which may refer to it
	fun, arguments := ast.Unapply(t)
	switch fun := fun.(type) {
	case *ast.TyBuiltin:
		return out, d.builtin(out, fun.Type, arguments)
	case *ast.TyCon:
		return out, d.data(out, fun.Name, arguments)
	default:
		return nil, fmt.Errorf("the ledger does not store values of type %s", key)
	}
}

func (d *describer) builtin(out *lf.Type, t ast.BuiltinType, args []ast.Type) (err error) {
	kind, ok := scalarKinds[t]
	if !ok {
		return fmt.Errorf("the ledger does not store values of type %s", t)
	}
	out.Kind = kind
	switch {
	case t == ast.Numeric && len(args) == 1:
		err = d.numeric(out, args[0])
	case (t == ast.Optional || t == ast.List || t == ast.TextMap) && len(args) == 1:
		out.Element, err = d.describe(args[0], nil)
	case t == ast.GenMap && len(args) == 2:
		if out.Key, err = d.describe(args[0], nil); err == nil {
			out.Element, err = d.describe(args[1], nil)
		}
	}
	return err
}

// numeric sets the scale of a numeric type.
func (d *describer) numeric(out *lf.Type, scale ast.Type) error {
	scale, err := d.program.expandSynonyms(scale)
	if err != nil {
		return err
	}
	digits, ok := scale.(*ast.TyNat)
	if !ok {
		return fmt.Errorf("%s is not a scale", d.program.typeRep(scale).key)
	}
	if digits.Value != decimal.Places {
		out.Kind, out.Scale = lf.KindScaled, digits.Value
	}
	return nil
}

// scaleOf returns the scale of a numeric type; false for another type.
func scaleOf(t *lf.Type) (int, bool) {
	switch t.Kind {
	case lf.KindNumeric:
		return decimal.Places, true
	case lf.KindScaled:
		return t.Scale, true
	default:
		return 0, false
	}
}

func (d *describer) data(out *lf.Type, name lf.TypeName, args []ast.Type) error {
	def := d.program.packages.DataType(name)
	if def == nil || len(def.Params) != len(args) {
		return fmt.Errorf("type %s is not defined with %d parameters", name, len(args))
	}
	out.Name = name
	bound := bind(def.Params, args)
	members := func(fields []ast.Field) ([]lf.Member, error) {
		var list []lf.Member
		for _, field := range fields {
			typ, err := d.describe(field.Type, bound)
			if err != nil {
				return nil, err
			}
			list = append(list, lf.Member{Name: field.Name, Type: typ})
		}
		return list, nil
	}
	var err error
	switch cons := def.Cons.(type) {
	case *ast.RecordCons:
		out.Kind = lf.KindRecord
		out.Fields, err = members(cons.Fields)
	case *ast.VariantCons:
		out.Kind = lf.KindVariant
		out.Constructors, err = members(cons.Constructors)
	case *ast.EnumCons:
		out.Kind = lf.KindEnum
		for _, constructor := range cons.Constructors {
			out.Constructors = append(out.Constructors, lf.Member{Name: constructor})
		}
	default:
		err = fmt.Errorf("the ledger does not store values of type %s", name)
	}
	return err
}
