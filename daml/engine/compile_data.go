package engine

import (
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// literal compiles literals and constants; nil for other expressions.
func (s *scope) literal(e ast.Expr) code {
	switch e := e.(type) {
	case *ast.ExpUnit:
		return &constant{value: unit}
	case *ast.ExpBool:
		return &constant{value: boolean(e.Value)}
	case *ast.ExpLitInt64:
		return &constant{value: lf.Int64(e.Value)}
	case *ast.ExpLitText:
		return &constant{value: lf.Text(e.Value)}
	case *ast.ExpLitDate:
		return &constant{value: e.Value}
	case *ast.ExpLitTimestamp:
		return &constant{value: e.Value}
	case *ast.ExpLitNumeric:
		number, ok := ParseNumeric(e.Text)
		if !ok {
			return s.fail("%q is not a Numeric", e.Text)
		}
		return &constant{value: number}
	case *ast.ExpLitRoundingMode:
		return &constant{value: lf.Int64(e.Value)}
	case *ast.ExpLitFailureCategory:
		return &constant{value: lf.Int64(e.Value)}
	case *ast.ExpListNil:
		return &constant{value: emptyList}
	case *ast.ExpOptionalNone:
		return &constant{value: none}
	case *ast.ExpEnumCon:
		typ, rank, err := s.program.constructor(e.Type, e.Constructor)
		check(s, typ, err)
		return &constant{value: &Enum{Type: typ, Rank: rank}}
	case *ast.ExpTypeRep:
		return &constant{value: s.program.typeRep(e.Type)}
	default:
		return nil
	}
}

// data compiles expressions that make or take apart values; nil for other expressions.
func (s *scope) data(e ast.Expr) code {
	switch e := e.(type) {
	case *ast.ExpListCons:
		return s.gather(opCons, append(slices.Clone(e.Front), e.Tail)...)
	case *ast.ExpOptionalSome:
		return s.gather(opSome, e.Expr)
	case *ast.ExpRecCon:
		typ, err := s.program.recordType(e.Type.Name)
		check(s, typ, err)
		return s.gather(s.construct(e, typ), exprs(e.Fields)...)
	case *ast.ExpRecProj:
		index, err := s.program.recordField(e.Type.Name, e.Field)
		return s.gather(project{check(s, index, err)}, e.Record)
	case *ast.ExpRecUpdate:
		index, err := s.program.recordField(e.Type.Name, e.Field)
		return s.gather(updateField{check(s, index, err)}, e.Record, e.Update)
	case *ast.ExpVariantCon:
		typ, rank, err := s.program.constructor(e.Type.Name, e.Constructor)
		check(s, typ, err)
		return s.gather(makeVariant{typ, rank}, e.Argument)
	case *ast.ExpStructCon:
		return s.gather(s.makeStruct(e), exprs(e.Fields)...)
	case *ast.ExpStructProj:
		return s.gather(&projectStruct{name: e.Field}, e.Struct)
	case *ast.ExpStructUpdate:
		return s.gather(&updateStruct{name: e.Field}, e.Struct, e.Update)
	case *ast.ExpToAny:
		return s.gather(toAny{s.program.typeRep(e.Type)}, e.Expr)
	case *ast.ExpFromAny:
		return s.gather(fromAny{s.program.typeRep(e.Type)}, e.Expr)
	case *ast.ExpToAnyException:
		return s.gather(toAny{s.program.typeRep(e.Type)}, e.Expr)
	case *ast.ExpFromAnyException:
		return s.gather(fromAny{s.program.typeRep(e.Type)}, e.Expr)
	case *ast.ExpThrow:
		return s.gather(throw{s.program.typeRep(e.ExceptionType)}, e.Exception)
	default:
		return nil
	}
}

func exprs(fields []ast.FieldExpr) []ast.Expr {
	out := make([]ast.Expr, len(fields))
	for i, field := range fields {
		out[i] = field.Expr
	}
	return out
}

// construct makes records from fields in the order of the expression. In well-typed packages that is the order of the
// type.
func (s *scope) construct(e *ast.ExpRecCon, typ *RecordType) operation {
	if s.err == nil && len(e.Fields) != len(typ.Labels) {
		s.fail("got %d fields for type %s, which has %d", len(e.Fields), typ.Name, len(typ.Labels))
	}
	return makeRecord{typ}
}

func (s *scope) makeStruct(e *ast.ExpStructCon) operation {
	order := make([]int, len(e.Fields))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(e.Fields[a].Name, e.Fields[b].Name) })
	names := make([]string, len(order))
	for i, from := range order {
		names[i] = e.Fields[from].Name
	}
	return makeStruct{shape: s.program.shape(names), order: order}
}
