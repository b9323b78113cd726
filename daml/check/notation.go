package check

import (
	"strconv"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// notation prints types as Daml writes them.
type notation struct {
	out strings.Builder
	// packages is for names with the package that they are of; nil for names without.
	packages ast.Packages
}

// How much is printed of a type that is long or deep.
const (
	maxNotation      = 400
	maxNotationDepth = 40
)

// How tightly a type is bound to what is around it.
const (
	loose      = iota // it stands alone
	ofArrow           // it is the parameter of a function
	ofArgument        // it is an argument
)

func (c *checker) show(t ast.Type) string {
	n := notation{}
	n.write(t, loose, 0)
	return n.out.String()
}

// showBoth prints two types that differ. They look different, too: names are told apart by their packages if need be.
func (c *checker) showBoth(expected, found ast.Type) (string, string) {
	if a, b := c.show(expected), c.show(found); a != b {
		return a, b
	}
	a, b := notation{packages: c.packages}, notation{packages: c.packages}
	a.write(expected, loose, 0)
	b.write(found, loose, 0)
	return a.out.String(), b.out.String()
}

func (c *checker) showName(name lf.TypeName) string {
	return shorten(name.Module + "." + name.Entity)
}

func (c *checker) showKind(kind ast.Kind) string { return showKind(kind, 0) }

func showKind(kind ast.Kind, depth int) string {
	switch kind := kind.(type) {
	case *ast.KindStar:
		return "*"
	case *ast.KindNat:
		return "nat"
	case *ast.KindArrow:
		if depth > maxNotationDepth/4 {
			return "…"
		}
		param := showKind(kind.Param, depth+1)
		if _, isArrow := kind.Param.(*ast.KindArrow); isArrow {
			param = "(" + param + ")"
		}
		return param + " -> " + showKind(kind.Result, depth+1)
	default:
		return "?"
	}
}

var damlNames = map[ast.BuiltinType]string{
	ast.Unit: "()", ast.Int64: "Int", ast.Timestamp: "Time", ast.GenMap: "Map", ast.Arrow: "(->)", ast.List: "[]",
}

func (n *notation) write(t ast.Type, around, depth int) {
	if n.out.Len() > maxNotation || depth > maxNotationDepth {
		n.out.WriteString("…")
		return
	}
	switch t := t.(type) {
	case *ast.TyVar:
		name, _, _ := strings.Cut(t.Name, "%")
		n.out.WriteString(name)
	case *ast.TyNat:
		n.out.WriteString(strconv.Itoa(t.Value))
	case *ast.TyBuiltin:
		if name, ok := damlNames[t.Type]; ok {
			n.out.WriteString(name)
		} else {
			n.out.WriteString(t.Type.String())
		}
	case *ast.TyCon:
		n.name(t.Name)
	case *ast.TySyn:
		n.app(func() { n.name(t.Name) }, t.Args, around, depth)
	case *ast.TyApp:
		n.writeApp(t, around, depth)
	case *ast.TyForall:
		n.open(around > loose)
		n.out.WriteString("forall " + t.Binder.Name + ". ")
		n.write(t.Body, loose, depth+1)
		n.end(around > loose)
	case *ast.TyStruct:
		n.out.WriteString("{")
		for i, field := range t.Fields {
			if i > 0 {
				n.out.WriteString("; ")
			}
			n.out.WriteString(field.Name + " : ")
			n.write(field.Type, loose, depth+1)
			if n.out.Len() > maxNotation {
				break
			}
		}
		n.out.WriteString("}")
	default:
		n.out.WriteString("?")
	}
}

func (n *notation) writeApp(t *ast.TyApp, around, depth int) {
	builtin, ok := t.Fun.(*ast.TyBuiltin)
	switch {
	case ok && builtin.Type == ast.Arrow && len(t.Args) == 2:
		n.open(around > loose)
		n.write(t.Args[0], ofArrow, depth+1)
		n.out.WriteString(" -> ")
		n.write(t.Args[1], loose, depth+1)
		n.end(around > loose)
	case ok && builtin.Type == ast.List && len(t.Args) == 1:
		n.out.WriteString("[")
		n.write(t.Args[0], loose, depth+1)
		n.out.WriteString("]")
	default:
		n.app(func() { n.write(t.Fun, ofArgument, depth+1) }, t.Args, around, depth)
	}
}

func (n *notation) app(fun func(), args []ast.Type, around, depth int) {
	inBrackets := around == ofArgument && len(args) > 0
	n.open(inBrackets)
	fun()
	for _, arg := range args {
		if n.out.Len() > maxNotation {
			break
		}
		n.out.WriteString(" ")
		n.write(arg, ofArgument, depth+1)
	}
	n.end(inBrackets)
}

func (n *notation) name(name lf.TypeName) {
	if p := n.packages[name.Package]; p != nil {
		n.out.WriteString(p.Name + "-" + p.Release + ":")
	}
	n.out.WriteString(shorten(name.Module + "." + name.Entity))
}

func (n *notation) open(bracket bool) {
	if bracket {
		n.out.WriteString("(")
	}
}

func (n *notation) end(bracket bool) {
	if bracket {
		n.out.WriteString(")")
	}
}
