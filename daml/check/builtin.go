package check

import (
	"slices"

	"github.com/florinledger/florin/daml/ast"
)

var (
	toStar      = &ast.KindArrow{Param: star, Result: star}
	toStarTwice = &ast.KindArrow{Param: star, Result: toStar}
)

// builtinKinds are the kinds of the built-in types.
var builtinKinds = map[ast.BuiltinType]ast.Kind{
	ast.Unit: star, ast.Bool: star, ast.Int64: star, ast.Date: star, ast.Timestamp: star, ast.Party: star,
	ast.Text: star, ast.Any: star, ast.AnyException: star, ast.TypeRep: star, ast.FailureCategory: star,
	ast.BigNumeric: star, ast.RoundingMode: star, ast.Numeric: &ast.KindArrow{Param: nat, Result: star},
	ast.ContractID: toStar, ast.Optional: toStar, ast.List: toStar, ast.TextMap: toStar, ast.Update: toStar,
	ast.GenMap: toStarTwice, ast.Arrow: toStarTwice,
}

// The built-in types as nodes, and some applications.
var (
	unit            = &ast.TyBuiltin{Type: ast.Unit}
	boolean         = &ast.TyBuiltin{Type: ast.Bool}
	int64Type       = &ast.TyBuiltin{Type: ast.Int64}
	date            = &ast.TyBuiltin{Type: ast.Date}
	timestamp       = &ast.TyBuiltin{Type: ast.Timestamp}
	party           = &ast.TyBuiltin{Type: ast.Party}
	text            = &ast.TyBuiltin{Type: ast.Text}
	anyType         = &ast.TyBuiltin{Type: ast.Any}
	anyException    = &ast.TyBuiltin{Type: ast.AnyException}
	typeRep         = &ast.TyBuiltin{Type: ast.TypeRep}
	failureCategory = &ast.TyBuiltin{Type: ast.FailureCategory}
	bigNumeric      = &ast.TyBuiltin{Type: ast.BigNumeric}
	roundingMode    = &ast.TyBuiltin{Type: ast.RoundingMode}
	parties         = list(party)
)

func apply(constructor ast.BuiltinType, args ...ast.Type) ast.Type {
	return &ast.TyApp{Fun: &ast.TyBuiltin{Type: constructor}, Args: args}
}

func list(t ast.Type) ast.Type              { return apply(ast.List, t) }
func optional(t ast.Type) ast.Type          { return apply(ast.Optional, t) }
func update(t ast.Type) ast.Type            { return apply(ast.Update, t) }
func contractID(t ast.Type) ast.Type        { return apply(ast.ContractID, t) }
func textMap(t ast.Type) ast.Type           { return apply(ast.TextMap, t) }
func genMap(k, v ast.Type) ast.Type         { return apply(ast.GenMap, k, v) }
func numeric(scale ast.Type) ast.Type       { return apply(ast.Numeric, scale) }
func arrow(param, result ast.Type) ast.Type { return apply(ast.Arrow, param, result) }

// fun makes a function type. The last type is the result.
func fun(types ...ast.Type) ast.Type {
	out := types[len(types)-1]
	for i := len(types) - 2; i >= 0; i-- {
		out = arrow(types[i], out)
	}
	return out
}

// The type variables of built-in functions.
var (
	a = &ast.TyVar{Name: "a"}
	b = &ast.TyVar{Name: "b"}
	n = &ast.TyVar{Name: "n"}
	m = &ast.TyVar{Name: "m"}
	r = &ast.TyVar{Name: "r"}
)

func forall(kind ast.Kind, body ast.Type, vars ...*ast.TyVar) ast.Type {
	for _, v := range slices.Backward(vars) {
		body = &ast.TyForall{Binder: ast.TypeBinder{Name: v.Name, Kind: kind}, Body: body}
	}
	return body
}

var (
	comparison     = forall(star, fun(a, a, boolean), a)
	int64Operation = fun(int64Type, int64Type, int64Type)
	textToText     = fun(text, text)
	signatureCheck = fun(text, text, text, boolean)
	bigOperation   = fun(bigNumeric, bigNumeric, bigNumeric)
	sum            = forall(nat, fun(numeric(n), numeric(n), numeric(n)), n)
	product        = forall(nat, fun(numeric(r), numeric(n), numeric(m), numeric(r)), n, m, r)
	rescaling      = forall(nat, fun(numeric(m), numeric(n), numeric(m)), n, m)
	entry          = &ast.TyStruct{Fields: []ast.Field{{Name: "key", Type: text}, {Name: "value", Type: a}}}
)

