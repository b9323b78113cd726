package check

import (
	"strconv"

	"github.com/florinledger/florin/daml/ast"
)

// scope is the type context, Γ in the specification: the variables in scope, with their kinds and types.
type scope struct {
	typeVars map[string]ast.Kind
	vars     map[string]ast.Type
	// aliases are fresh names of type variables that hide another of the same name, so that types of outer variables
	// keep their meaning.
	aliases substitution
	// trail has the bindings that release restores.
	trail []trailEntry
	fresh int
}

type trailEntry struct {
	name   string
	isType bool
	kind   ast.Kind
	typ    ast.Type
	alias  ast.Type
}

func newScope() scope {
	return scope{typeVars: map[string]ast.Kind{}, vars: map[string]ast.Type{}}
}

// mark returns a point for release.
func (s *scope) mark() int { return len(s.trail) }

// bind adds x : τ.
func (s *scope) bind(name string, typ ast.Type) {
	s.trail = append(s.trail, trailEntry{name: name, typ: s.vars[name]})
	s.vars[name] = typ
}

// bindType adds α : k, and returns the name that α has in computed types.
func (s *scope) bindType(binder ast.TypeBinder) string {
	name := binder.Name
	s.trail = append(s.trail, trailEntry{
		name: name, isType: true, kind: s.typeVars[name], alias: s.aliases[name],
	})
	if s.typeVars[name] != nil {
		if s.aliases == nil {
			s.aliases = substitution{}
		}
		name = s.freshName(name)
		s.aliases[binder.Name] = &ast.TyVar{Name: name}
	}
	s.typeVars[binder.Name] = binder.Kind
	return name
}

// release removes the bindings since the mark.
func (s *scope) release(mark int) {
	for i := len(s.trail) - 1; i >= mark; i-- {
		entry := s.trail[i]
		if !entry.isType {
			restore(s.vars, entry.name, entry.typ)
			continue
		}
		restore(s.typeVars, entry.name, entry.kind)
		restore(s.aliases, entry.name, entry.alias)
	}
	s.trail = s.trail[:mark]
}

func restore[V comparable](in map[string]V, name string, value V) {
	var none V
	if value == none {
		delete(in, name)
	} else {
		in[name] = value
	}
}

// freshName makes a name that no archive can contain: identifiers have no percent sign.
func (s *scope) freshName(name string) string {
	s.fresh++
	for i := range len(name) {
		if name[i] == '%' {
			name = name[:i]
			break
		}
	}
	return name + "%" + strconv.Itoa(s.fresh)
}
