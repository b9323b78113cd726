package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletRulesCreateTransferPreapproval creates a preapproval; the provider pays for its life. A receiver may have
// several.
type AmuletRulesCreateTransferPreapproval struct {
	_           struct{}               `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_CreateTransferPreapproval"`
	Context     PaymentTransferContext `lf:"context"`
	Inputs      []TransferInput        `lf:"inputs"`
	Receiver    Party                  `lf:"receiver"`
	Provider    Party                  `lf:"provider"`
	ExpiresAt   lf.Timestamp           `lf:"expiresAt"`
	ExpectedDSO *Party                 `lf:"expectedDso"`
	// OptCreatedAt is its start, not in the future; nil means now.
	OptCreatedAt *lf.Timestamp `lf:"optCreatedAt"`
}

// AmuletRulesCreateTransferPreapprovalResult is the result of [AmuletRulesCreateTransferPreapproval].
type AmuletRulesCreateTransferPreapprovalResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_CreateTransferPreapprovalResult"`

	TransferPreapprovalCid lf.CID[TransferPreapproval] `lf:"transferPreapprovalCid"`
	TransferResult         TransferResult              `lf:"transferResult"`
	AmuletPaid             decimal.Decimal             `lf:"amuletPaid"`
	Meta                   *token.Metadata             `lf:"meta"`
}

// AmuletRulesCreateExternalPartySetupProposal pays for an external party's preapproval before the party has agreed.
type AmuletRulesCreateExternalPartySetupProposal struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_CreateExternalPartySetupProposal"`

	Context              PaymentTransferContext `lf:"context"`
	Inputs               []TransferInput        `lf:"inputs"`
	User                 Party                  `lf:"user"`
	Validator            Party                  `lf:"validator"`
	PreapprovalExpiresAt lf.Timestamp           `lf:"preapprovalExpiresAt"`
	ExpectedDSO          *Party                 `lf:"expectedDso"`
	// OptCreatedAt is the start of the preapproval, not in the future; nil means now.
	OptCreatedAt *lf.Timestamp `lf:"optCreatedAt"`
}

// AmuletRulesCreateExternalPartySetupProposalResult is the result of [AmuletRulesCreateExternalPartySetupProposal].
type AmuletRulesCreateExternalPartySetupProposalResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_CreateExternalPartySetupProposalResult"`

	ProposalCid    lf.CID[ExternalPartySetupProposal] `lf:"proposalCid"`
	User           Party                              `lf:"user"`
	Validator      Party                              `lf:"validator"`
	TransferResult TransferResult                     `lf:"transferResult"`
	AmuletPaid     decimal.Decimal                    `lf:"amuletPaid"`
	Meta           *token.Metadata                    `lf:"meta"`
}

func preapprovalChoices() []ledger.ChoiceOf[AmuletRules] {
	type (
		create  = AmuletRulesCreateTransferPreapproval
		propose = AmuletRulesCreateExternalPartySetupProposal
	)
	return []ledger.ChoiceOf[AmuletRules]{
		ledger.Choice[AmuletRules, create, AmuletRulesCreateTransferPreapprovalResult]{
			Controllers: func(_ AmuletRules, arg create) []Party { return []Party{arg.Provider, arg.Receiver} },
			Body:        createTransferPreapproval,
		},
		ledger.Choice[AmuletRules, propose, AmuletRulesCreateExternalPartySetupProposalResult]{
			Controllers: func(_ AmuletRules, arg propose) []Party { return []Party{arg.Validator} },
			Body:        createSetupProposal,
		},
	}
}

func createTransferPreapproval(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesCreateTransferPreapproval,
) (none AmuletRulesCreateTransferPreapprovalResult, err error) {
	createdAt, receipt, err := rules.sellPreapproval(tx, arg.ExpectedDSO, arg.OptCreatedAt, "expiresAt",
		preapprovalPayment{
			payer: arg.Provider, context: arg.Context, inputs: arg.Inputs, until: arg.ExpiresAt,
			reason: "create TransferPreapproval",
		})
	if err != nil {
		return none, err
	}
	created, err := ledger.Create(tx, TransferPreapproval{
		DSO: rules.DSO, Receiver: arg.Receiver, Provider: arg.Provider,
		ValidFrom: createdAt, LastRenewedAt: createdAt, ExpiresAt: arg.ExpiresAt,
	})
	return AmuletRulesCreateTransferPreapprovalResult{
		TransferPreapprovalCid: created, TransferResult: receipt.transferResult,
		AmuletPaid: receipt.amuletPaid, Meta: &receipt.meta,
	}, err
}

func createSetupProposal(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesCreateExternalPartySetupProposal,
) (none AmuletRulesCreateExternalPartySetupProposalResult, err error) {
	createdAt, receipt, err := rules.sellPreapproval(tx, arg.ExpectedDSO, arg.OptCreatedAt, "preapprovalExpiresAt",
		preapprovalPayment{
			payer: arg.Validator, context: arg.Context, inputs: arg.Inputs, until: arg.PreapprovalExpiresAt,
			reason: "create ExternalPartySetupProposal",
		})
	if err != nil {
		return none, err
	}
	created, err := ledger.Create(tx, ExternalPartySetupProposal{
		Validator: arg.Validator, User: arg.User, DSO: rules.DSO,
		CreatedAt: createdAt, PreapprovalExpiresAt: arg.PreapprovalExpiresAt,
	})
	return AmuletRulesCreateExternalPartySetupProposalResult{
		ProposalCid: created, User: arg.User, Validator: arg.Validator, TransferResult: receipt.transferResult,
		AmuletPaid: receipt.amuletPaid, Meta: &receipt.meta,
	}, err
}

// sellPreapproval makes the common checks of both ways to buy a preapproval, and takes the payment. It sets the
// payment's DSO and start; label names the end in a refusal.
func (r AmuletRules) sellPreapproval(
	tx *ledger.Tx, expectedDSO *Party, optCreatedAt *lf.Timestamp, label string, payment preapprovalPayment,
) (createdAt lf.Timestamp, receipt preapprovalReceipt, err error) {
	if err := checkExpectedDSO(r.DSO, expectedDSO); err != nil {
		return 0, receipt, err
	}
	if createdAt, err = startOf(tx, optCreatedAt); err != nil {
		return 0, receipt, err
	}
	if err := ledger.RequireWithinDeadline(tx, label, payment.until); err != nil {
		return 0, receipt, err
	}
	payment.dso, payment.from = r.DSO, createdAt
	receipt, err = payment.pay(tx)
	return createdAt, receipt, err
}
