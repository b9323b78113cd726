package walletapp

import (
	"fmt"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// MintingDelegationProposal asks a delegate to mint the beneficiary's rewards.
type MintingDelegationProposal struct {
	_          struct{}          `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegationProposal"`
	Delegation MintingDelegation `lf:"delegation"`
}

// MintingDelegation lets a delegate mint the rewards of a beneficiary without a wallet, and merge its coin. The
// delegate cannot give the coin to anybody else.
type MintingDelegation struct {
	_           struct{}     `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegation"`
	Beneficiary Party        `lf:"beneficiary"`
	Delegate    Party        `lf:"delegate"`
	DSO         Party        `lf:"dso"`
	ExpiresAt   lf.Timestamp `lf:"expiresAt"`
	// AmuletMergeLimit is the number of coins that the delegate should leave when it merges.
	AmuletMergeLimit int64 `lf:"amuletMergeLimit"`
}

// group is the delegations of one beneficiary and network.
func (d MintingDelegation) group() string { return ownerGroup(d.DSO, d.Beneficiary) }

func ownerGroup(dso, owner Party) string { return fmt.Sprintf("dso '%s', owner '%s'", dso, owner) }

// MintingDelegationProposalAccept agrees to mint; it may replace an earlier delegation.
type MintingDelegationProposalAccept struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegationProposal_Accept"`

	ExistingDelegationCid *lf.CID[MintingDelegation] `lf:"existingDelegationCid"`
}

// MintingDelegationProposalAcceptResult is the result of [MintingDelegationProposalAccept].
type MintingDelegationProposalAcceptResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegationProposal_AcceptResult"`

	MintingDelegationCid lf.CID[MintingDelegation] `lf:"mintingDelegationCid"`
}

// MintingDelegationProposalReject declines the proposal.
type MintingDelegationProposalReject struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegationProposal_Reject"`
}

// MintingDelegationProposalRejectResult is the empty result of [MintingDelegationProposalReject].
type MintingDelegationProposalRejectResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegationProposal_RejectResult"`
}

// MintingDelegationProposalWithdraw takes the proposal back.
type MintingDelegationProposalWithdraw struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegationProposal_Withdraw"`
}

// MintingDelegationProposalWithdrawResult is the empty result of [MintingDelegationProposalWithdraw].
type MintingDelegationProposalWithdrawResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegationProposal_WithdrawResult"`
}

// MintingDelegationMint turns rewards and coin of the beneficiary into one coin of the beneficiary.
type MintingDelegationMint struct {
	_       struct{}                    `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegation_Mint"`
	Inputs  []coin.TransferInput        `lf:"inputs"`
	Context coin.PaymentTransferContext `lf:"context"`
}

// MintingDelegationMintResult is the result of [MintingDelegationMint].
type MintingDelegationMintResult struct {
	_              struct{}            `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegation_MintResult"`
	TransferResult coin.TransferResult `lf:"transferResult"`
}

// MintingDelegationAssignAndMint shares reward coupons out and mints the beneficiary's own share with other inputs.
type MintingDelegationAssignAndMint struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegation_AssignAndMint"`

	CouponCid lf.CID[coin.RewardCoupon] `lf:"couponCid"`

	AssignBeneficiaries coin.AssignBeneficiaries    `lf:"assignBeneficiaries"`
	Inputs              []coin.TransferInput        `lf:"inputs"`
	Context             coin.PaymentTransferContext `lf:"context"`
}

// MintingDelegationAssignAndMintResult is the result of [MintingDelegationAssignAndMint].
type MintingDelegationAssignAndMintResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegation_AssignAndMintResult"`

	AssignResult   coin.AssignBeneficiariesResult `lf:"assignResult"`
	TransferResult coin.TransferResult            `lf:"transferResult"`
}

// MintingDelegationReject ends the delegation; the delegate decides.
type MintingDelegationReject struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegation_Reject"`
}

// MintingDelegationRejectResult is the empty result of [MintingDelegationReject].
type MintingDelegationRejectResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegation_RejectResult"`
}

// MintingDelegationWithdraw ends the delegation; the beneficiary decides.
type MintingDelegationWithdraw struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegation_Withdraw"`
}

// MintingDelegationWithdrawResult is the empty result of [MintingDelegationWithdraw].
type MintingDelegationWithdrawResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.MintingDelegation:MintingDelegation_WithdrawResult"`
}

