package engine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// typeRep makes a value of a type.
func (p *Program) typeRep(t ast.Type) *TypeRep {
	var key strings.Builder
	writeType(&key, t)
	rep, _ := once(p, p.typeReps, key.String(), func() (*TypeRep, error) {
		return &TypeRep{Type: t, key: key.String()}, nil
	})
	return rep
}

// String prints the type.
func (t *TypeRep) String() string { return t.key }

// writeType writes a type. Different types have different texts.
func writeType(out *strings.Builder, t ast.Type) {
	switch t := t.(type) {
	case *ast.TyBuiltin:
		out.WriteString(t.Type.String())
	case *ast.TyCon:
		out.WriteString(t.Name.String())
	case *ast.TyNat:
		fmt.Fprint(out, t.Value)
	case *ast.TyVar:
		out.WriteString(t.Name)
	case *ast.TyApp:
		out.WriteByte('(')
		writeType(out, t.Fun)
		for _, arg := range t.Args {
			out.WriteByte(' ')
			writeType(out, arg)
		}
		out.WriteByte(')')
	case *ast.TyStruct:
		out.WriteByte('<')
		for i, field := range t.Fields {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(field.Name + ":")
			writeType(out, field.Type)
		}
		out.WriteByte('>')
	case *ast.TySyn:
		out.WriteString("|" + t.Name.String())
		for _, arg := range t.Args {
			out.WriteByte(' ')
			writeType(out, arg)
		}
		out.WriteByte('|')
	case *ast.TyForall:
		out.WriteString("forall " + t.Binder.Name + ".")
		writeType(out, t.Body)
	}
}

// compareTypes orders types: built-in types as archives number them, then type constructors by name, numbers, structs,
// applications.
func compareTypes(a, b ast.Type) int {
	if order := cmp.Compare(typeRank(a), typeRank(b)); order != 0 {
		return order
	}
	switch a := a.(type) {
	case *ast.TyBuiltin:
		return cmp.Compare(builtinTypeRank[a.Type], builtinTypeRank[b.(*ast.TyBuiltin).Type])
	case *ast.TyCon:
		return compareNames(a.Name, b.(*ast.TyCon).Name)
	case *ast.TyNat:
		return cmp.Compare(a.Value, b.(*ast.TyNat).Value)
	case *ast.TyStruct:
		return compareStructTypes(a, b.(*ast.TyStruct))
	case *ast.TyApp:
		return compareApplications(a, b.(*ast.TyApp))
	default:
		return 0 // values have no other types
	}
}

// compareApplications compares types as if they were applied to one argument at a time: ((τ σ₁) σ₂).
func compareApplications(a, b *ast.TyApp) int {
	split := func(t *ast.TyApp) (ast.Type, ast.Type) {
		last := len(t.Args) - 1
		return ast.Apply(t.Fun, t.Args[:last]...), t.Args[last]
	}
	aFun, aArg := split(a)
	bFun, bArg := split(b)
	if order := compareTypes(aFun, bFun); order != 0 {
		return order
	}
	return compareTypes(aArg, bArg)
}

func compareStructTypes(a, b *ast.TyStruct) int {
	for i := range min(len(a.Fields), len(b.Fields)) {
		if order := strings.Compare(a.Fields[i].Name, b.Fields[i].Name); order != 0 {
			return order
		}
	}
	if order := cmp.Compare(len(a.Fields), len(b.Fields)); order != 0 {
		return order
	}
	for i := range a.Fields {
		if order := compareTypes(a.Fields[i].Type, b.Fields[i].Type); order != 0 {
			return order
		}
	}
	return 0
}

func compareNames(a, b lf.TypeName) int {
	return cmp.Or(strings.Compare(string(a.Package), string(b.Package)), strings.Compare(a.Module, b.Module),
		strings.Compare(a.Entity, b.Entity))
}

func typeRank(t ast.Type) int {
	switch t.(type) {
	case *ast.TyBuiltin:
		return 0
	case *ast.TyCon:
		return 1
	case *ast.TyNat:
		return 2
	case *ast.TyStruct:
		return 3
	default:
		return 4
	}
}

// builtinTypeRank is the order of built-in types: that of their numbers in archives.
var builtinTypeRank = map[ast.BuiltinType]int{
	ast.Unit: 0, ast.Bool: 1, ast.Int64: 2, ast.Date: 3, ast.Timestamp: 4, ast.Numeric: 5, ast.Party: 6, ast.Text: 7,
	ast.ContractID: 8, ast.Optional: 9, ast.List: 10, ast.GenMap: 11, ast.Any: 12, ast.AnyException: 13, ast.TypeRep: 14,
	ast.Arrow: 15, ast.Update: 16, ast.FailureCategory: 17, ast.TextMap: 18, ast.BigNumeric: 19, ast.RoundingMode: 20,
}
