package ast

import (
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Notation prints a type as Daml writes it, and shortens a very long or deep one. A name has its package in front if
// packages contains it.
func Notation(t Type, packages Packages) string {
	n := notation{packages: packages}
	n.write(t, loose, 0)
	return n.out.String()
}

// KindNotation prints a kind.
func KindNotation(kind Kind) string { return showKind(kind, 0) }

// NameNotation prints the name of a type without its package.
func NameNotation(name lf.TypeName) string { return fault.Shorten(name.Module + "." + name.Entity) }

// notation prints types as Daml writes them.
type notation struct {
	out strings.Builder
	// packages are the packages to print in front of names; nil for names without packages.
	packages Packages
}

// Limits of a printed type.
const (
	maxNotation      = 400
	maxNotationDepth = 40
)

// The place of a type in another decides its brackets.
const (
	loose      = iota // alone
	ofArrow           // parameter of a function
	ofArgument        // argument
)

func showKind(kind Kind, depth int) string {
	switch kind := kind.(type) {
	case *KindStar:
		return "*"
	case *KindNat:
		return "nat"
	case *KindArrow:
		if depth > maxNotationDepth/4 {
			return "…"
		}
		param := showKind(kind.Param, depth+1)
		if _, isArrow := kind.Param.(*KindArrow); isArrow {
			param = "(" + param + ")"
		}
		return param + " -> " + showKind(kind.Result, depth+1)
	default:
		return "?"
	}
}

var damlNames = map[BuiltinType]string{
	Unit: "()", Int64: "Int", Timestamp: "Time", GenMap: "Map", Arrow: "(->)", List: "[]",
}

func (n *notation) write(t Type, around, depth int) {
	if n.out.Len() > maxNotation || depth > maxNotationDepth {
		n.out.WriteString("…")
		return
	}
	switch t := t.(type) {
	case *TyVar:
		name, _, _ := strings.Cut(t.Name, "%")
		n.out.WriteString(name)
	case *TyNat:
		n.out.WriteString(strconv.Itoa(t.Value))
	case *TyBuiltin:
		if name, ok := damlNames[t.Type]; ok {
			n.out.WriteString(name)
		} else {
			n.out.WriteString(t.Type.String())
		}
	case *TyCon:
		n.name(t.Name)
	case *TySyn:
		n.app(func() { n.name(t.Name) }, t.Args, around, depth)
	case *TyApp:
		n.writeApp(t, around, depth)
	case *TyForall:
		n.open(around > loose)
		n.out.WriteString("forall " + t.Binder.Name + ". ")
		n.write(t.Body, loose, depth+1)
		n.end(around > loose)
	case *TyStruct:
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

func (n *notation) writeApp(t *TyApp, around, depth int) {
	builtin, ok := t.Fun.(*TyBuiltin)
	switch {
	case ok && builtin.Type == Arrow && len(t.Args) == 2:
		n.open(around > loose)
		n.write(t.Args[0], ofArrow, depth+1)
		n.out.WriteString(" -> ")
		n.write(t.Args[1], loose, depth+1)
		n.end(around > loose)
	case ok && builtin.Type == List && len(t.Args) == 1:
		n.out.WriteString("[")
		n.write(t.Args[0], loose, depth+1)
		n.out.WriteString("]")
	default:
		n.app(func() { n.write(t.Fun, ofArgument, depth+1) }, t.Args, around, depth)
	}
}

func (n *notation) app(fun func(), args []Type, around, depth int) {
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
	n.out.WriteString(NameNotation(name))
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