func mintingDelegationProposalTemplate() ledger.TemplateSource {
	type proposal = MintingDelegationProposal
	return ledger.Template[proposal]{
		Network:     ledger.DSONamed(func(p proposal) Party { return p.Delegation.DSO }),
		Signatories: func(p proposal) []Party { return []Party{p.Delegation.Beneficiary} },
		Observers:   func(p proposal) []Party { return []Party{p.Delegation.Delegate} },
		Choices: []ledger.ChoiceOf[proposal]{
			consuming(func(p proposal, _ MintingDelegationProposalAccept) []Party {
				return []Party{p.Delegation.Delegate}
			}, acceptMintingDelegation),
			ending(func(p proposal, _ MintingDelegationProposalReject) []Party { return []Party{p.Delegation.Delegate} },
				func(proposal) (none MintingDelegationProposalRejectResult) { return none }),
			ending(func(p proposal, _ MintingDelegationProposalWithdraw) []Party {
				return []Party{p.Delegation.Beneficiary}
			}, func(proposal) (none MintingDelegationProposalWithdrawResult) { return none }),
		},
	}
}

func mintingDelegationTemplate() ledger.TemplateSource {
	type delegation = MintingDelegation
	return ledger.Template[delegation]{
		Network:     ledger.DSONamed(func(d delegation) Party { return d.DSO }),
		Signatories: func(d delegation) []Party { return []Party{d.Beneficiary, d.Delegate} },
		Choices: []ledger.ChoiceOf[delegation]{
			ledger.Choice[delegation, MintingDelegationMint, MintingDelegationMintResult]{
				Controllers: func(d delegation, _ MintingDelegationMint) []Party { return []Party{d.Delegate} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[delegation], d delegation, arg MintingDelegationMint,
				) (MintingDelegationMintResult, error) {
					result, err := d.mint(tx, arg.Context, arg.Inputs)
					return MintingDelegationMintResult{TransferResult: result}, err
				},
			},
			ledger.Choice[delegation, MintingDelegationAssignAndMint, MintingDelegationAssignAndMintResult]{
				Controllers: func(d delegation, _ MintingDelegationAssignAndMint) []Party { return []Party{d.Delegate} },
				Body:        assignAndMint,
			},
			ending(func(d delegation, _ MintingDelegationReject) []Party { return []Party{d.Delegate} },
				func(delegation) (none MintingDelegationRejectResult) { return none }),
			ending(func(d delegation, _ MintingDelegationWithdraw) []Party { return []Party{d.Beneficiary} },
				func(delegation) (none MintingDelegationWithdrawResult) { return none }),
		},
	}
}

func acceptMintingDelegation(
	tx *ledger.Tx, _ lf.CID[MintingDelegationProposal], p MintingDelegationProposal, arg MintingDelegationProposalAccept,
) (result MintingDelegationProposalAcceptResult, err error) {
	if id := arg.ExistingDelegationCid; id != nil {
		existing, err := ledger.Fetch(tx, *id)
		if err != nil {
			return result, err
		}
		if err := requireGroup(id.ID(), p.Delegation.group(), existing.group()); err != nil {
			return result, err
		}
		if err := ledger.ArchiveContract(tx, *id); err != nil {
			return result, err
		}
		same := existing.Delegate == p.Delegation.Delegate
		if err := ledger.Require("existing delegation has the same delegate", same); err != nil {
			return result, err
		}
	}
	result.MintingDelegationCid, err = ledger.Create(tx, p.Delegation)
	return result, err
}

// mint is a transfer of the beneficiary to itself, of the value of all inputs. It names no featured app right, so the
// delegate never earns a reward.
func (d MintingDelegation) mint(
	tx *ledger.Tx, context coin.PaymentTransferContext, inputs []coin.TransferInput,
) (coin.TransferResult, error) {
	if err := ledger.RequireWithinDeadline(tx, "expiresAt", d.ExpiresAt); err != nil {
		return coin.TransferResult{}, err
	}
	context.Context.FeaturedAppRight = nil
	return context.Transfer(tx, d.DSO, coin.Transfer{Sender: d.Beneficiary, Provider: d.Delegate, Inputs: inputs})
}

func assignAndMint(
	tx *ledger.Tx, _ lf.CID[MintingDelegation], d MintingDelegation, arg MintingDelegationAssignAndMint,
) (result MintingDelegationAssignAndMintResult, err error) {
	if err := ledger.RequireWithinDeadline(tx, "expiresAt", d.ExpiresAt); err != nil {
		return result, err
	}
	coupon, err := ledger.FetchView[coin.RewardCouponView](tx, arg.CouponCid)
	if err != nil {
		return result, err
	}
	err = requireGroup(arg.CouponCid.ID(), d.group(), ownerGroup(coupon.DSO, coupon.Beneficiary))
	if err != nil {
		return result, err
	}
	result.AssignResult, err = ledger.Exercise[coin.AssignBeneficiariesResult](tx, arg.CouponCid, arg.AssignBeneficiaries)
	if err != nil {
		return result, err
	}
	inputs := arg.Inputs
	for _, share := range result.AssignResult.NewBeneficiariesCouponCids {
		if share.V1 != d.Beneficiary {
			continue
		}
		for _, id := range share.V2 {
			own := lf.Coerce[coin.RewardCouponV2](id)
			inputs = append(inputs, coin.TransferInput{RewardCouponV2: &own})
		}
	}
	result.TransferResult, err = d.mint(tx, arg.Context, inputs)
	return result, err
}
