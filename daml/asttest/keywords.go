package asttest

import (
	"strconv"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// keyword finds the reader of an expression that begins with a keyword.
func keyword(word string) (func(p *parser) ast.Expr, bool) {
	for _, words := range []func() map[string]func(p *parser) ast.Expr{dataWords, interfaceWords, updateWords} {
		if read, ok := words()[word]; ok {
			return read, true
		}
	}
	return nil, false
}

func dataWords() map[string]func(p *parser) ast.Expr {
	return map[string]func(p *parser) ast.Expr{
		"True":  func(*parser) ast.Expr { return &ast.ExpBool{Value: true} },
		"False": func(*parser) ast.Expr { return &ast.ExpBool{} },
		"Nil":   func(p *parser) ast.Expr { return &ast.ExpListNil{Type: p.typeArg()} },
		"None":  func(p *parser) ast.Expr { return &ast.ExpOptionalNone{Type: p.typeArg()} },
		"Some":  func(p *parser) ast.Expr { return &ast.ExpOptionalSome{Type: p.typeArg(), Expr: p.expr0()} },
		"Cons": func(p *parser) ast.Expr {
			out := &ast.ExpListCons{Type: p.typeArg()}
			p.want("[")
			out.Front = separated(p, ",", "]", p.expr)
			out.Tail = p.expr0()
			return out
		},
		"let": func(p *parser) ast.Expr {
			out := &ast.ExpLet{Bindings: []ast.Binding{p.binding("=")}}
			p.want("in")
			out.Body = p.expr()
			return out
		},
		"case": func(p *parser) ast.Expr {
			out := &ast.ExpCase{Scrutinee: p.expr()}
			p.want("of")
			out.Alternatives = []ast.Alternative{p.alternative()}
			for p.skip("|") {
				out.Alternatives = append(out.Alternatives, p.alternative())
			}
			return out
		},
		"loc":              func(p *parser) ast.Expr { return p.located() },
		"to_any":           func(p *parser) ast.Expr { return &ast.ExpToAny{Type: p.typeArg(), Expr: p.expr0()} },
		"from_any":         func(p *parser) ast.Expr { return &ast.ExpFromAny{Type: p.typeArg(), Expr: p.expr0()} },
		"type_rep":         func(p *parser) ast.Expr { return &ast.ExpTypeRep{Type: p.typeArg()} },
		"to_any_exception": func(p *parser) ast.Expr { return &ast.ExpToAnyException{Type: p.typeArg(), Expr: p.expr0()} },
		"from_any_exception": func(p *parser) ast.Expr {
			return &ast.ExpFromAnyException{Type: p.typeArg(), Expr: p.expr0()}
		},
		"throw": func(p *parser) ast.Expr {
			return &ast.ExpThrow{ReturnType: p.typeArg(), ExceptionType: p.typeArg(), Exception: p.expr0()}
		},
		"INVALID_INDEPENDENT_OF_SYSTEM_STATE": func(*parser) ast.Expr {
			return &ast.ExpLitFailureCategory{Value: 8}
		},
		"INVALID_GIVEN_CURRENT_SYSTEM_STATE_OTHER": func(*parser) ast.Expr {
			return &ast.ExpLitFailureCategory{Value: 9}
		},
	}
}

func interfaceWords() map[string]func(p *parser) ast.Expr {
	return map[string]func(p *parser) ast.Expr{
		"to_interface": func(p *parser) ast.Expr {
			return &ast.ExpToInterface{Interface: p.typeName(), Template: p.typeName(), Expr: p.expr0()}
		},
		"from_interface": func(p *parser) ast.Expr {
			return &ast.ExpFromInterface{Interface: p.typeName(), Template: p.typeName(), Expr: p.expr0()}
		},
		"unsafe_from_interface": func(p *parser) ast.Expr {
			return &ast.ExpUnsafeFromInterface{
				Interface: p.typeName(), Template: p.typeName(), ContractID: p.expr0(), Expr: p.expr0(),
			}
		},
		"to_required_interface": func(p *parser) ast.Expr {
			return &ast.ExpToRequiredInterface{Required: p.typeName(), Requiring: p.typeName(), Expr: p.expr0()}
		},
		"from_required_interface": func(p *parser) ast.Expr {
			return &ast.ExpFromRequiredInterface{Required: p.typeName(), Requiring: p.typeName(), Expr: p.expr0()}
		},
		"unsafe_from_required_interface": func(p *parser) ast.Expr {
			return &ast.ExpUnsafeFromRequiredInterface{
				Required: p.typeName(), Requiring: p.typeName(), ContractID: p.expr0(), Expr: p.expr0(),
			}
		},
		"call_method": func(p *parser) ast.Expr {
			return &ast.ExpCallInterface{Interface: p.typeName(), Method: p.name(), Expr: p.expr0()}
		},
		"view_interface": func(p *parser) ast.Expr {
			return &ast.ExpViewInterface{Interface: p.typeName(), Expr: p.expr0()}
		},
		"interface_template_type_rep": func(p *parser) ast.Expr {
			return &ast.ExpInterfaceTypeRep{Interface: p.typeName(), Expr: p.expr0()}
		},
		"signatory_interface": func(p *parser) ast.Expr {
			return &ast.ExpInterfaceSignatory{Interface: p.typeName(), Expr: p.expr0()}
		},
		"observer_interface": func(p *parser) ast.Expr {
			return &ast.ExpInterfaceObserver{Interface: p.typeName(), Expr: p.expr0()}
		},
		"choice_controller": func(p *parser) ast.Expr {
			return &ast.ExpChoiceController{
				Template: p.typeName(), Choice: p.name(), Contract: p.expr0(), Argument: p.expr0(),
			}
		},
		"choice_observer": func(p *parser) ast.Expr {
			return &ast.ExpChoiceObserver{
				Template: p.typeName(), Choice: p.name(), Contract: p.expr0(), Argument: p.expr0(),
			}
		},
	}
}

func updateWords() map[string]func(p *parser) ast.Expr {
	return map[string]func(p *parser) ast.Expr{
		"upure":       func(p *parser) ast.Expr { return &ast.UpdatePure{Type: p.typeArg(), Expr: p.expr0()} },
		"uembed_expr": func(p *parser) ast.Expr { return &ast.UpdateEmbedExpr{Type: p.typeArg(), Body: p.expr0()} },
		"uget_time":   func(*parser) ast.Expr { return &ast.UpdateGetTime{} },
		"ledger_time_lt": func(p *parser) ast.Expr {
			return &ast.UpdateLedgerTimeLT{Time: p.expr0()}
		},
		"ubind": func(p *parser) ast.Expr {
			out := &ast.UpdateBlock{Bindings: []ast.Binding{p.binding("<-")}}
			for p.skip(";") {
				out.Bindings = append(out.Bindings, p.binding("<-"))
			}
			p.want("in")
			out.Body = p.expr()
			return out
		},
		"try": func(p *parser) ast.Expr {
			out := &ast.UpdateTryCatch{ReturnType: p.typeArg(), Body: p.expr0()}
			p.want("catch")
			out.Var = p.name()
			p.want("->")
			out.Handler = p.expr()
			return out
		},
		"create": func(p *parser) ast.Expr {
			return &ast.UpdateCreate{Template: p.typeName(), Argument: p.expr0()}
		},
		"create_by_interface": func(p *parser) ast.Expr {
			return &ast.UpdateCreateInterface{Interface: p.typeName(), Argument: p.expr0()}
		},
		"fetch_template": func(p *parser) ast.Expr {
			return &ast.UpdateFetch{Template: p.typeName(), ContractID: p.expr0()}
		},
		"fetch_interface": func(p *parser) ast.Expr {
			return &ast.UpdateFetchInterface{Interface: p.typeName(), ContractID: p.expr0()}
		},
		"exercise": func(p *parser) ast.Expr {
			return &ast.UpdateExercise{Template: p.typeName(), Choice: p.name(), ContractID: p.expr0(), Argument: p.expr0()}
		},
		"exercise_interface": func(p *parser) ast.Expr {
			return &ast.UpdateExerciseInterface{
				Interface: p.typeName(), Choice: p.name(), ContractID: p.expr0(), Argument: p.expr0(),
			}
		},
		"exercise_interface_with_guard": func(p *parser) ast.Expr {
			return &ast.UpdateExerciseInterface{
				Interface: p.typeName(), Choice: p.name(), ContractID: p.expr0(), Argument: p.expr0(), Guard: p.expr0(),
			}
		},
		"exercise_by_key": func(p *parser) ast.Expr {
			return &ast.UpdateExerciseByKey{Template: p.typeName(), Choice: p.name(), Key: p.expr0(), Argument: p.expr0()}
		},
		"fetch_by_key":   func(p *parser) ast.Expr { return &ast.UpdateFetchByKey{Template: p.typeName()} },
		"lookup_by_key":  func(p *parser) ast.Expr { return &ast.UpdateLookupByKey{Template: p.typeName()} },
		"query_n_by_key": func(p *parser) ast.Expr { return &ast.UpdateQueryNByKey{Template: p.typeName()} },
	}
}

// typeName is @ and a full name.
func (p *parser) typeName() lf.TypeName {
	p.want("@")
	return p.fullName()
}

// located is (Module, start line, start column, end line, end column) and an expression.
func (p *parser) located() ast.Expr {
	p.want("(")
	out := &ast.ExpLocation{Location: ast.Location{Package: p.self, Module: p.dotted()}}
	for _, place := range []*int32{
		&out.Location.Start.Line, &out.Location.Start.Column, &out.Location.End.Line, &out.Location.End.Column,
	} {
		p.want(",")
		n, err := strconv.ParseInt(p.next().text, 10, 32)
		if err != nil {
			p.fail("a number")
		}
		*place = int32(n)
	}
	p.want(")")
	out.Expr = p.expr()
	return out
}
