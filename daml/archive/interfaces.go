package archive

import (
	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
)

func (d *decoder) interfaceExpr(message *archivepb.Expr) (ast.Expr, bool) {
	switch e := message.GetSum().(type) {
	case *archivepb.Expr_ToInterface:
		return &ast.ExpToInterface{
			Interface: d.typeName(e.ToInterface.GetInterface()), Template: d.typeName(e.ToInterface.GetTemplate()),
			Expr: d.expr(e.ToInterface.GetExpr()),
		}, true
	case *archivepb.Expr_FromInterface:
		return &ast.ExpFromInterface{
			Interface: d.typeName(e.FromInterface.GetInterface()), Template: d.typeName(e.FromInterface.GetTemplate()),
			Expr: d.expr(e.FromInterface.GetExpr()),
		}, true
	case *archivepb.Expr_UnsafeFromInterface_:
		if d.version > ast.V2_1 {
			d.fail("Daml-LF %s has no unsafe_from_interface, only 2.1 has it", d.version)
		}
		m := e.UnsafeFromInterface
		return &ast.ExpUnsafeFromInterface{
			Interface: d.typeName(m.GetInterface()), Template: d.typeName(m.GetTemplate()),
			ContractID: d.expr(m.GetContractId()), Expr: d.expr(m.GetExpr()),
		}, true
	case *archivepb.Expr_ToRequiredInterface:
		m := e.ToRequiredInterface
		return &ast.ExpToRequiredInterface{
			Required: d.typeName(m.GetRequired()), Requiring: d.typeName(m.GetRequiring()), Expr: d.expr(m.GetExpr()),
		}, true
	case *archivepb.Expr_FromRequiredInterface:
		m := e.FromRequiredInterface
		return &ast.ExpFromRequiredInterface{
			Required: d.typeName(m.GetRequired()), Requiring: d.typeName(m.GetRequiring()), Expr: d.expr(m.GetExpr()),
		}, true
	case *archivepb.Expr_UnsafeFromRequiredInterface:
		m := e.UnsafeFromRequiredInterface
		return &ast.ExpUnsafeFromRequiredInterface{
			Required: d.typeName(m.GetRequired()), Requiring: d.typeName(m.GetRequiring()),
			ContractID: d.expr(m.GetContractId()), Expr: d.expr(m.GetExpr()),
		}, true
	case *archivepb.Expr_CallInterface_:
		return &ast.ExpCallInterface{
			Interface: d.typeName(e.CallInterface.GetInterface()), Method: d.name(e.CallInterface.GetMethodStr()),
			Expr: d.expr(e.CallInterface.GetExpr()),
		}, true
	case *archivepb.Expr_ViewInterface:
		return &ast.ExpViewInterface{
			Interface: d.typeName(e.ViewInterface.GetInterface()), Expr: d.expr(e.ViewInterface.GetExpr()),
		}, true
	case *archivepb.Expr_InterfaceTemplateTypeRep:
		m := e.InterfaceTemplateTypeRep
		return &ast.ExpInterfaceTypeRep{Interface: d.typeName(m.GetInterface()), Expr: d.expr(m.GetExpr())}, true
	case *archivepb.Expr_SignatoryInterface:
		m := e.SignatoryInterface
		return &ast.ExpInterfaceSignatory{Interface: d.typeName(m.GetInterface()), Expr: d.expr(m.GetExpr())}, true
	case *archivepb.Expr_ObserverInterface:
		m := e.ObserverInterface
		return &ast.ExpInterfaceObserver{Interface: d.typeName(m.GetInterface()), Expr: d.expr(m.GetExpr())}, true
	default:
		return d.choiceExpr(message)
	}
}

func (d *decoder) choiceExpr(message *archivepb.Expr) (ast.Expr, bool) {
	switch e := message.GetSum().(type) {
	case *archivepb.Expr_ChoiceController:
		d.since(ast.V2_dev, "choice_controller")
		m := e.ChoiceController
		return &ast.ExpChoiceController{
			Template: d.typeName(m.GetTemplate()), Choice: d.name(m.GetChoiceStr()),
			Contract: d.expr(m.GetContract()), Argument: d.expr(m.GetArgument()),
		}, true
	case *archivepb.Expr_ChoiceObserver:
		d.since(ast.V2_dev, "choice_observer")
		m := e.ChoiceObserver
		return &ast.ExpChoiceObserver{
			Template: d.typeName(m.GetTemplate()), Choice: d.name(m.GetChoiceStr()),
			Contract: d.expr(m.GetContract()), Argument: d.expr(m.GetArgument()),
		}, true
	default:
		return nil, false
	}
}
