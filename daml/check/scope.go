package check

import (
	"strconv"

	"github.com/florinledger/florin/daml/ast"
)

// scope is the type context, Γ in the specification: the variables that can be used, with their kinds and types.
type scope struct {
	typeVars map[string]ast.Kind
	vars     map[string]ast.Type
	// renamed are the type variables that were bound again while a variable of the same name was in scope. They go by
	// names of their own, so that the types of the variables outside keep their meaning.
	renamed substitution
	// trail is what leaving a scope restores.
	trail []trailEntry
	fresh int
}

type trailEntry struct {
	name    string
	isType  bool
	kind    ast.Kind
	typ     ast.Type
	renamed ast.Type
}

func newScope() scope {
	return scope{typeVars: map[string]ast.Kind{}, vars: map[string]ast.Type{}}
}

// mark is where release goes back to.
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
		name: name, isType: true, kind: s.typeVars[name], renamed: s.renamed[name],
	})
	if s.typeVars[name] != nil {
		if s.renamed == nil {
			s.renamed = substitution{}
		}
		name = s.freshName(name)
		s.renamed[binder.Name] = &ast.TyVar{Name: name}
	}
	s.typeVars[binder.Name] = binder.Kind
	return name
}

// release takes out what was added since the mark.
func (s *scope) release(mark int) {
	for i := len(s.trail) - 1; i >= mark; i-- {
		entry := s.trail[i]
		if !entry.isType {
			restore(s.vars, entry.name, entry.typ)
			continue
		}
		restore(s.typeVars, entry.name, entry.kind)
		restore(s.renamed, entry.name, entry.renamed)
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

// freshName makes a name that no archive can hold: identifiers have no percent sign.
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
