package walletapp

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// TransferPreapprovalProposal asks a provider to pay for the receiver's preapproval. Clients create it directly.
type TransferPreapprovalProposal struct {
	_        struct{} `lf:"splice-wallet:Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal"`
	Receiver Party    `lf:"receiver"`
	Provider Party    `lf:"provider"`
	// ExpectedDSO must be set for the proposal to be accepted.
	ExpectedDSO *Party `lf:"expectedDso"`
}

// dso is the DSO in the proposal; "" for none.
func (p TransferPreapprovalProposal) dso() Party {
	if p.ExpectedDSO == nil {
		return ""
	}
	return *p.ExpectedDSO
}

// TransferPreapprovalProposalAccept creates the preapproval; the provider pays for its life.
type TransferPreapprovalProposalAccept struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal_Accept"`

	Context   coin.PaymentTransferContext `lf:"context"`
	Inputs    []coin.TransferInput        `lf:"inputs"`
	ExpiresAt lf.Timestamp                `lf:"expiresAt"`
}

// TransferPreapprovalProposalAcceptResult is the result of [TransferPreapprovalProposalAccept].
type TransferPreapprovalProposalAcceptResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal_AcceptResult"`

	TransferPreapprovalCid lf.CID[coin.TransferPreapproval] `lf:"transferPreapprovalCid"`
	TransferResult         coin.TransferResult              `lf:"transferResult"`
	AmuletPaid             decimal.Decimal                  `lf:"amuletPaid"`
}

func transferPreapprovalProposalTemplate() ledger.TemplateSource {
	type proposal = TransferPreapprovalProposal
	return ledger.Template[proposal]{
		Network:     ledger.DSONamed(proposal.dso),
		Signatories: func(p proposal) []Party { return []Party{p.Receiver} },
		Observers:   func(p proposal) []Party { return []Party{p.Provider} },
		Choices: []ledger.ChoiceOf[proposal]{
			consuming(func(p proposal, _ TransferPreapprovalProposalAccept) []Party { return []Party{p.Provider} },
				acceptProposal),
		},
	}
}

func acceptProposal(
	tx *ledger.Tx, _ lf.CID[TransferPreapprovalProposal], p TransferPreapprovalProposal,
	arg TransferPreapprovalProposalAccept,
) (TransferPreapprovalProposalAcceptResult, error) {
	now := tx.Now()
	created, err := ledger.Exercise[coin.AmuletRulesCreateTransferPreapprovalResult](tx, arg.Context.AmuletRules,
		coin.AmuletRulesCreateTransferPreapproval{
			Context: arg.Context, Inputs: arg.Inputs, Receiver: p.Receiver, Provider: p.Provider,
			ExpiresAt: arg.ExpiresAt, ExpectedDSO: p.ExpectedDSO, OptCreatedAt: &now,
		})
	return TransferPreapprovalProposalAcceptResult{
		TransferPreapprovalCid: created.TransferPreapprovalCid, TransferResult: created.TransferResult,
		AmuletPaid: created.AmuletPaid,
	}, err
}
