package check

// Rule names a rule of the language specification, or a limit of this package. Rules that no package can break, such as
// those of literals, are not here.
type Rule string

// Types and kinds.
const (
	KindArrow      Rule = "KindArrow"
	TyVar          Rule = "TyVar"
	TyApp          Rule = "TyApp"
	TyForall       Rule = "TyForall"
	TyCon          Rule = "TyCon" // TyRecordCon, TyVariantCon, TyEnumCon and TyInterfaceCon of the specification
	TyStruct       Rule = "TyStruct"
	RewriteSynonym Rule = "RewriteSynonym"
)

// Expressions.
const (
	ExpDefVar                      Rule = "ExpDefVar"
	ExpApp                         Rule = "ExpApp"
	ExpTyApp                       Rule = "ExpTyApp"
	ExpAbs                         Rule = "ExpAbs"
	ExpLet                         Rule = "ExpLet"
	ExpListNil                     Rule = "ExpListNil"
	ExpListCons                    Rule = "ExpListCons"
	ExpOptionalNone                Rule = "ExpOptionalNone"
	ExpOptionalSome                Rule = "ExpOptionalSome"
	ExpToAny                       Rule = "ExpToAny"
	ExpFromAny                     Rule = "ExpFromAny"
	ExpTypeRep                     Rule = "ExpTypeRep"
	ExpVal                         Rule = "ExpVal"
	ExpRecCon                      Rule = "ExpRecCon"
	ExpRecProj                     Rule = "ExpRecProj"
	ExpRecUpdate                   Rule = "ExpRecUpdate"
	ExpVarCon                      Rule = "ExpVarCon"
	ExpEnumCon                     Rule = "ExpEnumCon"
	ExpStructCon                   Rule = "ExpStructCon"
	ExpStructProj                  Rule = "ExpStructProj"
	ExpStructUpdate                Rule = "ExpStructUpdate"
	ExpCase                        Rule = "ExpCase"
	ExpThrow                       Rule = "ExpThrow"
	ExpToAnyException              Rule = "ExpToAnyException"
	ExpFromAnyException            Rule = "ExpFromAnyException"
	ExpToInterface                 Rule = "ExpToInterface"
	ExpFromInterface               Rule = "ExpFromInterface"
	ExpUnsafeFromInterface         Rule = "ExpUnsafeFromInterface"
	ExpViewInterface               Rule = "ExpViewInterface"
	ExpCallInterface               Rule = "ExpCallInterface"
	ExpToRequiredInterface         Rule = "ExpToRequiredInterface"
	ExpFromRequiredInterface       Rule = "ExpFromRequiredInterface"
	ExpUnsafeFromRequiredInterface Rule = "ExpUnsafeFromRequiredInterface"
	ExpInterfaceTypeRep            Rule = "ExpInterfaceTypeRep"
	ExpInterfaceSignatory          Rule = "ExpInterfaceSignatory"
	ExpInterfaceObserver           Rule = "ExpInterfaceObserver"
	ExpChoiceController            Rule = "ExpChoiceController" // of 2.dev, as the next two
	ExpChoiceObserver              Rule = "ExpChoiceObserver"
	ExpExperimental                Rule = "ExpExperimental"
)

// Case alternatives, and whether they are exhaustive.
const (
	AltVariant      Rule = "AltVariant"
	AltEnum         Rule = "AltEnum"
	AltNil          Rule = "AltNil"
	AltCons         Rule = "AltCons"
	AltNone         Rule = "AltNone"
	AltSome         Rule = "AltSome"
	AltBool         Rule = "AltBool" // AltTrue and AltFalse of the specification
	AltUnit         Rule = "AltUnit"
	ExhaustVariant  Rule = "ExhaustVariant"
	ExhaustEnum     Rule = "ExhaustEnum"
	ExhaustList     Rule = "ExhaustList"
	ExhaustOptional Rule = "ExhaustOptional"
	ExhaustBool     Rule = "ExhaustBool"
)

// Updates.
const (
	UpdPure              Rule = "UpdPure"
	UpdBlock             Rule = "UpdBlock"
	UpdCreate            Rule = "UpdCreate"
	UpdCreateInterface   Rule = "UpdCreateInterface"
	UpdExercise          Rule = "UpdExercise"
	UpdExerciseByKey     Rule = "UpdExerciseByKey"
	UpdExerciseInterface Rule = "UpdExerciseInterface"
	UpdFetch             Rule = "UpdFetch"
	UpdFetchInterface    Rule = "UpdFetchInterface"
	UpdFetchByKey        Rule = "UpdFetchByKey"
	UpdLookupByKey       Rule = "UpdLookupByKey"
	UpdQueryNByKey       Rule = "UpdQueryNByKey"
	UpdLedgerTimeLT      Rule = "UpdLedgerTimeLT"
	UpdEmbedExpr         Rule = "UpdEmbedExpr"
	UpdTryCatch          Rule = "UpdTryCatch"
)

// Definitions.
const (
	STyRecCon      Rule = "STyRecCon"
	STyVariantCon  Rule = "STyVariantCon"
	STyEnumCon     Rule = "STyEnumCon"
	DefRec         Rule = "DefRec"
	DefVariant     Rule = "DefVariant"
	DefEnum        Rule = "DefEnum"
	DefTypeSynonym Rule = "DefTypeSynonym"
	DefValue       Rule = "DefValue"
	DefTemplate    Rule = "DefTemplate"
	DefException   Rule = "DefException"
	DefInterface   Rule = "DefInterface"
	ChDef          Rule = "ChDef"
	ImplDef        Rule = "ImplDef"
	KeyDefSome     Rule = "KeyDefSome"
)

// Packages as a whole.
const (
	NameCollision  Rule = "NameCollision"
	SynonymCycle   Rule = "SynonymCycle"
	ModuleCycle    Rule = "ModuleCycle"
	PackageCycle   Rule = "PackageCycle"
	PackageMissing Rule = "PackageMissing"
	PackageVersion Rule = "PackageVersion"
)

// Limits.
const (
	Steps Rule = "Steps"
	Depth Rule = "Depth"
)
