package upgrade

// Rule names a change that a newer version must not make.
type Rule string

// The rules.
const (
	LanguageVersion        Rule = "LanguageVersion"
	ModuleMissing          Rule = "ModuleMissing"
	TemplateMissing        Rule = "TemplateMissing"
	ChoiceMissing          Rule = "ChoiceMissing"
	ChoiceArgument         Rule = "ChoiceArgument"
	ChoiceResult           Rule = "ChoiceResult"
	KeyAdded               Rule = "KeyAdded"
	KeyRemoved             Rule = "KeyRemoved"
	KeyType                Rule = "KeyType"
	InterfaceView          Rule = "InterfaceView"
	ImplementationMissing  Rule = "ImplementationMissing"
	DataTypeMissing        Rule = "DataTypeMissing"
	DataTypeUnserializable Rule = "DataTypeUnserializable"
	OriginChanged          Rule = "OriginChanged"
	VarietyChanged         Rule = "VarietyChanged"
	ParamCount             Rule = "ParamCount"
	ParamKind              Rule = "ParamKind"
	FieldMissing           Rule = "FieldMissing"
	FieldType              Rule = "FieldType"
	FieldNotOptional       Rule = "FieldNotOptional"
	FieldOrder             Rule = "FieldOrder"
	ConstructorMissing     Rule = "ConstructorMissing"
	ConstructorType        Rule = "ConstructorType"
	ConstructorOrder       Rule = "ConstructorOrder"
	ConstructorFieldAdded  Rule = "ConstructorFieldAdded"
)
