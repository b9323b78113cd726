package tokenwallet

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// MergeDelegationProposal asks the operator to merge the owner's holdings.
type MergeDelegationProposal struct {
	_          struct{}        `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationProposal"`
	Delegation MergeDelegation `lf:"delegation"`
}

// MergeDelegation lets the operator merge the owner's holdings, and nothing else.
type MergeDelegation struct {
	_        struct{}       `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation"`
	Operator ledger.Party   `lf:"operator"`
	Owner    ledger.Party   `lf:"owner"`
	Meta     token.Metadata `lf:"meta"`
}

// ProposalAccept makes the delegation.
type ProposalAccept struct {
	_ struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationProposal_Accept"`
}

// ProposalAcceptResult is the result of [ProposalAccept].
type ProposalAcceptResult struct {
	_ struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationProposal_AcceptResult"`

	MergeDelegationCid lf.CID[MergeDelegation] `lf:"mergeDelegationCid"`
}

// ProposalReject refuses the proposal.
type ProposalReject struct {
	_ struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationProposal_Reject"`
}

// ProposalRejectResult is the result of [ProposalReject].
type ProposalRejectResult struct {
	_      struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationProposal_RejectResult"`
	Result lf.Unit  `lf:"result"`
}

// ProposalWithdraw takes the proposal back.
type ProposalWithdraw struct {
	_ struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationProposal_Withdraw"`
}

// ProposalWithdrawResult is the result of [ProposalWithdraw].
type ProposalWithdrawResult struct {
	_      struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationProposal_WithdrawResult"`
	Result lf.Unit  `lf:"result"`
}

// DelegationReject ends the delegation; the operator decides.
type DelegationReject struct {
	_ struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation_Reject"`
}

// DelegationRejectResult is the result of [DelegationReject].
type DelegationRejectResult struct {
	_      struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation_RejectResult"`
	Result lf.Unit  `lf:"result"`
}

// DelegationWithdraw ends the delegation; the owner decides.
type DelegationWithdraw struct {
	_ struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation_Withdraw"`
}

// DelegationWithdrawResult is the result of [DelegationWithdraw].
type DelegationWithdrawResult struct {
	_      struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation_WithdrawResult"`
	Result lf.Unit  `lf:"result"`
}

// Merge merges holdings of the owner; at least one of the two transfers is given.
type Merge struct {
	_ struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation_Merge"`
	// OptMergeTransfer is a transfer of the owner to itself.
	OptMergeTransfer *TransferCall `lf:"optMergeTransfer"`
	// OptExtraTransfer is a transfer of the operator to the owner, whose holdings are merged too.
	OptExtraTransfer *TransferCall `lf:"optExtraTransfer"`
	// OptFeaturedAppRight lets the operator record the merge as its featured activity.
	OptFeaturedAppRight *FeaturedAppRightCall `lf:"optFeaturedAppRight"`
}

// TransferCall is a transfer through the factory of a token.
type TransferCall struct {
	_          struct{}                      `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:TransferCall"`
	FactoryCid lf.CID[token.TransferFactory] `lf:"factoryCid"`
	ChoiceArg  token.TransferFactoryTransfer `lf:"choiceArg"`
}

// FeaturedAppRightCall records featured activity for the beneficiaries.
type FeaturedAppRightCall struct {
	_             struct{}                        `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:FeaturedAppRightCall"`
	AppRightCid   lf.CID[coin.FeaturedAppRightV1] `lf:"appRightCid"`
	Beneficiaries []coin.AppRewardBeneficiary     `lf:"beneficiaries"`
}

// MergeResult is the result of [Merge], with the result of each transfer.
type MergeResult struct {
	_                      struct{}                         `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation_MergeResult"`
	OptMergeTransferResult *token.TransferInstructionResult `lf:"optMergeTransferResult"`
	OptExtraTransferResult *token.TransferInstructionResult `lf:"optExtraTransferResult"`
}

func mergeDelegationProposalTemplate() ledger.TemplateSource {
	type proposal = MergeDelegationProposal
	return ledger.Template[proposal]{
		Network: ledger.Membership[proposal]{
			Operator: func(p proposal) ledger.Party { return p.Delegation.Operator },
		},
		Signatories: func(p proposal) []ledger.Party { return []ledger.Party{p.Delegation.Owner} },
		Observers:   func(p proposal) []ledger.Party { return []ledger.Party{p.Delegation.Operator} },
		Choices: []ledger.ChoiceOf[proposal]{
			ledger.Choice[proposal, ProposalAccept, ProposalAcceptResult]{
				Consuming:   true,
				Controllers: func(p proposal, _ ProposalAccept) []ledger.Party { return []ledger.Party{p.Delegation.Operator} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[proposal], p proposal, _ ProposalAccept,
				) (ProposalAcceptResult, error) {
					delegation, err := ledger.Create(tx, p.Delegation)
					return ProposalAcceptResult{MergeDelegationCid: delegation}, err
				},
			},
			justArchive[ProposalReject, ProposalRejectResult](func(p proposal) ledger.Party { return p.Delegation.Operator }),
			justArchive[ProposalWithdraw, ProposalWithdrawResult](
				func(p proposal) ledger.Party { return p.Delegation.Owner }),
		},
	}
}

func mergeDelegationTemplate() ledger.TemplateSource {
	return ledger.Template[MergeDelegation]{
		Network: ledger.Membership[MergeDelegation]{
			Operator: func(d MergeDelegation) ledger.Party { return d.Operator },
		},
		Signatories: func(d MergeDelegation) []ledger.Party { return []ledger.Party{d.Owner, d.Operator} },
		Choices: []ledger.ChoiceOf[MergeDelegation]{
			ledger.Choice[MergeDelegation, Merge, MergeResult]{
				Controllers: func(d MergeDelegation, _ Merge) []ledger.Party { return []ledger.Party{d.Operator} },
				Body:        merge,
			},
			justArchive[DelegationReject, DelegationRejectResult](
				func(d MergeDelegation) ledger.Party { return d.Operator }),
			justArchive[DelegationWithdraw, DelegationWithdrawResult](
				func(d MergeDelegation) ledger.Party { return d.Owner }),
		},
	}
}

// justArchive is a consuming choice of one controller that only archives its contract.
func justArchive[A, R, T any](controller func(T) ledger.Party) ledger.ChoiceOf[T] {
	return ledger.Choice[T, A, R]{
		Consuming:   true,
		Controllers: func(payload T, _ A) []ledger.Party { return []ledger.Party{controller(payload)} },
		Body:        func(*ledger.Tx, lf.CID[T], T, A) (none R, err error) { return none, nil },
	}
}
