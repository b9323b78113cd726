package ast

import "fmt"

// BuiltinType is a built-in type or type constructor.
type BuiltinType uint8

// The built-in types, named as in the specification without its prefix.
const (
	Unit BuiltinType = iota
	Bool
	Int64
	Date
	Timestamp
	Numeric
	Party
	Text
	ContractID
	Optional
	List
	GenMap
	TextMap
	Any
	AnyException
	TypeRep
	Arrow
	Update
	FailureCategory
	BigNumeric
	RoundingMode
)

var builtinTypeNames = [...]string{
	Unit: "Unit", Bool: "Bool", Int64: "Int64", Date: "Date", Timestamp: "Timestamp", Numeric: "Numeric", Party: "Party",
	Text: "Text", ContractID: "ContractId", Optional: "Optional", List: "List", GenMap: "GenMap", TextMap: "TextMap",
	Any: "Any", AnyException: "AnyException", TypeRep: "TypeRep", Arrow: "TArrow", Update: "Update",
	FailureCategory: "FailureCategory", BigNumeric: "BigNumeric", RoundingMode: "RoundingMode",
}

// BuiltinTypes lists all built-in types.
func BuiltinTypes() []BuiltinType { return indices[BuiltinType](len(builtinTypeNames)) }

// String is the name in the specification.
func (t BuiltinType) String() string { return builtinTypeNames[t] }

// BuiltinFunction is a built-in function: F.
type BuiltinFunction uint8

// The built-in functions, grouped as in the specification.
const (
	Trace BuiltinFunction = iota
	Error
	Equal
	LessEq
	Less
	GreaterEq
	Greater

	AddInt64
	SubInt64
	MulInt64
	DivInt64
	ModInt64
	ExpInt64
	Int64ToText
	TextToInt64

	AddNumeric
	SubNumeric
	MulNumeric
	DivNumeric
	RoundNumeric
	CastNumeric
	ShiftNumeric
	Int64ToNumeric
	NumericToInt64
	NumericToText
	TextToNumeric

	ExplodeText
	ImplodeText
	AppendText
	CodePointsToText
	TextToCodePoints
	HexToText
	TextToHex
	SHA256Text
	SHA256Hex
	KECCAK256Text
	SECP256K1Bool
	SECP256K1WithECDSABool
	SECP256K1ValidateKey

	TimestampToText
	TimestampToUnixMicroseconds
	UnixMicrosecondsToTimestamp
	DateToText
	DateToUnixDays
	UnixDaysToDate

	PartyToText
	TextToParty
	ContractIDToText
	CoerceContractID

	Foldl
	Foldr
	EqualList

	TextMapEmpty
	TextMapInsert
	TextMapLookup
	TextMapDelete
	TextMapToList
	TextMapSize

	GenMapEmpty
	GenMapInsert
	GenMapLookup
	GenMapDelete
	GenMapKeys
	GenMapValues
	GenMapSize

	AnyExceptionMessage
	FailWithStatus

	ScaleBigNumeric
	PrecisionBigNumeric
	AddBigNumeric
	SubBigNumeric
	MulBigNumeric
	DivBigNumeric
	ShiftRightBigNumeric
	BigNumericToNumeric
	NumericToBigNumeric
	BigNumericToText
	TypeRepTyConName
	ExternalCall
)

