package engine

import (
	"fmt"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// Templates, interfaces and exceptions define functions of the contract's argument (this). Functions of a choice also
// take the choice's argument, and the update of a choice takes the contract's id first.

// define finds or makes the function of a definition.
func (p *Program) define(d definition, at ast.Location, params []string, body ast.Expr) *global {
	g, _ := once(p, p.others, d, func() (*global, error) {
		name := d.of.QualifiedName() + ":" + d.title()
		return &global{program: p, name: name, compile: compileFunction(p, name, at, params, body)}, nil
	})
	return g
}

func (d definition) title() string {
	if d.name == "" {
		return d.kind
	}
	return d.name + ":" + d.kind
}

// template is a template with its definition.
type template struct {
	program *Program
	name    lf.TypeName
	def     *ast.DefTemplate
	pkg     *ast.Package
}

func (p *Program) template(name lf.TypeName) (*template, *Failure) {
	def := p.packages.Template(name)
	if def == nil {
		return nil, crash("template %s is not defined", name)
	}
	return &template{program: p, name: name, def: def, pkg: p.packages[name.Package]}, nil
}

func (t *template) of(kind string, body ast.Expr) *global {
	return t.program.define(definition{kind: kind, of: t.name}, t.def.Location, []string{t.def.Param}, body)
}

func (t *template) precondition() *global { return t.of("ensure", t.def.Precondition) }
func (t *template) signatories() *global  { return t.of("signatory", t.def.Signatories) }
func (t *template) observers() *global    { return t.of("observer", t.def.Observers) }

// view computes the view of an interface that the template implements.
func (t *template) view(implements *ast.Implements) *global {
	return t.program.define(definition{kind: "view", of: t.name, through: implements.Interface}, implements.Location,
		[]string{t.def.Param}, implements.View)
}

// method is a method of an interface that the template implements.
func (t *template) method(implements *ast.Implements, name string, body ast.Expr) *global {
	return t.program.define(definition{kind: "method", of: t.name, through: implements.Interface, name: name},
		implements.Location, []string{t.def.Param}, body)
}

type choice struct {
	program *Program
	of      lf.TypeName
	param   string
	def     *ast.Choice
}

func (t *template) choice(name string) (*choice, *Failure) {
	def := t.def.Choice(name)
	if def == nil {
		return nil, crash("template %s has no choice %s", t.name, name)
	}
	return &choice{program: t.program, of: t.name, param: t.def.Param, def: def}, nil
}

// templateChoice finds a template and one of its choices.
func (p *Program) templateChoice(name lf.TypeName, choiceName string) (*template, *choice, *Failure) {
	t, failure := p.template(name)
	if failure != nil {
		return nil, nil, failure
	}
	c, failure := t.choice(choiceName)
	return t, c, failure
}

func (p *Program) interfaceChoice(name lf.TypeName, choiceName string) (*choice, *Failure) {
	def := p.packages.Interface(name)
	if def == nil {
		return nil, crash("interface %s is not defined", name)
	}
	found := def.Choice(choiceName)
	if found == nil {
		return nil, crash("interface %s has no choice %s", name, choiceName)
	}
	return &choice{program: p, of: name, param: def.Param, def: found}, nil
}

// title is the name of the choice's update.
func (c *choice) title() string {
	return c.of.QualifiedName() + ":" + definition{kind: "choice", name: c.def.Name}.title()
}

// function stands for the choice among the active functions if none of its own is active.
func (c *choice) function() *Function {
	return &Function{code: &function{name: c.title(), at: c.def.Location}}
}

func (c *choice) part(kind string, body ast.Expr) *global {
	return c.program.define(definition{kind: kind, of: c.of, name: c.def.Name}, c.def.Location,
		[]string{c.param, c.def.Argument.Name}, body)
}

func (c *choice) controllers() *global { return c.part("controller", c.def.Controllers) }
func (c *choice) observers() *global   { return c.part("observer", c.def.Observers) }
func (c *choice) authorizers() *global { return c.part("authority", c.def.Authorizers) }

// update is the update of the choice. The contract's id hides a parameter of the same name.
func (c *choice) update() *global {
	return c.program.define(definition{kind: "choice", of: c.of, name: c.def.Name}, c.def.Location,
		[]string{c.param, c.def.Argument.Name, c.def.Self}, c.def.Update)
}

// resolve returns the template of an interface value, and its argument.
func (p *Program) resolve(v Value) (*template, Value, *Failure) {
	contract, ok := v.(*Any)
	if !ok {
		return nil, nil, crash("%T is not an interface value", v)
	}
	name, _ := contract.Type.IsCon()
	t, failure := p.template(name)
	return t, contract.Value, failure
}

// findImplementation returns the template of an interface value, its implementation of an interface, and its argument.
// It fails if the template does not implement the interface.
func (p *Program) findImplementation(v Value, name lf.TypeName) (*template, *ast.Implements, Value, *Failure) {
	t, argument, failure := p.resolve(v)
	if failure != nil {
		return nil, nil, nil, failure
	}
	implements := t.def.Implementation(name)
	if implements == nil {
		return nil, nil, nil, crash("template %s does not implement interface %s", t.name, name)
	}
	return t, implements, argument, nil
}

// interfaceValue makes an interface value from an argument of the template.
func (t *template) interfaceValue(argument Value) *Any {
	return &Any{Type: t.program.typeRep(&ast.TyCon{Name: t.name}), Value: argument}
}

func (t *template) String() string { return fmt.Sprint(t.name) }
