package automation

import (
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// ProposalState is the input of [ProposalState.AcceptProposals].
type ProposalState struct {
	Operator  ledger.Party
	Proposals []plan.Contract[walletapp.TransferPreapprovalProposal]
	// Preapprovals are the receivers' preapprovals.
	Preapprovals []coin.TransferPreapproval
	// IsHosted reports whether a party is hosted on this node.
	IsHosted func(ledger.Party) bool
	// AcceptOthers also accepts proposals of parties on other nodes.
	AcceptOthers bool
	Now          time.Time
}

// AcceptProposals accepts the proposals that name the operator as provider, one for each receiver without a valid
// preapproval.
func (s ProposalState) AcceptProposals() []Intent {
	covered := map[ledger.Party]bool{}
	for _, preapproval := range s.Preapprovals {
		if s.Now.Before(preapproval.ExpiresAt.Time()) {
			covered[preapproval.Receiver] = true
		}
	}
	var intents []Intent
	for _, proposal := range s.Proposals {
		p := proposal.Payload
		if p.Provider != s.Operator || covered[p.Receiver] || !s.AcceptOthers && !s.IsHosted(p.Receiver) {
			continue
		}
		covered[p.Receiver] = true
		intents = append(intents, Intent{
			CommandID: commandID("accept-preapproval-proposal", proposal.ID), Wallet: s.Operator, Contract: proposal.ID,
			Operation: &walletapp.AmuletOperation{
				AcceptTransferPreapprovalProposal: &walletapp.OperationAcceptProposal{
					PreapprovalProposalCid: lf.CID[walletapp.TransferPreapprovalProposal](proposal.ID),
					ExpiresAt:              lf.TimestampOf(s.Now.Add(plan.PreapprovalLifetime)),
				},
			},
		})
	}
	return intents
}
