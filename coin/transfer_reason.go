package coin

import (
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// InvalidTransferReason is the reason why a delegated transfer did not happen. Exactly one field is set.
type InvalidTransferReason struct {
	_ struct{} `lf:"variant splice-amulet:Splice.AmuletRules:InvalidTransferReason"`

	InsufficientFunds       *ReasonInsufficientFunds       `lf:"ITR_InsufficientFunds"`
	UnknownSynchronizer     *ReasonUnknownSynchronizer     `lf:"ITR_UnknownSynchronizer"`
	InsufficientTopupAmount *ReasonInsufficientTopupAmount `lf:"ITR_InsufficientTopupAmount"`
	Other                   *ReasonOther                   `lf:"ITR_Other"`
	// Ext is never produced.
	Ext *ReasonExt `lf:"ExtInvalidTransferReason"`
}

// ReasonInsufficientFunds is the amount of missing coin.
type ReasonInsufficientFunds struct {
	_             struct{}        `lf:"splice-amulet:Splice.AmuletRules:InvalidTransferReason.ITR_InsufficientFunds"`
	MissingAmount decimal.Decimal `lf:"missingAmount"`
}

// ReasonUnknownSynchronizer names the synchronizer that sells no traffic.
type ReasonUnknownSynchronizer struct {
	_              struct{} `lf:"splice-amulet:Splice.AmuletRules:InvalidTransferReason.ITR_UnknownSynchronizer"`
	SynchronizerID string   `lf:"synchronizerId"`
}

// ReasonInsufficientTopupAmount is the least traffic to buy, in bytes.
type ReasonInsufficientTopupAmount struct {
	_                    struct{} `lf:"splice-amulet:Splice.AmuletRules:InvalidTransferReason.ITR_InsufficientTopupAmount"`
	RequestedTopupAmount int64    `lf:"requestedTopupAmount"`
	MinTopupAmount       int64    `lf:"minTopupAmount"`
}

// ReasonOther is a reason in words.
type ReasonOther struct {
	_           struct{} `lf:"splice-amulet:Splice.AmuletRules:InvalidTransferReason.ITR_Other"`
	Description string   `lf:"description"`
}

// ReasonExt is the constructor that upstream kept for additions.
type ReasonExt struct {
	_              struct{} `lf:"splice-amulet:Splice.AmuletRules:InvalidTransferReason.ExtInvalidTransferReason"`
	DummyUnitField lf.Unit  `lf:"dummyUnitField"`
}
