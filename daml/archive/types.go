package archive

import (
	"cmp"
	"slices"

	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
)

const maxScale = 37 // of a Numeric

var (
	kindStar = &ast.KindStar{}
	kindNat  = &ast.KindNat{}
)

// kindEntry decodes an entry of the table of kinds, which must not be only a reference.
func (d *decoder) kindEntry(message *archivepb.Kind) ast.Kind {
	if _, ok := message.GetSum().(*archivepb.Kind_Interned); ok {
		d.fail("an entry of the table of kinds is only a reference")
	}
	return d.kind(message)
}

func (d *decoder) kind(message *archivepb.Kind) ast.Kind {
	if !d.enter() {
		return nil
	}
	defer d.leave()
	switch kind := message.GetSum().(type) {
	case *archivepb.Kind_Star:
		return kindStar
	case *archivepb.Kind_Nat:
		return kindNat
	case *archivepb.Kind_Arrow_:
		params := kind.Arrow.GetParams()
		single(d, params, "a kind of type constructors")
		d.depth += len(params)
		out := d.kind(kind.Arrow.GetResult())
		d.depth -= len(params)
		for _, param := range slices.Backward(each(d, params, d.kind)) {
			out = &ast.KindArrow{Param: param, Result: out}
		}
		return out
	case *archivepb.Kind_Interned:
		d.since(ast.V2_2, "a table of kinds")
		return again(d, at(d, d.kinds, kind.Interned, "kind"))
	default:
		d.fail("Daml-LF %s does not have this kind", d.version)
		return nil
	}
}

func (d *decoder) typeBinder(message *archivepb.TypeVarKind) ast.TypeBinder {
	return ast.TypeBinder{Name: d.name(message.GetNameStr()), Kind: d.kind(message.GetKind())}
}

// typ decodes a type outside of the table of types, which must refer to the table.
func (d *decoder) typ(message *archivepb.Type) ast.Type {
	interned, ok := message.GetSum().(*archivepb.Type_Interned)
	if !ok {
		d.fail("a type is not in the table of types")
		return nil
	}
	return again(d, at(d, d.types, interned.Interned, "type"))
}

// typeEntry decodes an entry of the table of types, which must not be only a reference.
func (d *decoder) typeEntry(message *archivepb.Type) ast.Type {
	if _, ok := message.GetSum().(*archivepb.Type_Interned); ok {
		d.fail("an entry of the table of types is only a reference")
	}
	return d.entryPart(message)
}

// entryPart decodes a part of an entry of the table of types. It can refer only to earlier entries.
func (d *decoder) entryPart(message *archivepb.Type) ast.Type {
	if !d.enter() {
		return nil
	}
	defer d.leave()
	switch typ := message.GetSum().(type) {
	case *archivepb.Type_Interned:
		return again(d, at(d, d.types, typ.Interned, "type"))
	case *archivepb.Type_Var_:
		return d.apply(&ast.TyVar{Name: d.name(typ.Var.GetNameStr())}, typ.Var.GetArgs())
	case *archivepb.Type_Con_:
		return d.apply(&ast.TyCon{Name: d.typeName(typ.Con.GetName())}, typ.Con.GetArgs())
	case *archivepb.Type_Builtin_:
		return d.apply(d.builtinType(typ.Builtin.GetBuiltin()), typ.Builtin.GetArgs())
	case *archivepb.Type_App_:
		d.since(ast.V2_2, "a type application of its own")
		fun := d.entryPart(typ.App.GetFunction())
		argument := d.entryPart(typ.App.GetArgument())
		if app, ok := fun.(*ast.TyApp); ok { // its arguments are copied
			d.meet(int64(len(app.Args)), 0)
		}
		return ast.Apply(fun, argument)
	case *archivepb.Type_Syn_:
		return &ast.TySyn{Name: d.typeName(typ.Syn.GetName()), Args: each(d, typ.Syn.GetArgs(), d.entryPart)}
	case *archivepb.Type_Nat:
		if typ.Nat < 0 || typ.Nat > maxScale {
			d.fail("%d is not a scale: a scale is between 0 and %d", typ.Nat, maxScale)
		}
		return &ast.TyNat{Value: int(typ.Nat)}
	case *archivepb.Type_Forall_:
		return d.forall(typ.Forall)
	case *archivepb.Type_Struct_:
		return d.structType(typ.Struct)
	default:
		d.fail("Daml-LF %s does not have this type", d.version)
		return nil
	}
}

func (d *decoder) apply(fun ast.Type, args []*archivepb.Type) ast.Type {
	if d.flat() && len(args) > 0 {
		d.fail("a type has arguments, but Daml-LF %s has type applications instead", d.version)
	}
	return ast.Apply(fun, each(d, args, d.entryPart)...)
}

func (d *decoder) forall(message *archivepb.Type_Forall) ast.Type {
	single(d, message.GetVars(), "a quantification")
	d.depth += len(message.GetVars())
	out := d.entryPart(message.GetBody())
	d.depth -= len(message.GetVars())
	for _, binder := range slices.Backward(each(d, message.GetVars(), d.typeBinder)) {
		out = &ast.TyForall{Binder: binder, Body: out}
	}
	return out
}

func (d *decoder) structType(message *archivepb.Type_Struct) ast.Type {
	nonEmpty(d, message.GetFields(), "a struct type")
	fields := each(d, message.GetFields(), func(field *archivepb.FieldType) ast.Field {
		return ast.Field{Name: d.name(field.GetNameStr()), Type: d.entryPart(field.GetType())}
	})
	slices.SortStableFunc(fields, func(a, b ast.Field) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(fields); i++ {
		if fields[i-1].Name == fields[i].Name {
			d.fail("a struct type has field %s twice", fields[i].Name)
		}
	}
	return &ast.TyStruct{Fields: fields}
}

func (d *decoder) field(message *archivepb.FieldType) ast.Field {
	return ast.Field{Name: d.name(message.GetNameStr()), Type: d.typ(message.GetType())}
}

func (d *decoder) binder(message *archivepb.VarType) ast.Binder {
	return ast.Binder{Name: d.name(message.GetNameStr()), Type: d.typ(message.GetType())}
}

func (d *decoder) typeConApp(message *archivepb.Type_Con) ast.TypeConApp {
	return ast.TypeConApp{Name: d.typeName(message.GetName()), Args: each(d, message.GetArgs(), d.typ)}
}
