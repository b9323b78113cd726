package archive

import (
	"regexp"

	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// builtinTypes are the built-in types by their numbers in archives.
var builtinTypes = map[archivepb.BuiltinType]ast.BuiltinType{
	archivepb.BuiltinType_UNIT: ast.Unit, archivepb.BuiltinType_BOOL: ast.Bool, archivepb.BuiltinType_INT64: ast.Int64,
	archivepb.BuiltinType_DATE: ast.Date, archivepb.BuiltinType_TIMESTAMP: ast.Timestamp,
	archivepb.BuiltinType_NUMERIC: ast.Numeric, archivepb.BuiltinType_PARTY: ast.Party,
	archivepb.BuiltinType_TEXT: ast.Text, archivepb.BuiltinType_CONTRACT_ID: ast.ContractID,
	archivepb.BuiltinType_OPTIONAL: ast.Optional, archivepb.BuiltinType_LIST: ast.List,
	archivepb.BuiltinType_GENMAP: ast.GenMap, archivepb.BuiltinType_TEXTMAP: ast.TextMap,
	archivepb.BuiltinType_ANY: ast.Any, archivepb.BuiltinType_ANY_EXCEPTION: ast.AnyException,
	archivepb.BuiltinType_TYPE_REP: ast.TypeRep, archivepb.BuiltinType_ARROW: ast.Arrow,
	archivepb.BuiltinType_UPDATE: ast.Update, archivepb.BuiltinType_FAILURE_CATEGORY: ast.FailureCategory,
	archivepb.BuiltinType_BIGNUMERIC: ast.BigNumeric, archivepb.BuiltinType_ROUNDING_MODE: ast.RoundingMode,
}

// The built-in types and functions as nodes, one of each. Functions have the same names in archives and in the tree.
var (
	builtinTypeNodes     = makeBuiltinTypeNodes()
	builtinFunctionNodes = makeBuiltinFunctionNodes()
)

func makeBuiltinTypeNodes() map[archivepb.BuiltinType]*ast.TyBuiltin {
	out := map[archivepb.BuiltinType]*ast.TyBuiltin{}
	for encoded, typ := range builtinTypes {
		out[encoded] = &ast.TyBuiltin{Type: typ}
	}
	return out
}

func makeBuiltinFunctionNodes() map[archivepb.BuiltinFunction]*ast.ExpBuiltin {
	out := map[archivepb.BuiltinFunction]*ast.ExpBuiltin{}
	for _, function := range ast.BuiltinFunctions() {
		if encoded, ok := archivepb.BuiltinFunction_value[function.String()]; ok {
			out[archivepb.BuiltinFunction(encoded)] = &ast.ExpBuiltin{Function: function}
		}
	}
	return out
}

// firstDev is the smallest number that archives use for features of 2.dev alone.
const firstDev = 1000

func (d *decoder) builtinType(encoded archivepb.BuiltinType) ast.Type {
	node := builtinTypeNodes[encoded]
	if node == nil {
		d.fail("built-in type %d is unknown", encoded)
		return nil
	}
	if encoded >= firstDev {
		d.since(ast.V2_dev, "type "+node.Type.String())
	}
	return node
}

func (d *decoder) builtinFunction(encoded archivepb.BuiltinFunction) ast.Expr {
	node := builtinFunctionNodes[encoded]
	if node == nil {
		d.fail("built-in function %d is unknown", encoded)
		return nil
	}
	switch {
	case encoded >= firstDev:
		d.since(ast.V2_dev, node.Function.String())
	case node.Function == ast.SECP256K1ValidateKey:
		d.since(ast.V2_3, node.Function.String())
	}
	return node
}

func (d *decoder) builtinCon(encoded archivepb.BuiltinCon) ast.Expr {
	switch encoded {
	case archivepb.BuiltinCon_CON_UNIT:
		return &ast.ExpUnit{}
	case archivepb.BuiltinCon_CON_FALSE, archivepb.BuiltinCon_CON_TRUE:
		return &ast.ExpBool{Value: encoded == archivepb.BuiltinCon_CON_TRUE}
	default:
		d.fail("built-in constructor %d is unknown", encoded)
		return nil
	}
}

// failureCategories are the categories of errors that archives number from 0.
var failureCategories = []int{8, 9}

const roundingModes = 8

func (d *decoder) literal(message *archivepb.BuiltinLit) ast.Expr {
	switch literal := message.GetSum().(type) {
	case *archivepb.BuiltinLit_Int64:
		return &ast.ExpLitInt64{Value: literal.Int64}
	case *archivepb.BuiltinLit_TextStr:
		return &ast.ExpLitText{Value: d.text(literal.TextStr)}
	case *archivepb.BuiltinLit_NumericStr:
		return d.numeric(d.text(literal.NumericStr))
	case *archivepb.BuiltinLit_Timestamp:
		value := lf.Timestamp(literal.Timestamp)
		if value < lf.MinTimestamp() || value > lf.MaxTimestamp() {
			d.fail("timestamp %d is not between the years 1 and 9999", literal.Timestamp)
		}
		return &ast.ExpLitTimestamp{Value: value}
	case *archivepb.BuiltinLit_Date:
		value := lf.Date(literal.Date)
		if day := lf.DayStart(value); day < lf.MinTimestamp() || day > lf.MaxTimestamp() {
			d.fail("date %d is not between the years 1 and 9999", literal.Date)
		}
		return &ast.ExpLitDate{Value: value}
	case *archivepb.BuiltinLit_FailureCategory:
		return &ast.ExpLitFailureCategory{Value: at(d, failureCategories, literal.FailureCategory, "failure category")}
	case *archivepb.BuiltinLit_RoundingMode:
		d.since(ast.V2_dev, "a rounding mode")
		if literal.RoundingMode < 0 || literal.RoundingMode >= roundingModes {
			d.fail("rounding mode %d is unknown", literal.RoundingMode)
		}
		return &ast.ExpLitRoundingMode{Value: int(literal.RoundingMode)}
	default:
		d.fail("Daml-LF %s does not have this literal", d.version)
		return nil
	}
}

var numericForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)\.([0-9]*)$`)

const maxDigits = 38 // of a Numeric

func (d *decoder) numeric(text string) ast.Expr {
	match := numericForm.FindStringSubmatch(text)
	if match == nil {
		d.fail("%q is not a Numeric", fault.Shorten(text))
		return nil
	}
	whole, fraction := match[1], match[2]
	digits := len(whole) + len(fraction)
	if whole == "0" {
		digits--
	}
	if digits > maxDigits || len(fraction) > maxScale {
		d.fail("numeric %q has more than %d digits, or more than %d after the point",
			fault.Shorten(text), maxDigits, maxScale)
	}
	return &ast.ExpLitNumeric{Text: text, Scale: len(fraction)}
}
