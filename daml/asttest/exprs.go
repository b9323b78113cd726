package asttest

import (
	"slices"
	"strconv"
	"time"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// expr reads an expression with its arguments: expressions and types.
func (p *parser) expr() ast.Expr {
	out := p.expr0()
	for p.err == nil {
		switch {
		case p.is("@"):
			out = &ast.ExpTyApp{Expr: out, Types: []ast.Type{p.typeArg()}}
		case p.startsExpr():
			out = &ast.ExpApp{Fun: out, Args: []ast.Expr{p.expr0()}}
		default:
			return out
		}
	}
	return out
}

// words that end an expression
var reserved = []string{"in", "of", "with", "to", "catch"}

func (p *parser) startsExpr() bool {
	t := p.peek()
	switch t.kind {
	case name:
		return !slices.Contains(reserved, t.text)
	case symbol:
		return slices.Contains([]string{"(", "<", "\\", "/\\"}, t.text)
	default:
		return t.kind != end
	}
}

// expr0 reads an expression that needs no parentheses as an argument.
func (p *parser) expr0() ast.Expr {
	switch p.peek().kind {
	case text, number, numeric, date, timestamp:
		return p.literal()
	case symbol:
		return p.symbolExpr()
	default:
		return p.wordExpr()
	}
}

// wordExpr reads an expression that begins with a name.
func (p *parser) wordExpr() ast.Expr {
	if p.atFullName() {
		return p.fullNameExpr()
	}
	word := p.peek().text
	if read, ok := keyword(word); ok {
		p.next()
		return read(p)
	}
	for _, function := range ast.BuiltinFunctions() {
		if function.String() == word {
			p.next()
			return &ast.ExpBuiltin{Function: function}
		}
	}
	return &ast.ExpVar{Name: p.name()}
}

func (p *parser) literal() ast.Expr {
	t := p.next()
	var err error
	var out ast.Expr
	switch t.kind {
	case text:
		return &ast.ExpLitText{Value: t.text}
	case number:
		literal := &ast.ExpLitInt64{}
		literal.Value, err = strconv.ParseInt(t.text, 10, 64)
		out = literal
	case numeric:
		return &ast.ExpLitNumeric{Text: t.text, Scale: len(t.text) - slices.Index([]byte(t.text), '.') - 1}
	case date:
		var day time.Time
		day, err = time.Parse("2006-01-02", t.text)
		out = &ast.ExpLitDate{Value: lf.Date(day.Unix() / (24 * 60 * 60))}
	default:
		var at time.Time
		at, err = time.Parse("2006-01-02T15:04:05.999999Z", t.text)
		out = &ast.ExpLitTimestamp{Value: lf.TimestampOf(at)}
	}
	if err != nil {
		p.fail("a literal in its range")
	}
	return out
}

// symbolExpr reads an expression that begins with a symbol.
func (p *parser) symbolExpr() ast.Expr {
	switch {
	case p.skip("("):
		if p.skip(")") {
			return &ast.ExpUnit{}
		}
		out := p.expr()
		p.want(")")
		if p.is(".") && p.ahead(1).kind == name {
			p.next()
			return &ast.ExpStructProj{Field: p.name(), Struct: out}
		}
		return out
	case p.skip("<"):
		if isWord(p.ahead(1), "=") {
			return &ast.ExpStructCon{Fields: separated(p, ",", ">", p.fieldExpr)}
		}
		out := &ast.ExpStructUpdate{Struct: p.expr()}
		p.want("with")
		field := p.fieldExpr()
		p.want(">")
		out.Field, out.Update = field.Name, field.Expr
		return out
	case p.skip("\\"):
		out := &ast.ExpAbs{}
		for p.err == nil && !p.skip("->") {
			out.Params = append(out.Params, p.binder())
		}
		out.Body = p.expr()
		return out
	case p.skip("/\\"):
		out := &ast.ExpTyAbs{Params: p.typeBinders()}
		p.want(".")
		out.Body = p.expr()
		return out
	default:
		p.fail("an expression")
		return nil
	}
}

func (p *parser) fieldExpr() ast.FieldExpr {
	out := ast.FieldExpr{Name: p.name()}
	p.want("=")
	out.Expr = p.expr()
	return out
}

// fullNameExpr reads an expression that begins with a full name: a value, a record, or a constructor.
func (p *parser) fullNameExpr() ast.Expr {
	full := p.fullName()
	if p.is(":") {
		p.next()
		constructor := p.name()
		args := p.typeArgs()
		if p.startsExpr() {
			return &ast.ExpVariantCon{
				Type: ast.TypeConApp{Name: full, Args: args}, Constructor: constructor, Argument: p.expr0(),
			}
		}
		return &ast.ExpEnumCon{Type: full, Constructor: constructor}
	}
	before := p.tokens
	args := p.typeArgs()
	if p.skip("{") {
		return p.record(ast.TypeConApp{Name: full, Args: args})
	}
	p.tokens = before
	return &ast.ExpVal{Name: ast.ValueName{Package: full.Package, Module: full.Module, Name: full.Entity}}
}

// record reads the braces after a record type, and the record of a projection.
func (p *parser) record(typ ast.TypeConApp) ast.Expr {
	switch {
	case p.is("}") || isWord(p.ahead(1), "="):
		return &ast.ExpRecCon{Type: typ, Fields: separated(p, ",", "}", p.fieldExpr)}
	case isWord(p.ahead(1), "}"):
		out := &ast.ExpRecProj{Type: typ, Field: p.name()}
		p.want("}")
		out.Record = p.expr0()
		return out
	default:
		out := &ast.ExpRecUpdate{Type: typ, Record: p.expr()}
		p.want("with")
		field := p.fieldExpr()
		p.want("}")
		out.Field, out.Update = field.Name, field.Expr
		return out
	}
}

func (p *parser) alternative() ast.Alternative {
	out := ast.Alternative{Pattern: p.pattern()}
	p.want("->")
	out.Body = p.expr()
	return out
}

func (p *parser) pattern() ast.Pattern {
	switch {
	case p.skip("_"):
		return &ast.PatternDefault{}
	case p.skip("("):
		p.want(")")
		return &ast.PatternUnit{}
	case p.atFullName():
		full := p.fullName()
		p.want(":")
		constructor := p.name()
		if p.is("->") {
			return &ast.PatternEnum{Type: full, Constructor: constructor}
		}
		return &ast.PatternVariant{Type: full, Constructor: constructor, Var: p.name()}
	}
	switch word := p.name(); word {
	case "True", "False":
		return &ast.PatternBool{Value: word == "True"}
	case "Nil":
		return &ast.PatternNil{}
	case "Cons":
		return &ast.PatternCons{Head: p.name(), Tail: p.name()}
	case "None":
		return &ast.PatternNone{}
	case "Some":
		return &ast.PatternSome{Var: p.name()}
	default:
		p.fail("a pattern")
		return nil
	}
}

// binding is name: type, a sign, and an expression.
func (p *parser) binding(sign string) ast.Binding {
	field := p.field()
	p.want(sign)
	return ast.Binding{Binder: ast.Binder(field), Bound: p.expr()}
}
