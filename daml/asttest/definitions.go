package asttest

import "github.com/florinledger/florin/daml/ast"

func (p *parser) module() *ast.Module {
	p.want("module")
	out := &ast.Module{Name: p.dotted()}
	p.want("{")
	for p.err == nil && !p.skip("}") {
		p.definition(out)
		p.want(";")
	}
	return out
}

func (p *parser) definition(m *ast.Module) {
	switch word := p.name(); word {
	case "synonym":
		out := &ast.DefTypeSynonym{Name: p.dotted(), Params: p.typeBinders()}
		p.want("=")
		out.Type = p.typ()
		m.Synonyms = append(m.Synonyms, out)
	case "record", "variant", "enum":
		m.DataTypes = append(m.DataTypes, p.dataType(word))
	case "val":
		out := &ast.DefValue{Name: p.dotted()}
		p.want(":")
		out.Type = p.typ()
		p.want("=")
		out.Body = p.expr()
		m.Values = append(m.Values, out)
	case "template":
		m.Templates = append(m.Templates, p.template())
	case "interface":
		out := p.interfaceOf()
		m.Interfaces = append(m.Interfaces, out)
		m.DataTypes = append(m.DataTypes, &ast.DefDataType{Name: out.Name, Cons: &ast.InterfaceCons{}})
	case "exception":
		out := &ast.DefException{Name: p.dotted()}
		p.want("=")
		p.want("{")
		p.want("message")
		out.Message = p.expr()
		p.want("}")
		m.Exceptions = append(m.Exceptions, out)
	default:
		p.fail("a definition")
	}
}

// tag skips a tag and reports whether it was next.
func (p *parser) tag(tag string) bool {
	if !p.is("@") {
		return false
	}
	p.next()
	p.want(tag)
	return true
}

func (p *parser) dataType(word string) *ast.DefDataType {
	out := &ast.DefDataType{Serializable: p.tag("serializable"), Name: p.dotted(), Params: p.typeBinders()}
	p.want("=")
	switch word {
	case "record":
		p.want("{")
		out.Cons = &ast.RecordCons{Fields: separated(p, ",", "}", p.field)}
	case "variant":
		out.Cons = &ast.VariantCons{Constructors: between(p, p.field)}
	default:
		out.Cons = &ast.EnumCons{Constructors: between(p, p.name)}
	}
	return out
}

// between reads elements with | between them, up to a semicolon.
func between[T any](p *parser, read func() T) []T {
	var out []T
	for p.err == nil && !p.is(";") {
		out = append(out, read())
		if !p.skip("|") {
			break
		}
	}
	return out
}

// head is (this : Name) = {.
func (p *parser) head() (param, name string) {
	p.want("(")
	param = p.name()
	p.want(":")
	name = p.dotted()
	p.want(")")
	p.want("=")
	p.want("{")
	return param, name
}

func (p *parser) template() *ast.DefTemplate {
	out := &ast.DefTemplate{Precondition: &ast.ExpBool{Value: true}}
	out.Param, out.Name = p.head()
	for p.err == nil && !p.skip("}") {
		switch p.name() {
		case "precondition":
			out.Precondition = p.expr()
		case "signatories":
			out.Signatories = p.expr()
		case "observers":
			out.Observers = p.expr()
		case "choice":
			out.Choices = append(out.Choices, p.choice())
		case "implements":
			out.Implements = append(out.Implements, p.implements())
		case "key":
			out.Key = &ast.TemplateKey{Type: p.typeArg(), Key: p.expr0(), Maintainers: p.expr0()}
		default:
			p.fail("a part of a template")
		}
		p.want(";")
	}
	return out
}

func (p *parser) choice() *ast.Choice {
	out := &ast.Choice{Consuming: !p.tag("nonConsuming"), Name: p.name()}
	p.want("(")
	out.Self = p.name()
	p.want(")")
	out.Argument = p.binder()
	p.want(":")
	out.ReturnType = p.typ()
	p.want(",")
	p.want("controllers")
	out.Controllers = p.expr()
	out.Observers = &ast.ExpListNil{Type: &ast.TyBuiltin{Type: ast.Party}}
	for p.skip(",") {
		if p.skip("observers") {
			out.Observers = p.expr()
			continue
		}
		p.want("authorizers")
		out.Authorizers = p.expr()
	}
	p.want("to")
	out.Update = p.expr()
	return out
}

func (p *parser) implements() *ast.Implements {
	out := &ast.Implements{Interface: p.fullName()}
	p.want("{")
	for p.err == nil && !p.skip("}") {
		if p.skip("view") {
			p.want("=")
			out.View = p.expr()
		} else {
			p.want("method")
			method := ast.MethodBody{Name: p.name()}
			p.want("=")
			method.Body = p.expr()
			out.Methods = append(out.Methods, method)
		}
		p.want(";")
	}
	return out
}

func (p *parser) interfaceOf() *ast.DefInterface {
	out := &ast.DefInterface{}
	out.Param, out.Name = p.head()
	for p.err == nil && !p.skip("}") {
		switch p.name() {
		case "viewtype":
			out.View = p.typ()
		case "requires":
			out.Requires = append(out.Requires, p.fullName())
		case "method":
			field := p.field()
			out.Methods = append(out.Methods, ast.Method{Name: field.Name, Type: field.Type})
		case "choice":
			out.Choices = append(out.Choices, p.choice())
		default:
			p.fail("a part of an interface")
		}
		p.want(";")
	}
	return out
}
