package token

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AnyContract is the interface of untyped contract ids. Nothing implements it; a reader coerces the id to the type that
// it expects.
type AnyContract struct {
	_ struct{} `lf:"splice-api-token-metadata-v1:Splice.Api.Token.MetadataV1:AnyContract"`
}

// AnyContractView is the empty view of [AnyContract].
type AnyContractView struct {
	_ struct{} `lf:"splice-api-token-metadata-v1:Splice.Api.Token.MetadataV1:AnyContractView"`
}

// AnyValue is a value of a type that the receiver knows. Exactly one field is set.
type AnyValue struct {
	_          struct{}             `lf:"variant splice-api-token-metadata-v1:Splice.Api.Token.MetadataV1:AnyValue"`
	Text       *string              `lf:"AV_Text"`
	Int        *int64               `lf:"AV_Int"`
	Decimal    *decimal.Decimal     `lf:"AV_Decimal"`
	Bool       *bool                `lf:"AV_Bool"`
	Date       *lf.Date             `lf:"AV_Date"`
	Time       *lf.Timestamp        `lf:"AV_Time"`
	RelTime    *lf.RelTime          `lf:"AV_RelTime"`
	Party      *ledger.Party        `lf:"AV_Party"`
	ContractID *lf.CID[AnyContract] `lf:"AV_ContractId"`
	List       *[]AnyValue          `lf:"AV_List"`
	Map        *map[string]AnyValue `lf:"AV_Map"`
}

// ChoiceContext has the further inputs that an implementation of a choice needs: contract ids and flags from the
// token's registry, by key.
type ChoiceContext struct {
	_      struct{}            `lf:"splice-api-token-metadata-v1:Splice.Api.Token.MetadataV1:ChoiceContext"`
	Values map[string]AnyValue `lf:"values"`
}

// Metadata is free text by key. Keys are DNS names with a path, as in Kubernetes annotations.
type Metadata struct {
	_      struct{}          `lf:"splice-api-token-metadata-v1:Splice.Api.Token.MetadataV1:Metadata"`
	Values map[string]string `lf:"values"`
}

// ExtraArgs are the arguments that every choice of the standard has.
type ExtraArgs struct {
	_       struct{}      `lf:"splice-api-token-metadata-v1:Splice.Api.Token.MetadataV1:ExtraArgs"`
	Context ChoiceContext `lf:"context"`
	Meta    Metadata      `lf:"meta"`
}

// ChoiceExecutionMetadata is the result of choices without another result.
type ChoiceExecutionMetadata struct {
	_    struct{} `lf:"splice-api-token-metadata-v1:Splice.Api.Token.MetadataV1:ChoiceExecutionMetadata"`
	Meta Metadata `lf:"meta"`
}

// MetadataInterfaces are the interfaces of package splice-api-token-metadata-v1.
func MetadataInterfaces() []ledger.InterfaceSource {
	return []ledger.InterfaceSource{ledger.Interface[AnyContract, AnyContractView]{}}
}
