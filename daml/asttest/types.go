package asttest

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/florinledger/florin/daml/ast"
)

func (p *parser) kind() ast.Kind {
	var out ast.Kind
	switch {
	case p.skip("*"):
		out = &ast.KindStar{}
	case p.skip("nat"):
		out = &ast.KindNat{}
	default:
		p.want("(")
		out = p.kind()
		p.want(")")
	}
	if p.skip("->") {
		return &ast.KindArrow{Param: out, Result: p.kind()}
	}
	return out
}

// typeBinder is (a: k), or a for (a: *).
func (p *parser) typeBinder() ast.TypeBinder {
	if !p.skip("(") {
		return ast.TypeBinder{Name: p.name(), Kind: &ast.KindStar{}}
	}
	out := ast.TypeBinder{Name: p.name()}
	p.want(":")
	out.Kind = p.kind()
	p.want(")")
	return out
}

func (p *parser) typeBinders() []ast.TypeBinder {
	var out []ast.TypeBinder
	for p.err == nil && (p.is("(") || p.peek().kind == name) {
		out = append(out, p.typeBinder())
	}
	return out
}

func (p *parser) typ() ast.Type {
	out := p.application()
	if p.skip("->") {
		return ast.Apply(&ast.TyBuiltin{Type: ast.Arrow}, out, p.typ())
	}
	return out
}

func (p *parser) application() ast.Type {
	out := p.type0()
	for p.err == nil && p.startsType() {
		out = ast.Apply(out, p.type0())
	}
	return out
}

func (p *parser) startsType() bool {
	t := p.peek()
	switch t.kind {
	case name:
		return t.text != "in" && t.text != "to"
	case number, quoted:
		return true
	default:
		return t.text == "(" || t.text == "<" || t.text == "||"
	}
}

func (p *parser) type0() ast.Type {
	switch {
	case p.skip("("):
		out := p.typ()
		p.want(")")
		return out
	case p.peek().kind == number:
		value, err := strconv.Atoi(p.next().text)
		if err != nil {
			p.fail("a natural number")
		}
		return &ast.TyNat{Value: value}
	case p.skip("forall"):
		binders := p.typeBinders()
		p.want(".")
		out := p.typ()
		for _, binder := range slices.Backward(binders) {
			out = &ast.TyForall{Binder: binder, Body: out}
		}
		return out
	case p.skip("<"):
		fields := separated(p, ",", ">", p.field)
		slices.SortFunc(fields, func(a, b ast.Field) int { return cmp.Compare(a.Name, b.Name) })
		return &ast.TyStruct{Fields: fields}
	case p.skip("||"):
		out := &ast.TySyn{Name: p.fullName()}
		for p.err == nil && !p.is("||") {
			out.Args = append(out.Args, p.type0())
		}
		p.want("||")
		return out
	case p.atFullName():
		return &ast.TyCon{Name: p.fullName()}
	}
	if builtin, ok := builtinTypes()[p.peek().text]; ok {
		p.next()
		return &ast.TyBuiltin{Type: builtin}
	}
	return &ast.TyVar{Name: p.name()}
}

// builtinTypes are the built-in types by their names in text. Two names differ from the specification.
func builtinTypes() map[string]ast.BuiltinType {
	out := map[string]ast.BuiltinType{"Option": ast.Optional, "Arrow": ast.Arrow}
	for _, t := range ast.BuiltinTypes() {
		out[t.String()] = t
	}
	return out
}

// field is name: type.
func (p *parser) field() ast.Field {
	out := ast.Field{Name: p.name()}
	p.want(":")
	out.Type = p.typ()
	return out
}

// binder is (name: type).
func (p *parser) binder() ast.Binder {
	p.want("(")
	field := p.field()
	p.want(")")
	return ast.Binder(field)
}

// typeArgs are @type @type ….
func (p *parser) typeArgs() []ast.Type {
	var out []ast.Type
	for p.skip("@") {
		out = append(out, p.type0())
	}
	return out
}

func (p *parser) typeArg() ast.Type {
	p.want("@")
	return p.type0()
}
