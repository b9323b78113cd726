package token

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// BurnMintFactory is the interface through which a registry or a bridge burns and mints a token. The coin does not
// implement it.
type BurnMintFactory struct {
	_ struct{} `lf:"splice-api-token-burn-mint-v1:Splice.Api.Token.BurnMintV1:BurnMintFactory"`
}

// BurnMintFactoryView is the view of [BurnMintFactory].
type BurnMintFactoryView struct {
	_     struct{}     `lf:"splice-api-token-burn-mint-v1:Splice.Api.Token.BurnMintV1:BurnMintFactoryView"`
	Admin ledger.Party `lf:"admin"`
	Meta  Metadata     `lf:"meta"`
}

// BurnMintOutput is a holding to mint.
type BurnMintOutput struct {
	_       struct{}        `lf:"splice-api-token-burn-mint-v1:Splice.Api.Token.BurnMintV1:BurnMintOutput"`
	Owner   ledger.Party    `lf:"owner"`
	Amount  decimal.Decimal `lf:"amount"`
	Context ChoiceContext   `lf:"context"`
}

// BurnMintFactoryBurnMint burns the inputs and mints the outputs; the administrator and the extra actors control it.
type BurnMintFactoryBurnMint struct {
	_                struct{}          `lf:"splice-api-token-burn-mint-v1:Splice.Api.Token.BurnMintV1:BurnMintFactory_BurnMint"`
	ExpectedAdmin    ledger.Party      `lf:"expectedAdmin"`
	InstrumentID     InstrumentID      `lf:"instrumentId"`
	InputHoldingCids []lf.CID[Holding] `lf:"inputHoldingCids"`
	Outputs          []BurnMintOutput  `lf:"outputs"`
	ExtraActors      []ledger.Party    `lf:"extraActors"`
	ExtraArgs        ExtraArgs         `lf:"extraArgs"`
}

// BurnMintFactoryBurnMintResult is the result of [BurnMintFactoryBurnMint].
type BurnMintFactoryBurnMintResult struct {
	_          struct{}          `lf:"splice-api-token-burn-mint-v1:Splice.Api.Token.BurnMintV1:BurnMintFactory_BurnMintResult"`
	OutputCids []lf.CID[Holding] `lf:"outputCids"`
}

// BurnMintFactoryPublicFetch shows the factory's view to a party that is no stakeholder.
type BurnMintFactoryPublicFetch struct {
	_             struct{}     `lf:"splice-api-token-burn-mint-v1:Splice.Api.Token.BurnMintV1:BurnMintFactory_PublicFetch"`
	ExpectedAdmin ledger.Party `lf:"expectedAdmin"`
	Actor         ledger.Party `lf:"actor"`
}

// BurnMintInterfaces are the interfaces of package splice-api-token-burn-mint-v1.
func BurnMintInterfaces() []ledger.InterfaceSource {
	return []ledger.InterfaceSource{
		ledger.Interface[BurnMintFactory, BurnMintFactoryView]{
			Choices: []ledger.InterfaceChoiceOf[BurnMintFactoryView]{
				ledger.InterfaceChoice[BurnMintFactoryView, BurnMintFactoryBurnMint, BurnMintFactoryBurnMintResult]{
					Controllers: func(view BurnMintFactoryView, arg BurnMintFactoryBurnMint) []ledger.Party {
						return append([]ledger.Party{view.Admin}, arg.ExtraActors...)
					},
				},
				ledger.InterfaceChoice[BurnMintFactoryView, BurnMintFactoryPublicFetch, BurnMintFactoryView]{
					Controllers: func(_ BurnMintFactoryView, arg BurnMintFactoryPublicFetch) []ledger.Party {
						return []ledger.Party{arg.Actor}
					},
				},
			},
		},
	}
}
