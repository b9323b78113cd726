package coin

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// CalculateRewardsV2 requests the calculation of a round's rewards outside the ledger (CIP-0104).
type CalculateRewardsV2 struct {
	_             struct{}     `lf:"splice-amulet:Splice.Amulet.RewardAccountingV2:CalculateRewardsV2"`
	DSO           Party        `lf:"dso"`
	Round         Round        `lf:"round"`
	RoundClosedAt lf.Timestamp `lf:"roundClosedAt"`
	// RewardCouponTimeToLive is the time to mint the coupons.
	RewardCouponTimeToLive lf.RelTime `lf:"rewardCouponTimeToLive"`
	// DryRun is set for a trial, which creates no coupons.
	DryRun bool `lf:"dryRun"`
}

func (c CalculateRewardsV2) dso() Party { return c.DSO }

// ProcessRewardsV2 is a batch of calculated rewards without coupons yet. The DSO agreed on its hash.
type ProcessRewardsV2 struct {
	_                      struct{}     `lf:"splice-amulet:Splice.Amulet.RewardAccountingV2:ProcessRewardsV2"`
	DSO                    Party        `lf:"dso"`
	Round                  Round        `lf:"round"`
	RoundClosedAt          lf.Timestamp `lf:"roundClosedAt"`
	DryRun                 bool         `lf:"dryRun"`
	RewardCouponTimeToLive lf.RelTime   `lf:"rewardCouponTimeToLive"`
	BatchHash              Hash         `lf:"batchHash"`
}

func (p ProcessRewardsV2) dso() Party { return p.DSO }

// Hash is the SHA-256 of a structure, in hexadecimal.
type Hash struct {
	_     struct{} `lf:"splice-amulet:Splice.Amulet.CryptoHash:Hash"`
	Value string   `lf:"value"`
}

// RewardBatch is a node of the tree of a round's rewards: the hashes of further batches, or rewards. Exactly one field
// is set.
type RewardBatch struct {
	_ struct{} `lf:"variant splice-amulet:Splice.Amulet.RewardAccountingV2:Batch"`

	BatchOfBatches           *[]Hash             `lf:"BatchOfBatches"`
	BatchOfMintingAllowances *[]MintingAllowance `lf:"BatchOfMintingAllowances"`
}

// MintingAllowance is the coin that a provider may mint.
type MintingAllowance struct {
	_        struct{}        `lf:"splice-amulet:Splice.Amulet.RewardAccountingV2:MintingAllowance"`
	Provider Party           `lf:"provider"`
	Amount   decimal.Decimal `lf:"amount"`
}

// ProcessRewardsV2ProcessBatch opens a batch: it makes a contract for each batch inside, or the coupons.
type ProcessRewardsV2ProcessBatch struct {
	_     struct{}    `lf:"splice-amulet:Splice.Amulet.RewardAccountingV2:ProcessRewardsV2_ProcessBatch"`
	Batch RewardBatch `lf:"batch"`
	// ProvidersWithWrongVettingState are those whose nodes cannot read a coupon yet; they do not see their coupons.
	ProvidersWithWrongVettingState lf.Set[Party] `lf:"providersWithWrongVettingState"`
}

func (a ProcessRewardsV2ProcessBatch) hidesFrom(provider Party) bool {
	return slices.ContainsFunc(a.ProvidersWithWrongVettingState.Map, func(entry lf.Entry[Party, lf.Unit]) bool {
		return entry.Key == provider
	})
}

// ProcessRewardsV2ProcessBatchResult is the empty result of [ProcessRewardsV2ProcessBatch].
type ProcessRewardsV2ProcessBatchResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet.RewardAccountingV2:ProcessRewardsV2_ProcessBatchResult"`
}

func calculateRewardsV2Template() ledger.TemplateSource {
	return ledger.Template[CalculateRewardsV2]{
		Network:     ledger.DSOSigned(CalculateRewardsV2.dso),
		Signatories: func(c CalculateRewardsV2) []Party { return []Party{c.DSO} },
	}
}

