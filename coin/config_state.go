package coin

import (
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// ExternalPartyConfigState is what a transfer of an external party needs to know, in a contract that lives two days:
// long enough to prepare a transaction, sign it elsewhere and submit it (CIP-0107). There are always two.
type ExternalPartyConfigState struct {
	_   struct{} `lf:"splice-amulet:Splice.ExternalPartyConfigState:ExternalPartyConfigState"`
	DSO Party    `lf:"dso"`
	// HoldingFeesOpenRoundNumber is the round that coins made through this state count their holding fee from.
	HoldingFeesOpenRoundNumber Round `lf:"holdingFeesOpenRoundNumber"`
	// AmuletPrice is in US dollars per coin.
	AmuletPrice    decimal.Decimal  `lf:"amuletPrice"`
	TransferConfig TransferConfigV2 `lf:"transferConfig"`
	// TargetArchiveAfter is the earliest time at which the state is replaced; it may live longer.
	TargetArchiveAfter       lf.Timestamp   `lf:"targetArchiveAfter"`
	RewardCalculationVersion *RewardVersion `lf:"rewardCalculationVersion"`
}

func (s ExternalPartyConfigState) dso() Party { return s.DSO }

func externalPartyConfigStateTemplate() ledger.TemplateSource {
	return ledger.Template[ExternalPartyConfigState]{
		Signatories: func(s ExternalPartyConfigState) []Party { return []Party{s.DSO} },
	}
}
