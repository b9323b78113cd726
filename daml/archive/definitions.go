package archive

import (
	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
)

func (d *decoder) readModule(message *archivepb.Module) *ast.Module {
	d.moduleNumber++
	d.module = d.dottedName(message.GetNameDname())
	flags := message.GetFlags()
	allOn := flags.GetForbidPartyLiterals() && flags.GetDontDivulgeContractIdsInCreateArguments() &&
		flags.GetDontDiscloseNonConsumingChoicesToObservers()
	if d.err == nil && !allOn {
		d.fail("module %s turns off a feature flag, and ledgers need all flags on", d.module)
	}
	return &ast.Module{
		Name:       d.module,
		Synonyms:   each(d, message.GetSynonyms(), d.synonym),
		DataTypes:  each(d, message.GetDataTypes(), d.dataType),
		Values:     each(d, message.GetValues(), d.value),
		Templates:  each(d, message.GetTemplates(), d.template),
		Exceptions: each(d, message.GetExceptions(), d.exception),
		Interfaces: each(d, message.GetInterfaces(), d.interfaceOf),
	}
}

func (d *decoder) synonym(message *archivepb.DefTypeSyn) *ast.DefTypeSynonym {
	return &ast.DefTypeSynonym{
		Name: d.dottedName(message.GetNameDname()), Params: each(d, message.GetParams(), d.typeBinder),
		Type: d.typ(message.GetType()), Location: d.location(message.GetLocation()),
	}
}

func (d *decoder) dataType(message *archivepb.DefDataType) *ast.DefDataType {
	out := &ast.DefDataType{
		Name: d.dottedName(message.GetNameDname()), Params: each(d, message.GetParams(), d.typeBinder),
		Serializable: message.GetSerializable(), Location: d.location(message.GetLocation()),
	}
	switch cons := message.GetSum().(type) {
	case *archivepb.DefDataType_Record:
		out.Cons = &ast.RecordCons{Fields: each(d, cons.Record.GetFields(), d.field)}
	case *archivepb.DefDataType_Variant:
		out.Cons = &ast.VariantCons{Constructors: each(d, cons.Variant.GetFields(), d.field)}
	case *archivepb.DefDataType_Enum:
		if len(out.Params) > 0 {
			d.fail("enum %s has type parameters", out.Name)
		}
		out.Cons = &ast.EnumCons{Constructors: each(d, cons.Enum.GetNamesStr(), d.name)}
	case *archivepb.DefDataType_Interface:
		out.Cons = &ast.InterfaceCons{}
	default:
		d.fail("type %s is not a record, variant, enum or interface of Daml-LF %s", out.Name, d.version)
	}
	return out
}

func (d *decoder) value(message *archivepb.DefValue) *ast.DefValue {
	return &ast.DefValue{
		Name: d.dottedName(message.GetName().GetNameDname()), Type: d.typ(message.GetName().GetType()),
		Body: d.expr(message.GetExpr()), Location: d.location(message.GetLocation()),
	}
}

func (d *decoder) template(message *archivepb.DefTemplate) *ast.DefTemplate {
	out := &ast.DefTemplate{
		Name: d.dottedName(message.GetNameDname()), Param: d.name(message.GetParamStr()),
		Precondition: &ast.ExpBool{Value: true}, Signatories: d.expr(message.GetSignatories()),
		Observers: d.expr(message.GetObservers()), Choices: each(d, message.GetChoices(), d.choice),
		Implements: each(d, message.GetImplements(), d.implements), Location: d.location(message.GetLocation()),
	}
	if message.GetPrecondition() != nil {
		out.Precondition = d.expr(message.GetPrecondition())
	}
	if key := message.GetKey(); key != nil {
		d.since(ast.V2_3, "a contract key")
		out.Key = &ast.TemplateKey{
			Type: d.typ(key.GetType()), Key: d.expr(key.GetKey()), Maintainers: d.expr(key.GetMaintainers()),
		}
	}
	return out
}

func (d *decoder) choice(message *archivepb.Choice) *ast.Choice {
	if message.GetAuthorizers() != nil {
		d.since(ast.V2_dev, "authorizers of a choice")
	}
	return &ast.Choice{
		Name: d.name(message.GetNameStr()), Consuming: message.GetConsuming(), Self: d.name(message.GetSelfStr()),
		Argument: d.binder(message.GetArgument()), ReturnType: d.typ(message.GetReturnType()),
		Controllers: d.expr(message.GetControllers()), Observers: d.expr(message.GetObservers()),
		Authorizers: d.optionalExpr(message.GetAuthorizers()), Update: d.expr(message.GetUpdate()),
		Location: d.location(message.GetLocation()),
	}
}

func (d *decoder) implements(message *archivepb.DefTemplate_Implements) *ast.Implements {
	return &ast.Implements{
		Interface: d.typeName(message.GetInterface()),
		Methods: each(d, message.GetBody().GetMethods(), func(m *archivepb.InterfaceInstance_Method) ast.MethodBody {
			return ast.MethodBody{Name: d.name(m.GetNameStr()), Body: d.expr(m.GetValue())}
		}),
		View: d.expr(message.GetBody().GetView()), Location: d.location(message.GetLocation()),
	}
}

func (d *decoder) interfaceOf(message *archivepb.DefInterface) *ast.DefInterface {
	return &ast.DefInterface{
		Name: d.dottedName(message.GetNameDname()), Param: d.name(message.GetParamStr()),
		Requires: each(d, message.GetRequires(), d.typeName), View: d.typ(message.GetView()),
		Methods: each(d, message.GetMethods(), func(m *archivepb.InterfaceMethod) ast.Method {
			return ast.Method{Name: d.name(m.GetNameStr()), Type: d.typ(m.GetType()), Location: d.location(m.GetLocation())}
		}),
		Choices: each(d, message.GetChoices(), d.choice), Location: d.location(message.GetLocation()),
	}
}

func (d *decoder) exception(message *archivepb.DefException) *ast.DefException {
	return &ast.DefException{
		Name: d.dottedName(message.GetNameDname()), Message: d.expr(message.GetMessage()),
		Location: d.location(message.GetLocation()),
	}
}