func processRewardsV2Template() ledger.TemplateSource {
	type process = ProcessRewardsV2ProcessBatch
	return ledger.Template[ProcessRewardsV2]{
		Network:     ledger.DSOSigned(ProcessRewardsV2.dso),
		Signatories: func(p ProcessRewardsV2) []Party { return []Party{p.DSO} },
		Choices: []ledger.ChoiceOf[ProcessRewardsV2]{
			ledger.Choice[ProcessRewardsV2, process, ProcessRewardsV2ProcessBatchResult]{
				Consuming:   true,
				Controllers: func(p ProcessRewardsV2, _ process) []Party { return []Party{p.DSO} },
				Observers: func(_ ProcessRewardsV2, arg process) (providers []Party) {
					for _, allowance := range valueOr(arg.Batch.BatchOfMintingAllowances, nil) {
						if !arg.hidesFrom(allowance.Provider) {
							providers = append(providers, allowance.Provider)
						}
					}
					return providers
				},
				Body: processBatch,
			},
		},
	}
}

// startCalculatingRewards requests the calculation for a round that is closed for activity, and a trial of it, as the
// round's configuration says.
func startCalculatingRewards(tx *ledger.Tx, round OpenMiningRound, now lf.Timestamp) error {
	if round.RewardConfig == nil {
		return nil
	}
	config := *round.RewardConfig
	for _, run := range []struct {
		version *RewardVersion
		dry     bool
	}{{&config.MintingVersion, false}, {config.DryRunVersion, true}} {
		if activityRecordOf(run.version) != recordNothing {
			continue
		}
		if _, err := ledger.Create(tx, CalculateRewardsV2{
			DSO: round.DSO, Round: round.Round, RoundClosedAt: now,
			RewardCouponTimeToLive: config.RewardCouponTimeToLive, DryRun: run.dry,
		}); err != nil {
			return err
		}
	}
	return nil
}

func processBatch(
	tx *ledger.Tx, _ lf.CID[ProcessRewardsV2], p ProcessRewardsV2, arg ProcessRewardsV2ProcessBatch,
) (none ProcessRewardsV2ProcessBatchResult, err error) {
	if err := ledger.Require("batch hash matches", arg.Batch.Hash() == p.BatchHash); err != nil {
		return none, err
	}
	if arg.Batch.BatchOfBatches != nil {
		for _, hash := range *arg.Batch.BatchOfBatches {
			p.BatchHash = hash
			if _, err := ledger.Create(tx, p); err != nil {
				return none, err
			}
		}
		return none, nil
	}
	if p.DryRun {
		return none, nil
	}
	expiresAt := tx.Now().Add(p.RewardCouponTimeToLive) // from now on, however long the processing took
	for _, allowance := range *arg.Batch.BatchOfMintingAllowances {
		if _, err := ledger.Create(tx, RewardCouponV2{
			DSO: p.DSO, Provider: allowance.Provider, Round: p.Round, Amount: allowance.Amount, ExpiresAt: expiresAt,
			ProviderIsObserver: !arg.hidesFrom(allowance.Provider),
		}); err != nil {
			return none, err
		}
	}
	return none, nil
}

// Hash commits to the batch and everything below it. A structure's hash covers the number and hashes of its parts, for
// a variant after its tag; texts, parties and decimals are hashed in their printed form.
func (b RewardBatch) Hash() Hash {
	if b.BatchOfBatches != nil {
		hashes := make([]string, len(*b.BatchOfBatches))
		for i, hash := range *b.BatchOfBatches {
			hashes[i] = hash.Value
		}
		return Hash{Value: hashVariant("BatchOfBatches", hashList(hashes...))}
	}
	allowances := valueOr(b.BatchOfMintingAllowances, nil)
	hashes := make([]string, len(allowances))
	for i, allowance := range allowances {
		hashes[i] = hashList(hashText(string(allowance.Provider)), hashText(allowance.Amount.Show()))
	}
	return Hash{Value: hashVariant("BatchOfMintingAllowances", hashList(hashes...))}
}

func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func hashList(parts ...string) string {
	return hashText(strings.Join(append([]string{strconv.Itoa(len(parts))}, parts...), "|"))
}

func hashVariant(tag string, parts ...string) string {
	return hashText(strings.Join(append([]string{tag, strconv.Itoa(len(parts))}, parts...), "|"))
}
