package automation

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/provided"
)

// KindProposals is the automation that accepts preapproval proposals.
const KindProposals = "proposals"

// Proposals accepts preapproval proposals that name the operator as provider, if the receiver is hosted here and has no
// valid preapproval. The operator pays, within the limits of package provided.
func Proposals(packages *ledger.Packages) (Automation, error) {
	follow, err := Following(packages,
		func(c plan.Contract[walletapp.TransferPreapprovalProposal], _ time.Time) []Due {
			return []Due{{Subject: string(c.Payload.Receiver), Wallet: c.Payload.Provider}}
		})
	if err != nil {
		return Automation{}, err
	}
	paid, err := paidFor(packages)
	if err != nil {
		return Automation{}, err
	}
	ended, err := Following(packages, func(c plan.Contract[coin.TransferPreapproval], _ time.Time) []Due {
		return []Due{{Subject: string(c.Payload.Receiver)}}
	})
	return Automation{
		Kind: KindProposals, Summary: "Accepts proposals of preapprovals that the operator provides.",
		Follow: []Follow{follow, paid}, Ends: []Follow{ended}, Plan: planProposals,
	}, err
}

func planProposals(s Situation) (plan.Step, error) {
	const limit = 100
	receiver := ledger.Party(s.Subject)
	hosted, err := s.Record.IsHosted(receiver)
	if err != nil {
		return plan.Step{}, err
	}
	state := ProposalState{
		Operator: s.Node.Operator, IsHosted: func(party ledger.Party) bool { return hosted && party == receiver }, Now: s.Now,
	}
	state.Proposals, err = plan.Held[walletapp.TransferPreapprovalProposal](
		s.View, plan.Receiver, receiver, plan.First, limit)
	if err != nil {
		return plan.Step{}, err
	}
	preapprovals, err := plan.Held[coin.TransferPreapproval](s.View, plan.Receiver, receiver, plan.First, limit)
	if err != nil {
		return plan.Step{}, err
	}
	for _, preapproval := range preapprovals {
		state.Preapprovals = append(state.Preapprovals, preapproval.Payload)
	}
	intents := state.AcceptProposals()
	if len(intents) == 0 {
		return waitForEnd(state), nil
	}
	book, err := s.Record.Provided(receiver)
	if err != nil {
		return plan.Step{}, err
	}
	rule := provided.Rule{Operator: s.Node.Operator, Max: s.LedgerSettings.MaxProvidedParties, Now: s.Now}
	if rule.Check(book, receiver) == nil {
		return s.accept(intents[0])
	}
	return waitForTurn(s, book.Until[receiver]), nil
}

// waitForTurn waits until the operator may pay for a preapproval of the receiver: paidUntil, or an hour if the operator
// has reached its limit of receivers.
func waitForTurn(s Situation, paidUntil time.Time) plan.Step {
	if s.Now.Before(paidUntil) {
		return plan.Step{Until: paidUntil, Deadline: true, WaitsFor: "the end of what the operator has paid for"}
	}
	trouble := fmt.Sprintf("max-provided-parties is %d, and the operator has paid for as many: raise it, or delete the "+
		"preapproval of another party", s.LedgerSettings.MaxProvidedParties)
	return plan.Step{
		Until: s.Now.Add(time.Hour), Trouble: trouble,
		WaitsFor: "room below max-provided-parties",
	}
}

// waitForEnd waits for the end of the receiver's preapproval if there is a proposal.
func waitForEnd(state ProposalState) plan.Step {
	var step plan.Step
	for _, preapproval := range state.Preapprovals {
		if ends := preapproval.ExpiresAt.Time(); ends.After(state.Now) && ends.After(step.Until) {
			step = plan.Step{Until: ends, Deadline: true, WaitsFor: "the end of the receiver's preapproval"}
		}
	}
	state.Preapprovals = nil
	if len(state.AcceptProposals()) == 0 {
		return plan.Step{}
	}
	return step
}

func (s Situation) accept(intent Intent) (plan.Step, error) {
	again := plan.Step{Until: s.Now.Add(aMinute), WaitsFor: "an open round, and the operator's wallet"}
	w, ok, err := plan.WalletOf(s.View, s.Node.Operator)
	if err != nil || !ok {
		return again, err
	}
	action, err := s.throughWallet(w, intent)
	if err != nil || action == nil {
		return again, err
	}
	// Only the receiver may see its contracts.
	action.ReadAs = ledger.SortedParties(append(action.ReadAs, ledger.Party(s.Subject)))
	return plan.Step{Action: action, Spends: s.Node.Operator}, nil
}