// builtinFunctions are the types of the built-in functions, 𝕋(F). If the type of the result has a scale, the first
// argument is a value of that type: a witness of the scale.
var builtinFunctions = map[ast.BuiltinFunction]ast.Type{
	ast.Trace: forall(star, fun(text, a, a), a),
	ast.Error: forall(star, fun(text, a), a),
	ast.Equal: comparison, ast.LessEq: comparison, ast.Less: comparison,
	ast.GreaterEq: comparison, ast.Greater: comparison,

	ast.AddInt64: int64Operation, ast.SubInt64: int64Operation, ast.MulInt64: int64Operation,
	ast.DivInt64: int64Operation, ast.ModInt64: int64Operation, ast.ExpInt64: int64Operation,
	ast.Int64ToText: fun(int64Type, text),
	ast.TextToInt64: fun(text, optional(int64Type)),

	ast.AddNumeric: sum, ast.SubNumeric: sum, ast.MulNumeric: product, ast.DivNumeric: product,
	ast.RoundNumeric: forall(nat, fun(int64Type, numeric(n), numeric(n)), n),
	ast.CastNumeric:  rescaling, ast.ShiftNumeric: rescaling,
	ast.Int64ToNumeric: forall(nat, fun(numeric(n), int64Type, numeric(n)), n),
	ast.NumericToInt64: forall(nat, fun(numeric(n), int64Type), n),
	ast.NumericToText:  forall(nat, fun(numeric(n), text), n),
	ast.TextToNumeric:  forall(nat, fun(numeric(n), text, optional(numeric(n))), n),

	ast.ExplodeText: fun(text, list(text)), ast.ImplodeText: fun(list(text), text),
	ast.AppendText:       fun(text, text, text),
	ast.CodePointsToText: fun(list(int64Type), text), ast.TextToCodePoints: fun(text, list(int64Type)),
	ast.HexToText: textToText, ast.TextToHex: textToText, ast.SHA256Text: textToText, ast.SHA256Hex: textToText,
	ast.KECCAK256Text: textToText, ast.SECP256K1Bool: signatureCheck, ast.SECP256K1WithECDSABool: signatureCheck,
	ast.SECP256K1ValidateKey: fun(text, boolean),

	ast.TimestampToText: fun(timestamp, text), ast.TimestampToUnixMicroseconds: fun(timestamp, int64Type),
	ast.UnixMicrosecondsToTimestamp: fun(int64Type, timestamp),
	ast.DateToText:                  fun(date, text), ast.DateToUnixDays: fun(date, int64Type),
	ast.UnixDaysToDate: fun(int64Type, date),

	ast.PartyToText: fun(party, text), ast.TextToParty: fun(text, optional(party)),
	ast.ContractIDToText: forall(star, fun(contractID(a), optional(text)), a),
	ast.CoerceContractID: forall(star, fun(contractID(a), contractID(b)), a, b),

	ast.Foldl:     forall(star, fun(fun(b, a, b), b, list(a), b), a, b),
	ast.Foldr:     forall(star, fun(fun(a, b, b), b, list(a), b), a, b),
	ast.EqualList: forall(star, fun(fun(a, a, boolean), list(a), list(a), boolean), a),

	ast.TextMapEmpty:  forall(star, textMap(a), a),
	ast.TextMapInsert: forall(star, fun(text, a, textMap(a), textMap(a)), a),
	ast.TextMapLookup: forall(star, fun(text, textMap(a), optional(a)), a),
	ast.TextMapDelete: forall(star, fun(text, textMap(a), textMap(a)), a),
	ast.TextMapToList: forall(star, fun(textMap(a), list(entry)), a),
	ast.TextMapSize:   forall(star, fun(textMap(a), int64Type), a),

	ast.GenMapEmpty:  forall(star, genMap(a, b), a, b),
	ast.GenMapInsert: forall(star, fun(a, b, genMap(a, b), genMap(a, b)), a, b),
	ast.GenMapLookup: forall(star, fun(a, genMap(a, b), optional(b)), a, b),
	ast.GenMapDelete: forall(star, fun(a, genMap(a, b), genMap(a, b)), a, b),
	ast.GenMapKeys:   forall(star, fun(genMap(a, b), list(a)), a, b),
	ast.GenMapValues: forall(star, fun(genMap(a, b), list(b)), a, b),
	ast.GenMapSize:   forall(star, fun(genMap(a, b), int64Type), a, b),

	ast.AnyExceptionMessage: fun(anyException, text),
	ast.FailWithStatus:      forall(star, fun(text, failureCategory, text, textMap(text), a), a),

	ast.ScaleBigNumeric: fun(bigNumeric, int64Type), ast.PrecisionBigNumeric: fun(bigNumeric, int64Type),
	ast.AddBigNumeric: bigOperation, ast.SubBigNumeric: bigOperation, ast.MulBigNumeric: bigOperation,
	ast.DivBigNumeric:        fun(int64Type, roundingMode, bigNumeric, bigNumeric, bigNumeric),
	ast.ShiftRightBigNumeric: fun(int64Type, bigNumeric, bigNumeric),
	ast.BigNumericToNumeric:  forall(nat, fun(numeric(n), bigNumeric, numeric(n)), n),
	ast.NumericToBigNumeric:  forall(nat, fun(numeric(n), bigNumeric), n),
	ast.BigNumericToText:     fun(bigNumeric, text),
	ast.TypeRepTyConName:     fun(typeRep, optional(text)),
	ast.ExternalCall:         fun(text, text, text, text, update(text)),
}
