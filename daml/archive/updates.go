package archive

import (
	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
)

func (d *decoder) update(message *archivepb.Update) ast.Expr {
	switch u := message.GetSum().(type) {
	case *archivepb.Update_Pure:
		return &ast.UpdatePure{Type: d.typ(u.Pure.GetType()), Expr: d.expr(u.Pure.GetExpr())}
	case *archivepb.Update_Block:
		nonEmpty(d, u.Block.GetBindings(), "a block of updates")
		return &ast.UpdateBlock{Bindings: each(d, u.Block.GetBindings(), d.binding), Body: d.expr(u.Block.GetBody())}
	case *archivepb.Update_EmbedExpr:
		return &ast.UpdateEmbedExpr{Type: d.typ(u.EmbedExpr.GetType()), Body: d.expr(u.EmbedExpr.GetExpr())}
	case *archivepb.Update_GetTime:
		return &ast.UpdateGetTime{}
	case *archivepb.Update_LedgerTimeLt:
		return &ast.UpdateLedgerTimeLT{Time: d.expr(u.LedgerTimeLt)}
	case *archivepb.Update_TryCatch_:
		return &ast.UpdateTryCatch{
			ReturnType: d.typ(u.TryCatch.GetReturnType()), Body: d.expr(u.TryCatch.GetTry()),
			Var: d.name(u.TryCatch.GetVarStr()), Handler: d.expr(u.TryCatch.GetCatch()),
		}
	case *archivepb.Update_Create_:
		return &ast.UpdateCreate{Template: d.typeName(u.Create.GetType()), Argument: d.expr(u.Create.GetExpr())}
	case *archivepb.Update_CreateInterface:
		return &ast.UpdateCreateInterface{
			Interface: d.typeName(u.CreateInterface.GetType()), Argument: d.expr(u.CreateInterface.GetExpr()),
		}
	case *archivepb.Update_Fetch_:
		return &ast.UpdateFetch{Template: d.typeName(u.Fetch.GetType()), ContractID: d.expr(u.Fetch.GetContractId())}
	case *archivepb.Update_FetchInterface:
		return &ast.UpdateFetchInterface{
			Interface: d.typeName(u.FetchInterface.GetType()), ContractID: d.expr(u.FetchInterface.GetContractId()),
		}
	}
	if out, ok := d.exerciseOrKey(message); ok {
		return out
	}
	d.fail("Daml-LF %s does not have this update", d.version)
	return nil
}

func (d *decoder) exerciseOrKey(message *archivepb.Update) (ast.Expr, bool) {
	switch u := message.GetSum().(type) {
	case *archivepb.Update_Exercise_:
		return &ast.UpdateExercise{
			Template: d.typeName(u.Exercise.GetTemplate()), Choice: d.name(u.Exercise.GetChoiceStr()),
			ContractID: d.expr(u.Exercise.GetContractId()), Argument: d.expr(u.Exercise.GetArgument()),
		}, true
	case *archivepb.Update_ExerciseInterface_:
		m := u.ExerciseInterface
		if m.GetGuard() != nil {
			d.since(ast.V2_dev, "a guard")
		}
		return &ast.UpdateExerciseInterface{
			Interface: d.typeName(m.GetInterface()), Choice: d.name(m.GetChoiceStr()),
			ContractID: d.expr(m.GetContractId()), Argument: d.expr(m.GetArgument()), Guard: d.optionalExpr(m.GetGuard()),
		}, true
	case *archivepb.Update_ExerciseByKey_:
		d.since(ast.V2_3, "exercise_by_key")
		m := u.ExerciseByKey
		return &ast.UpdateExerciseByKey{
			Template: d.typeName(m.GetTemplate()), Choice: d.name(m.GetChoiceStr()),
			Key: d.expr(m.GetKey()), Argument: d.expr(m.GetArgument()),
		}, true
	case *archivepb.Update_FetchByKey:
		d.since(ast.V2_3, "fetch_by_key")
		return &ast.UpdateFetchByKey{Template: d.typeName(u.FetchByKey.GetTemplate())}, true
	case *archivepb.Update_LookupByKey:
		d.since(ast.V2_dev, "lookup_by_key")
		return &ast.UpdateLookupByKey{Template: d.typeName(u.LookupByKey.GetTemplate())}, true
	case *archivepb.Update_QueryNByKey:
		d.since(ast.V2_3, "query_n_by_key")
		return &ast.UpdateQueryNByKey{Template: d.typeName(u.QueryNByKey.GetTemplate())}, true
	default:
		return nil, false
	}
}
