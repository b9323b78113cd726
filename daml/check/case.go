package check

import (
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// matchContext is the scrutinee of a case, with the patterns that its type allows.
type matchContext struct {
	// scrutinee is the type, head the same with its synonym expanded, args are its arguments, and definition is its
	// definition unless it is built in.
	scrutinee    ast.Type
	head         ast.Type
	args         []ast.Type
	definition   *ast.DefDataType
	constructors []ast.Field // of a variant
	// patterns are the patterns that the alternatives need, in order, unless one matches everything; exhaust is the rule.
	patterns []string
	exhaust  Rule
}

// exhaustUnit is a rule that no package can break: a case without alternatives breaks ExpCase.
const exhaustUnit Rule = "ExhaustUnit"

// everything is the name of the default pattern. No constructor has this name.
const everything = ""

// is reports whether the scrutinee has the type of a pattern.
func (m matchContext) is(name lf.TypeName) bool {
	constructor, _ := ast.Unapply(m.head)
	tyCon, ok := constructor.(*ast.TyCon)
	return ok && tyCon.Name == name
}

func (c *checker) typeOfCase(e *ast.ExpCase) ast.Type {
	m := c.matchingOf(c.typeOf(e.Scrutinee))
	if len(e.Alternatives) == 0 {
		c.fail(ExpCase, "A case has no alternatives")
	}
	seen := make(map[string]bool, len(e.Alternatives))
	var out ast.Type
	for _, alternative := range e.Alternatives {
		if c.failure != nil {
			return nil
		}
		mark := c.mark()
		seen[c.pattern(m, alternative.Pattern)] = true
		if out == nil {
			out = c.typeOf(alternative.Body)
		} else {
			c.expect(ExpCase, alternative.Body, out)
		}
		c.release(mark)
	}
	if c.failure == nil && !seen[everything] {
		c.exhaustive(m, seen)
	}
	return out
}

func (c *checker) exhaustive(m matchContext, seen map[string]bool) {
	var missing []string
	for _, pattern := range m.patterns {
		if !seen[pattern] {
			missing = append(missing, pattern)
		}
	}
	if len(missing) > 0 {
		c.fail(m.exhaust, "A case on %s lacks alternatives: %s", c.show(m.scrutinee),
			fault.Shorten(strings.Join(missing, ", ")))
	}
}

// builtinMatchings are the patterns of built-in types.
var builtinMatchings = map[ast.BuiltinType]struct {
	arity    int
	patterns []string
	exhaust  Rule
}{
	ast.Unit:     {0, []string{"()"}, exhaustUnit},
	ast.Bool:     {0, []string{"True", "False"}, ExhaustBool},
	ast.List:     {1, []string{"Nil", "Cons"}, ExhaustList},
	ast.Optional: {1, []string{"None", "Some"}, ExhaustOptional},
}

func (c *checker) matchingOf(scrutinee ast.Type) matchContext {
	out := matchContext{scrutinee: scrutinee, exhaust: ExpCase}
	out.head = c.head(scrutinee)
	head, args := ast.Unapply(out.head)
	out.args = args
	switch head := head.(type) {
	case *ast.TyBuiltin:
		if builtin, ok := builtinMatchings[head.Type]; ok && len(args) == builtin.arity {
			out.patterns, out.exhaust = builtin.patterns, builtin.exhaust
		}
	case *ast.TyCon:
		definition := c.dataType(ExpCase, head.Name)
		if definition == nil || len(args) != len(definition.Params) {
			break
		}
		out.definition = definition
		switch cons := out.definition.Cons.(type) {
		case *ast.VariantCons:
			c.spend(len(cons.Constructors))
			out.exhaust, out.patterns, out.constructors = ExhaustVariant, nil, cons.Constructors
			for _, constructor := range cons.Constructors {
				out.patterns = append(out.patterns, constructor.Name)
			}
		case *ast.EnumCons:
			c.spend(len(cons.Constructors))
			out.exhaust, out.patterns = ExhaustEnum, cons.Constructors
		}
	}
	return out
}

// pattern checks a pattern against the scrutinee, Γ ⊢ τ // p → e : σ, and binds its variables. It returns the pattern
// without variables.
func (c *checker) pattern(m matchContext, p ast.Pattern) string {
	switch p := p.(type) {
	case *ast.PatternVariant:
		if c.matches(AltVariant, m, p.Type.Entity+":"+p.Constructor, m.exhaust == ExhaustVariant && m.is(p.Type)) {
			c.bindVariant(m, p)
		}
		return p.Constructor
	case *ast.PatternEnum:
		if c.matches(AltEnum, m, p.Type.Entity+":"+p.Constructor, m.exhaust == ExhaustEnum && m.is(p.Type)) {
			c.enum(AltEnum, m.definition, p.Constructor)
		}
		return p.Constructor
	case *ast.PatternNil:
		c.matches(AltNil, m, "Nil", m.exhaust == ExhaustList)
		return "Nil"
	case *ast.PatternCons:
		if c.matches(AltCons, m, "Cons", m.exhaust == ExhaustList) {
			if p.Head == p.Tail {
				c.fail(AltCons, "A pattern binds variable %s twice", fault.Shorten(p.Head))
			}
			c.bind(p.Head, m.args[0])
			c.bind(p.Tail, list(m.args[0]))
		}
		return "Cons"
	case *ast.PatternNone:
		c.matches(AltNone, m, "None", m.exhaust == ExhaustOptional)
		return "None"
	case *ast.PatternSome:
		if c.matches(AltSome, m, "Some", m.exhaust == ExhaustOptional) {
			c.bind(p.Var, m.args[0])
		}
		return "Some"
	case *ast.PatternBool:
		c.matches(AltBool, m, "True or False", m.exhaust == ExhaustBool)
		if p.Value {
			return "True"
		}
		return "False"
	case *ast.PatternUnit:
		c.matches(AltUnit, m, "()", m.exhaust == exhaustUnit)
		return "()"
	case *ast.PatternDefault:
		return everything
	default:
		c.fail(ExpCase, "A pattern is missing")
		return ""
	}
}

func (c *checker) matches(rule Rule, m matchContext, pattern string, ok bool) bool {
	if c.failure == nil && !ok {
		c.fail(rule, "Pattern %s does not match values of type %s", fault.Shorten(pattern), c.show(m.scrutinee))
	}
	return c.failure == nil
}

func (c *checker) bindVariant(m matchContext, p *ast.PatternVariant) {
	index := c.fieldIndex(m.constructors, p.Constructor)
	if index < 0 {
		c.fail(AltVariant, "Variant %s has no constructor %s", c.showName(p.Type), fault.Shorten(p.Constructor))
		return
	}
	c.bind(p.Var, c.substitute(c.substitutionOf(m.definition.Params, m.args), m.constructors[index].Type))
}