var builtinFunctionNames = [...]string{
	Trace: "TRACE", Error: "ERROR", Equal: "EQUAL", LessEq: "LESS_EQ", Less: "LESS", GreaterEq: "GREATER_EQ",
	Greater: "GREATER",

	AddInt64: "ADD_INT64", SubInt64: "SUB_INT64", MulInt64: "MUL_INT64", DivInt64: "DIV_INT64", ModInt64: "MOD_INT64",
	ExpInt64: "EXP_INT64", Int64ToText: "INT64_TO_TEXT", TextToInt64: "TEXT_TO_INT64",

	AddNumeric: "ADD_NUMERIC", SubNumeric: "SUB_NUMERIC", MulNumeric: "MUL_NUMERIC", DivNumeric: "DIV_NUMERIC",
	RoundNumeric: "ROUND_NUMERIC", CastNumeric: "CAST_NUMERIC", ShiftNumeric: "SHIFT_NUMERIC",
	Int64ToNumeric: "INT64_TO_NUMERIC", NumericToInt64: "NUMERIC_TO_INT64", NumericToText: "NUMERIC_TO_TEXT",
	TextToNumeric: "TEXT_TO_NUMERIC",

	ExplodeText: "EXPLODE_TEXT", ImplodeText: "IMPLODE_TEXT", AppendText: "APPEND_TEXT",
	CodePointsToText: "CODE_POINTS_TO_TEXT", TextToCodePoints: "TEXT_TO_CODE_POINTS", HexToText: "HEX_TO_TEXT",
	TextToHex: "TEXT_TO_HEX", SHA256Text: "SHA256_TEXT", SHA256Hex: "SHA256_HEX", KECCAK256Text: "KECCAK256_TEXT",
	SECP256K1Bool: "SECP256K1_BOOL", SECP256K1WithECDSABool: "SECP256K1_WITH_ECDSA_BOOL",
	SECP256K1ValidateKey: "SECP256K1_VALIDATE_KEY",

	TimestampToText: "TIMESTAMP_TO_TEXT", TimestampToUnixMicroseconds: "TIMESTAMP_TO_UNIX_MICROSECONDS",
	UnixMicrosecondsToTimestamp: "UNIX_MICROSECONDS_TO_TIMESTAMP", DateToText: "DATE_TO_TEXT",
	DateToUnixDays: "DATE_TO_UNIX_DAYS", UnixDaysToDate: "UNIX_DAYS_TO_DATE",

	PartyToText: "PARTY_TO_TEXT", TextToParty: "TEXT_TO_PARTY", ContractIDToText: "CONTRACT_ID_TO_TEXT",
	CoerceContractID: "COERCE_CONTRACT_ID",

	Foldl: "FOLDL", Foldr: "FOLDR", EqualList: "EQUAL_LIST",

	TextMapEmpty: "TEXTMAP_EMPTY", TextMapInsert: "TEXTMAP_INSERT", TextMapLookup: "TEXTMAP_LOOKUP",
	TextMapDelete: "TEXTMAP_DELETE", TextMapToList: "TEXTMAP_TO_LIST", TextMapSize: "TEXTMAP_SIZE",

	GenMapEmpty: "GENMAP_EMPTY", GenMapInsert: "GENMAP_INSERT", GenMapLookup: "GENMAP_LOOKUP",
	GenMapDelete: "GENMAP_DELETE", GenMapKeys: "GENMAP_KEYS", GenMapValues: "GENMAP_VALUES", GenMapSize: "GENMAP_SIZE",

	AnyExceptionMessage: "ANY_EXCEPTION_MESSAGE", FailWithStatus: "FAIL_WITH_STATUS",

	ScaleBigNumeric: "SCALE_BIGNUMERIC", PrecisionBigNumeric: "PRECISION_BIGNUMERIC", AddBigNumeric: "ADD_BIGNUMERIC",
	SubBigNumeric: "SUB_BIGNUMERIC", MulBigNumeric: "MUL_BIGNUMERIC", DivBigNumeric: "DIV_BIGNUMERIC",
	ShiftRightBigNumeric: "SHIFT_RIGHT_BIGNUMERIC", BigNumericToNumeric: "BIGNUMERIC_TO_NUMERIC",
	NumericToBigNumeric: "NUMERIC_TO_BIGNUMERIC", BigNumericToText: "BIGNUMERIC_TO_TEXT",
	TypeRepTyConName: "TYPE_REP_TYCON_NAME", ExternalCall: "EXTERNAL_CALL",
}

// BuiltinFunctions lists all built-in functions.
func BuiltinFunctions() []BuiltinFunction { return indices[BuiltinFunction](len(builtinFunctionNames)) }

// String is the name in the specification and in archives.
func (f BuiltinFunction) String() string { return builtinFunctionNames[f] }

func indices[T ~uint8](n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(i)
	}
	return out
}

// LanguageVersion is a version of the language that packages are written in.
type LanguageVersion uint8

// The versions. Later ones compare greater.
const (
	V2_1 LanguageVersion = iota + 1
	V2_2
	V2_3
	// V2_dev is where upstream tries out what may become a later version.
	V2_dev
)

// String prints the version as upstream does: 2.1.
func (v LanguageVersion) String() string {
	if v == V2_dev {
		return "2.dev"
	}
	return fmt.Sprintf("2.%d", uint8(v))
}
