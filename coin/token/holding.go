package token

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Holding is the interface of contracts that are an amount of some token, owned by a party. It has no choices: wallets
// use a holding through the token's factories.
type Holding struct {
	_ struct{} `lf:"splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding"`
}

// InstrumentID names a token: the party that administers it and that party's name for it.
type InstrumentID struct {
	_     struct{}     `lf:"splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:InstrumentId"`
	Admin ledger.Party `lf:"admin"`
	ID    string       `lf:"id"`
}

// Lock prevents spending a holding without the holders' authority.
type Lock struct {
	_       struct{}       `lf:"splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Lock"`
	Holders []ledger.Party `lf:"holders"`
	// ExpiresAt is the end of the lock; nil means no fixed time.
	ExpiresAt *lf.Timestamp `lf:"expiresAt"`
	// ExpiresAfter is the duration of the lock from the creation of the holding.
	ExpiresAfter *lf.RelTime `lf:"expiresAfter"`
	// Context is the purpose of the lock, for people.
	Context *string `lf:"context"`
}

// HoldingView is a holding for wallets.
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
