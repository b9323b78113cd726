package token

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Holding is the interface of contracts that are an amount of some token, owned by a party. It has no choices: what can
// be done with a holding goes through the token's factories.
type Holding struct {
	_ struct{} `lf:"splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding"`
}

// InstrumentID names a token: the party that administers it and that party's name for it.
type InstrumentID struct {
	_     struct{}     `lf:"splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:InstrumentId"`
	Admin ledger.Party `lf:"admin"`
	ID    string       `lf:"id"`
}

// Lock keeps a holding from being spent without the holders' authority.
type Lock struct {
	_       struct{}       `lf:"splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Lock"`
	Holders []ledger.Party `lf:"holders"`
	// ExpiresAt is when the lock ends; nil means not at a fixed time.
	ExpiresAt *lf.Timestamp `lf:"expiresAt"`
	// ExpiresAfter is how long the lock lasts from the creation of the holding.
	ExpiresAfter *lf.RelTime `lf:"expiresAfter"`
	// Context says to people what the lock is for.
	Context *string `lf:"context"`
}

// HoldingView is what wallets show of a holding.
type HoldingView struct {
	_            struct{}        `lf:"splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:HoldingView"`
	Owner        ledger.Party    `lf:"owner"`
	InstrumentID InstrumentID    `lf:"instrumentId"`
	Amount       decimal.Decimal `lf:"amount"`
	Lock         *Lock           `lf:"lock"`
	Meta         Metadata        `lf:"meta"`
}

// HoldingInterfaces are the interfaces of package splice-api-token-holding-v1.
func HoldingInterfaces() []ledger.InterfaceSource {
	return []ledger.InterfaceSource{ledger.Interface[Holding, HoldingView]{}}
}
