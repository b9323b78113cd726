package engine

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// Program is a collection of packages, which it compiles on demand. It is safe for concurrent use.
type Program struct {
	packages    ast.Packages
	builtinDefs map[ast.BuiltinFunction]builtinDef

	mu       sync.RWMutex
	values   map[ast.ValueName]*global
	records  map[lf.TypeName]*RecordType
	sums     map[lf.TypeName]*SumType
	shapes   map[string]*structShape
	typeReps map[string]*TypeRep
	others   map[definition]*global
	builtins map[ast.BuiltinFunction]*Function
	lfTypes  map[string]*lf.Type

	keptBytes atomic.Int64 // size of the kept values

	coverage *coverage // nil without Cover
}

// definition names a function of a template, interface or exception.
type definition struct {
	kind    string
	of      lf.TypeName // template, interface or exception
	through lf.TypeName // interface, if a template implements it
	name    string      // choice or method
}

// NewProgram makes a program from packages, which must be well-typed and complete: use package check.
func NewProgram(packages ast.Packages) *Program {
	return &Program{
		packages: packages, builtinDefs: builtinDefs(),
		values: map[ast.ValueName]*global{}, records: map[lf.TypeName]*RecordType{},
		sums: map[lf.TypeName]*SumType{}, shapes: map[string]*structShape{}, typeReps: map[string]*TypeRep{},
		others: map[definition]*global{}, builtins: map[ast.BuiltinFunction]*Function{},
		lfTypes: map[string]*lf.Type{},
	}
}

// Packages are the packages of the program.
func (p *Program) Packages() ast.Packages { return p.packages }

// once finds or makes an entry of one of the program's tables.
func once[K comparable, V any](p *Program, table map[K]V, key K, make func() (V, error)) (V, error) {
	p.mu.RLock()
	found, ok := table[key]
	p.mu.RUnlock()
	if ok {
		return found, nil
	}
	entry, err := make()
	if err != nil {
		return entry, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if found, ok := table[key]; ok { // another goroutine was faster
		return found, nil
	}
	table[key] = entry
	return entry, nil
}

func (p *Program) value(name ast.ValueName) (*global, error) {
	return once(p, p.values, name, func() (*global, error) {
		def := p.packages.Value(name)
		if def == nil {
			return nil, fmt.Errorf("value %s is not defined", name)
		}
		return &global{program: p, name: name.QualifiedName(), compile: compileFunction(
			p, name.QualifiedName(), def.Location, nil, def.Body,
		)}, nil
	})
}

func (p *Program) recordType(name lf.TypeName) (*RecordType, error) {
	return once(p, p.records, name, func() (*RecordType, error) {
		def := p.packages.DataType(name)
		if def == nil {
			return nil, fmt.Errorf("type %s is not defined", name)
		}
		cons, ok := def.Cons.(*ast.RecordCons)
		if !ok {
			return nil, fmt.Errorf("type %s is not a record type", name)
		}
		out := &RecordType{Name: name}
		for _, field := range cons.Fields {
			out.Labels = append(out.Labels, field.Name)
		}
		out.places = placesOf(out.Labels)
		return out, nil
	})
}

func (p *Program) recordField(name lf.TypeName, field string) (int, error) {
	typ, err := p.recordType(name)
	if err != nil {
		return 0, err
	}
	if i, ok := typ.places[field]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("type %s has no field %s", name, field)
}

// constructor finds a variant or enum type, and the rank of one of its constructors.
func (p *Program) constructor(name lf.TypeName, constructor string) (*SumType, int, error) {
	typ, err := once(p, p.sums, name, func() (*SumType, error) {
		def := p.packages.DataType(name)
		if def == nil {
			return nil, fmt.Errorf("type %s is not defined", name)
		}
		out := &SumType{Name: name}
		switch cons := def.Cons.(type) {
		case *ast.VariantCons:
			for _, c := range cons.Constructors {
				out.Constructors = append(out.Constructors, c.Name)
			}
		case *ast.EnumCons:
			out.Constructors = cons.Constructors
		default:
			return nil, fmt.Errorf("type %s has no constructors", name)
		}
		out.ranks = placesOf(out.Constructors)
		return out, nil
	})
	if err != nil {
		return nil, 0, err
	}
	if rank, ok := typ.ranks[constructor]; ok {
		return typ, rank, nil
	}
	return nil, 0, fmt.Errorf("type %s has no constructor %s", name, constructor)
}

// shape finds the shape of structs with these names, which are in ascending order.
func (p *Program) shape(names []string) *structShape {
	shape, _ := once(p, p.shapes, strings.Join(names, " "), func() (*structShape, error) {
		return &structShape{names: names, places: placesOf(names)}, nil
	})
	return shape
}

// maxCode bounds the expressions of a definition in Compile.
const maxCode = 10_000_000

// Compile compiles all values of the packages in advance. It does not fail for well-typed packages.
func (p *Program) Compile() error {
	for id, pkg := range p.packages {
		for _, module := range pkg.Modules {
			for _, def := range module.Values {
				g, err := p.value(ast.ValueName{Package: id, Module: module.Name, Name: def.Name})
				if err == nil {
					_, _, err = g.load(maxCode)
				}
				if err != nil {
					return fmt.Errorf("package %s, %s:%s: %w", id, module.Name, def.Name, err)
				}
			}
		}
	}
	return nil
}
