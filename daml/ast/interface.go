package ast

import "github.com/florinledger/florin/ledger/lf"

// Expressions about interfaces and choices.
type (
	// ExpToInterface turns a template value into an interface value: 'to_interface' @τ₁ @τ₂ e.
	ExpToInterface struct {
		Interface lf.TypeName
		Template  lf.TypeName
		Expr      Expr
	}
	// ExpFromInterface turns an interface value back, or None: 'from_interface' @τ₁ @τ₂ e.
	ExpFromInterface struct {
		Interface lf.TypeName
		Template  lf.TypeName
		Expr      Expr
	}
	// ExpUnsafeFromInterface turns an interface value back, or fails naming the contract: 'unsafe_from_interface' @τ₁ @τ₂
	// e₁ e₂.
	ExpUnsafeFromInterface struct {
		Interface  lf.TypeName
		Template   lf.TypeName
		ContractID Expr
		Expr       Expr
	}
	// ExpToRequiredInterface turns a value of an interface into one that it requires: 'to_required_interface' @τ₁ @τ₂ e.
	ExpToRequiredInterface struct {
		Required  lf.TypeName
		Requiring lf.TypeName
		Expr      Expr
	}
	// ExpFromRequiredInterface turns it back, or None: 'from_required_interface' @τ₁ @τ₂ e.
	ExpFromRequiredInterface struct {
		Required  lf.TypeName
		Requiring lf.TypeName
		Expr      Expr
	}
	// ExpUnsafeFromRequiredInterface turns it back, or fails naming the contract: 'unsafe_from_required_interface' @τ₁
	// @τ₂ e₁ e₂.
	ExpUnsafeFromRequiredInterface struct {
		Required   lf.TypeName
		Requiring  lf.TypeName
		ContractID Expr
		Expr       Expr
	}
	// ExpCallInterface calls a method of an interface value: 'call_interface' @τ f e.
	ExpCallInterface struct {
		Interface lf.TypeName
		Method    string
		Expr      Expr
	}
	// ExpViewInterface computes the view of an interface value: 'view_interface' @τ e.
	ExpViewInterface struct {
		Interface lf.TypeName
		Expr      Expr
	}
	// ExpInterfaceTypeRep is the type of the template in an interface value: 'interface_typerep' @τ e.
	ExpInterfaceTypeRep struct {
		Interface lf.TypeName
		Expr      Expr
	}
	// ExpInterfaceSignatory are the signatories of the template in an interface value: 'interface_signatory' @τ e.
	ExpInterfaceSignatory struct {
		Interface lf.TypeName
		Expr      Expr
	}
	// ExpInterfaceObserver are the observers of the template in an interface value: 'interface_observer' @τ e.
	ExpInterfaceObserver struct {
		Interface lf.TypeName
		Expr      Expr
	}
	// ExpChoiceController are the controllers of a choice, given a contract and a choice argument. Only 2.dev has it.
	ExpChoiceController struct {
		Template lf.TypeName
		Choice   string
		Contract Expr
		Argument Expr
	}
	// ExpChoiceObserver are the observers of a choice, given a contract and a choice argument. Only 2.dev has it.
	ExpChoiceObserver struct {
		Template lf.TypeName
		Choice   string
		Contract Expr
		Argument Expr
	}
)

func (*ExpToInterface) isExpr()                 {}
func (*ExpFromInterface) isExpr()               {}
func (*ExpUnsafeFromInterface) isExpr()         {}
func (*ExpToRequiredInterface) isExpr()         {}
func (*ExpFromRequiredInterface) isExpr()       {}
func (*ExpUnsafeFromRequiredInterface) isExpr() {}
func (*ExpCallInterface) isExpr()               {}
func (*ExpViewInterface) isExpr()               {}
func (*ExpInterfaceTypeRep) isExpr()            {}
func (*ExpInterfaceSignatory) isExpr()          {}
func (*ExpInterfaceObserver) isExpr()           {}
func (*ExpChoiceController) isExpr()            {}
func (*ExpChoiceObserver) isExpr()              {}
