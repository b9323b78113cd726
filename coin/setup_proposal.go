package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// ExternalPartySetupProposal offers to host an external party: with a paid preapproval, and the right of the validator
// to the rewards of the party's activity.
type ExternalPartySetupProposal struct {
	_                    struct{}     `lf:"splice-amulet:Splice.AmuletRules:ExternalPartySetupProposal"`
	Validator            Party        `lf:"validator"`
	User                 Party        `lf:"user"`
	DSO                  Party        `lf:"dso"`
	CreatedAt            lf.Timestamp `lf:"createdAt"`
	PreapprovalExpiresAt lf.Timestamp `lf:"preapprovalExpiresAt"`
}

// ExternalPartySetupProposalAccept is the party's agreement.
type ExternalPartySetupProposalAccept struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:ExternalPartySetupProposal_Accept"`
}

// ExternalPartySetupProposalAcceptResult is the result of [ExternalPartySetupProposalAccept].
type ExternalPartySetupProposalAcceptResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:ExternalPartySetupProposal_AcceptResult"`

	ValidatorRightCid      lf.CID[ValidatorRight]      `lf:"validatorRightCid"`
	TransferPreapprovalCid lf.CID[TransferPreapproval] `lf:"transferPreapprovalCid"`
}

// ExternalPartySetupProposalReject declines the proposal. The payment stays burned.
type ExternalPartySetupProposalReject struct {
	_      struct{} `lf:"splice-amulet:Splice.AmuletRules:ExternalPartySetupProposal_Reject"`
	Reason string   `lf:"reason"`
}

// ExternalPartySetupProposalRejectResult is the result of [ExternalPartySetupProposalReject].
type ExternalPartySetupProposalRejectResult struct {
	_        struct{} `lf:"splice-amulet:Splice.AmuletRules:ExternalPartySetupProposal_RejectResult"`
	DummyArg lf.Unit  `lf:"dummyArg"`
}

// ExternalPartySetupProposalWithdraw takes the proposal back, at any time. The payment stays burned.
type ExternalPartySetupProposalWithdraw struct {
	_      struct{} `lf:"splice-amulet:Splice.AmuletRules:ExternalPartySetupProposal_Withdraw"`
	Reason string   `lf:"reason"`
}

// ExternalPartySetupProposalWithdrawResult is the result of [ExternalPartySetupProposalWithdraw].
type ExternalPartySetupProposalWithdrawResult struct {
	_        struct{} `lf:"splice-amulet:Splice.AmuletRules:ExternalPartySetupProposal_WithdrawResult"`
	DummyArg lf.Unit  `lf:"dummyArg"`
}

func externalPartySetupProposalTemplate() ledger.TemplateSource {
	type proposal = ExternalPartySetupProposal
	type (
		accept   = ExternalPartySetupProposalAccept
		reject   = ExternalPartySetupProposalReject
		withdraw = ExternalPartySetupProposalWithdraw
	)
	return ledger.Template[proposal]{
		Network:     ledger.DSOSigned(func(p proposal) Party { return p.DSO }),
		Signatories: func(p proposal) []Party { return []Party{p.Validator, p.DSO} },
		Observers:   func(p proposal) []Party { return []Party{p.User} },
		Choices: []ledger.ChoiceOf[proposal]{
			ledger.Choice[proposal, accept, ExternalPartySetupProposalAcceptResult]{
				Consuming:   true,
				Controllers: func(p proposal, _ accept) []Party { return []Party{p.User} },
				Body:        acceptSetupProposal,
			},
			ledger.Choice[proposal, reject, ExternalPartySetupProposalRejectResult]{
				Consuming:   true,
				Controllers: func(p proposal, _ reject) []Party { return []Party{p.User} },
				Body:        justArchive[proposal, reject, ExternalPartySetupProposalRejectResult],
			},
			ledger.Choice[proposal, withdraw, ExternalPartySetupProposalWithdrawResult]{
				Consuming:   true,
				Controllers: func(p proposal, _ withdraw) []Party { return []Party{p.Validator} },
				Body:        justArchive[proposal, withdraw, ExternalPartySetupProposalWithdrawResult],
			},
		},
	}
}

func acceptSetupProposal(
	tx *ledger.Tx, _ lf.CID[ExternalPartySetupProposal], p ExternalPartySetupProposal, _ ExternalPartySetupProposalAccept,
) (result ExternalPartySetupProposalAcceptResult, err error) {
	const deadline = "ExternalPartySetupProposal.preapprovalExpiresAt"
	if err := ledger.RequireWithinDeadline(tx, deadline, p.PreapprovalExpiresAt); err != nil {
		return result, err
	}
	right := ValidatorRight{DSO: p.DSO, User: p.User, Validator: p.Validator}
	if result.ValidatorRightCid, err = ledger.Create(tx, right); err != nil {
		return result, err
	}
	result.TransferPreapprovalCid, err = ledger.Create(tx, TransferPreapproval{
		DSO: p.DSO, Receiver: p.User, Provider: p.Validator,
		ValidFrom: p.CreatedAt, LastRenewedAt: p.CreatedAt, ExpiresAt: p.PreapprovalExpiresAt,
	})
	return result, err
}
