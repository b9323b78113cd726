package coin

import (
	"maps"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger/decimal"
)

// Keys of the metadata that the coin's choices report.
const (
	metaReason = "splice.lfdecentralizedtrust.org/reason"
	metaTxKind = "splice.lfdecentralizedtrust.org/tx-kind"
	metaSender = "splice.lfdecentralizedtrust.org/sender"
	metaBurned = "splice.lfdecentralizedtrust.org/burned"

	metaBeneficiaries      = "amulet.splice.lfdecentralizedtrust.org/app-reward-beneficiaries"
	metaBeneficiaryWeights = "amulet.splice.lfdecentralizedtrust.org/app-reward-beneficiary-weights"

	metaCreatedInRound           = "amulet.splice.lfdecentralizedtrust.org/created-in-round"
	metaRatePerRound             = "amulet.splice.lfdecentralizedtrust.org/rate-per-round"
	metaAppRewards               = "amulet.splice.lfdecentralizedtrust.org/app-rewards"
	metaValidatorRewards         = "amulet.splice.lfdecentralizedtrust.org/validator-rewards"
	metaSvRewards                = "amulet.splice.lfdecentralizedtrust.org/sv-rewards"
	metaUnclaimedActivityRecords = "amulet.splice.lfdecentralizedtrust.org/unclaimed-activity-records"
	metaDevelopmentFund          = "amulet.splice.lfdecentralizedtrust.org/development-fund"
)

// txKind is the kind of change of holdings, for transaction histories.
type txKind string

const (
	txTransfer   txKind = "transfer"
	txMergeSplit txKind = "merge-split"
	txUnlock     txKind = "unlock"
	txMint       txKind = "mint"
	txExpireDust txKind = "expire-dust"
	txBurn       txKind = "burn"
)

// holdingMeta is the metadata of a choice that changed holdings, without empty parts.
func holdingMeta(kind txKind, reason string, burned decimal.Decimal) token.Metadata {
	values := map[string]string{metaTxKind: string(kind)}
	if reason != "" {
		values[metaReason] = reason
	}
	addAmount(values, metaBurned, burned)
	return token.Metadata{Values: values}
}

// joinMeta is the metadata of both; if both have a key, the first wins.
func joinMeta(first, second token.Metadata) token.Metadata {
	joined := token.Metadata{Values: map[string]string{}}
	maps.Copy(joined.Values, second.Values)
	maps.Copy(joined.Values, first.Values)
	return joined
}

// reasonMeta is metadata with a reason for people, if there is one.
func reasonMeta(reason *string) token.Metadata {
	meta := token.Metadata{Values: map[string]string{}}
	if valueOr(reason, "") != "" {
		meta.Values[metaReason] = *reason
	}
	return meta
}

func addAmount(values map[string]string, key string, amount decimal.Decimal) {
	if !amount.IsZero() {
		values[key] = amount.Show()
	}
}
