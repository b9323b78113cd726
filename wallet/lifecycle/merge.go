package lifecycle

import (
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/plan"
)

// TooManyHoldings starts a merge of an owner's holdings: more than ten (contract, "Limits").
const TooManyHoldings = 11

// mergeHoldingsChoice is the choice of the batch merge utility.
const mergeHoldingsChoice = "BatchMergeUtility_MergeHoldings"

// mergeWorkflow names the workflow that merges an owner's holdings.
func mergeWorkflow(owner ledger.Party) workflowid.ID {
	return workflowid.Of("merge-delegation", string(owner))
}

func followMergeProposal(_ ledger.ContractID, p tokenwallet.MergeDelegationProposal) ContractWorkflow {
	return followMergeDelegation("", p.Delegation)
}

func followMergeDelegation(_ ledger.ContractID, d tokenwallet.MergeDelegation) ContractWorkflow {
	return ContractWorkflow{
		Kind: RunMergeDelegation, WorkflowID: mergeWorkflow(d.Owner),
		Parties: ledger.SortedParties([]ledger.Party{d.Owner, d.Operator}),
	}
}

// planMerging accepts an owner's proposal to the operator, and merges while the owner has too many holdings. Other
// operators act on their own proposals and delegations. It reads the owner's contracts from the record: if the
// proposals have several lifecycles, each accepts only the oldest proposal, and only without a delegation.
func (r *Registry) planMerging(s Situation) (plan.Step, error) {
	owner, err := r.ownerOf(s.Contracts[0])
	if err != nil {
		return plan.Step{}, err
	}
	// The proposal comes first: once accepted, the delegation exists.
	proposal, proposed, err := plan.MergeDelegation[tokenwallet.MergeDelegationProposal](s.View, owner)
	if err != nil {
		return plan.Step{}, err
	}
	delegation, delegated, err := plan.MergeDelegation[tokenwallet.MergeDelegation](s.View, owner)
	switch {
	case err != nil:
		return plan.Step{}, err
	case delegated:
		if step, waits := forClients(s, delegation.CreatedAt, "merging"); waits {
			return step, nil
		}
		return r.mergeHoldings(s, delegation)
	case !proposed:
		return plan.Step{WaitsFor: "another operator to act on it"}, nil
	}
	if step, waits := forClients(s, proposal.CreatedAt, "acceptance"); waits {
		return step, nil
	}
	command, err := plan.Exercise[tokenwallet.MergeDelegationProposal](r.packages, proposal.ID,
		"MergeDelegationProposal_Accept", tokenwallet.ProposalAccept{})
	return plan.Step{WaitsFor: "acceptance of the proposal", Action: &plan.Action{
		CommandID: "accept-merge-delegation:" + plan.Short(proposal.ID), ActAs: []ledger.Party{s.Node.Operator},
		Commands: []ledger.Command{command},
	}}, err
}

// forClients gives clients time to act on a new contract first (upstream's wallet SDK accepts and merges at once). It
// reports whether that time lasts.
func forClients(s Situation, since time.Time, what string) (plan.Step, bool) {
	return patiently(s, since.Add(plan.MergePatience), what+", which is left to clients of the operator at first")
}

// ownerOf returns the owner of the holdings that a contract is about.
func (r *Registry) ownerOf(contract ledger.Contract) (ledger.Party, error) {
	delegation, err := ledger.TemplateName[tokenwallet.MergeDelegation](r.packages)
	if err != nil {
		return "", err
	}
	if contract.Template == delegation {
		payload, err := ledger.DecodePayload[tokenwallet.MergeDelegation](r.packages, contract)
		return payload.Owner, err
	}
	payload, err := ledger.DecodePayload[tokenwallet.MergeDelegationProposal](r.packages, contract)
	return payload.Delegation.Owner, err
}

// mergeHoldings merges the owner's smallest holdings, if there are too many.
func (r *Registry) mergeHoldings(s Situation, d plan.Contract[tokenwallet.MergeDelegation]) (plan.Step, error) {
	many, err := plan.Held[coin.Amulet](s.View, plan.Owner, d.Payload.Owner, plan.Least, TooManyHoldings)
	if err != nil {
		return plan.Step{}, err
	}
	if len(many) < TooManyHoldings {
		step := plan.Step{WaitsFor: "more than ten holdings"}
		if s.Apart { // new holdings do not wake this lifecycle
			step.Until = s.Now.Add(recheckInterval)
		}
		return step, nil
	}
	call, err := plan.MergeSmallest(s.View, d.Payload.Owner)
	if err != nil {
		return plan.Step{}, err
	}
	if call == nil {
		return plan.Step{Until: s.Now.Add(time.Minute), WaitsFor: "an open round"}, nil
	}
	smallest := call.ChoiceArg.Transfer.InputHoldingCids[0].ID()
	command, err := r.batchMerge(s, tokenwallet.MergeCall{
		DelegationCid: lf.CID[tokenwallet.MergeDelegation](d.ID), ChoiceArg: tokenwallet.Merge{OptMergeTransfer: call},
	})
	return plan.Step{WaitsFor: "the merge of its holdings", Action: &plan.Action{
		CommandID: "merge:" + plan.Short(d.ID) + ":" + plan.Short(smallest), ActAs: []ledger.Party{s.Node.Operator},
		ReadAs:   ledger.SortedParties([]ledger.Party{d.Payload.Owner, s.Node.DSO}),
		Commands: []ledger.Command{command},
	}}, err
}

// batchMerge merges through the operator's batch merge utility (contract, "Limits"). The first merge creates it.
func (r *Registry) batchMerge(s Situation, call tokenwallet.MergeCall) (ledger.Command, error) {
	argument, err := ledger.Encode(r.packages, tokenwallet.MergeHoldings{MergeCalls: []tokenwallet.MergeCall{call}})
	if err != nil {
		return ledger.Command{}, err
	}
	name, err := ledger.TemplateName[tokenwallet.BatchMergeUtility](r.packages)
	if err != nil {
		return ledger.Command{}, err
	}
	utility, ok, err := plan.One[tokenwallet.BatchMergeUtility](s.View, plan.Operator, s.Node.Operator)
	if err != nil {
		return ledger.Command{}, err
	}
	if ok {
		return ledger.Command{Exercise: &ledger.ExerciseCommand{
			Template: name, Contract: utility.ID, Choice: mergeHoldingsChoice, Argument: argument,
		}}, nil
	}
	payload, err := ledger.Encode(r.packages, tokenwallet.BatchMergeUtility{Operator: s.Node.Operator})
	return ledger.Command{CreateAndExercise: &ledger.CreateAndExerciseCommand{
		Template: name, CreateArgument: payload, Choice: mergeHoldingsChoice, ChoiceArgument: argument,
	}}, err
}
