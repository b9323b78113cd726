package activities

import (
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/history"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/wallet/provided"
	"github.com/florinledger/florin/wallet/tracking"
)

// effects are all changes of the record by one submission. The block computes them all before it keeps any, so that a
// submission with one failing effect has only a refusal.
type effects struct {
	decision ledger.Decision
	// traffic is the node's account after the submission; nil if it was refused before it was ordered and costs nothing.
	traffic    *ledger.TrafficAccount
	lifecycles []db.LifecycleChange
	tracked    []db.Tracked
	// members are the contracts that change the traffic of members.
	members db.TrafficMoves
	// history are the parties whose wallet history may have an entry.
	history []ledger.Party
	// provided are the preapprovals that the operator has paid for afterwards; nil without a change.
	provided *provided.Book
}

// effects decides a submission and computes the changes of the record. The error is a defect of the rules, or a failure
// of the database, which the view remembers.
func (b *block) effects(submission openSubmission, at ledger.Position) (effects, error) {
	if submission.refusal != nil {
		return refusalOnly(submission.Submission, at, submission.refusal), nil //nolint:nilerr // a decision, not a failure
	}
	user, known := b.users[submission.UserID]
	if refusal := submission.CheckAdmission(user, known); refusal != nil {
		return refusalOnly(submission.Submission, at, refusal), nil
	}
	if refusal := b.refuseIfPruned(submission.Submission); refusal != nil {
		return refusalOnly(submission.Submission, at, refusal), nil
	}
	decision, err := ledger.Decide(submission.Submission, at, b.circumstances(submission))
	if err != nil || !decision.Completion.Accepted() && decision.Completion.PaidTrafficCost == 0 {
		return effects{decision: decision}, err
	}
	out, err := b.pay(decision)
	if refusal, ok := fault.As(err); ok {
		completion := decision.Completion
		completion.UpdateID, completion.PaidTrafficCost = "", 0
		return effects{decision: ledger.Decision{Completion: completion.Refused(submission.Submission, refusal)}}, nil
	}
	if err != nil || !decision.Completion.Accepted() {
		return out, err
	}
	if out.lifecycles, err = b.follow(decision, submission.Submission); err != nil {
		return effects{}, err
	}
	if out.history, err = history.Parties(decision.Network, b.view.ActiveContract); err != nil {
		return effects{}, fmt.Errorf("find the parties whose history shows a transaction: %w", err)
	}
	out.members = db.TrafficMoves{
		Created: memberTraffic(created(decision)), Archived: memberTraffic(b.archived(decision)),
	}
	out.tracked, err = track(decision.Network)
	return out, err
}

// memberTraffic returns the contracts that stand for traffic of a member.
func memberTraffic(contracts []ledger.Contract) (ids []ledger.ContractID) {
	for _, contract := range contracts {
		if coin.IsMemberTraffic(contract) {
			ids = append(ids, contract.ID)
		}
	}
	return ids
}

// refusalOnly are the effects of a refused submission.
func refusalOnly(submission ledger.Submission, at ledger.Position, refusal *fault.Fault) effects {
	return effects{decision: ledger.Decision{Completion: submission.CompletionAt(at).Refused(submission, refusal)}}
}

// pay charges the cost of a decision to the operator and the node. The error is a refusal to pay, a defect, or a
// failure of the database, which the view remembers.
func (b *block) pay(decision ledger.Decision) (effects, error) {
	book, err := b.provide(decision)
	if err != nil {
		return effects{}, err
	}
	account, err := b.charge(decision)
	if err != nil {
		return effects{}, err
	}
	return effects{decision: decision, traffic: &account, provided: book}, nil
}

// charge takes the cost of a submission from the node's traffic. The error is a refusal, or a defect.
func (b *block) charge(decision ledger.Decision) (ledger.TrafficAccount, error) {
	return b.head.Traffic.Charge(decision.Completion.PaidTrafficCost, created(decision), b.archived(decision),
		decision.Completion.RecordTime, b.activities.Traffic.Under(b.settings))
}

func created(decision ledger.Decision) []ledger.Contract {
	contracts := make([]ledger.Contract, len(decision.Created))
	for i := range decision.Created {
		contracts[i] = decision.Created[i].Contract
	}
	return contracts
}

// archived returns the contracts that a decision consumes, including those that the same transaction created.
func (b *block) archived(decision ledger.Decision) []ledger.Contract {
	known := make(map[ledger.ContractID]ledger.Contract, len(decision.Created))
	for _, created := range decision.Created {
		known[created.Contract.ID] = created.Contract
	}
	if decision.Transaction != nil {
		for _, input := range decision.Transaction.Inputs {
			known[input.ID] = input
		}
	}
	archived := make([]ledger.Contract, 0, len(decision.Archived))
	for _, id := range decision.Archived {
		if contract, ok := b.view.active[id]; ok {
			archived = append(archived, contract)
		} else if contract, ok := known[id]; ok {
			archived = append(archived, contract)
		}
	}
	return archived
}

// accountOf is the account that takes turns for the follow-up work of a submission: its user, or the party for which
// the node made it.
func accountOf(submission ledger.Submission) string {
	if isByNode(submission) && len(submission.ActAs) > 0 {
		return nodeFor(submission.ActAs[0])
	}
	return ledger.IdentityText(submission.Identity)
}

// isByNode reports whether the node made a submission by itself.
func isByNode(submission ledger.Submission) bool { return submission.Admission == "" }

// nodeFor is the account of the node's work for a party. No user has it, because user ids have no blanks.
func nodeFor(party ledger.Party) string { return "node for " + string(party) }

// follow makes the lifecycles of created and archived contracts due.
func (b *block) follow(decision ledger.Decision, submission ledger.Submission) ([]db.LifecycleChange, error) {
	var changes []db.LifecycleChange
	add := func(followed lifecycle.ContractWorkflow, created, changed []ledger.ContractID) {
		changes = append(changes, db.LifecycleChange{
			WorkflowID: followed.WorkflowID, Kind: followed.Kind, Parties: followed.Parties, Created: created,
			Changed: changed, Account: accountOf(submission), ByNode: isByNode(submission),
		})
	}
	note := func(contract ledger.Contract, created, changed []ledger.ContractID) error {
		followed, ok, err := follow(b.activities.Lifecycles, contract)
		if err != nil {
			return fmt.Errorf("find the lifecycle of contract %s: %w", contract.ID, err)
		}
		if ok {
			add(followed, created, changed)
		}
		return nil
	}
	for _, contract := range created(decision) {
		if err := note(contract, []ledger.ContractID{contract.ID}, nil); err != nil {
			return nil, err
		}
		woken, err := guarded(func() ([]lifecycle.ContractWorkflow, error) { return b.activities.Lifecycles.Wakes(contract) })
		if err != nil {
			return nil, fmt.Errorf("find the lifecycles that contract %s wakes: %w", contract.ID, err)
		}
		for _, followed := range woken {
			add(followed, nil, nil)
		}
	}
	for _, contract := range b.archived(decision) {
		if err := note(contract, nil, []ledger.ContractID{contract.ID}); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// follow returns the lifecycle of a contract; false if it needs none.
func follow(lifecycles *lifecycle.Registry, contract ledger.Contract) (lifecycle.ContractWorkflow, bool, error) {
	type answer struct {
		lifecycle.ContractWorkflow

		ok bool
	}
	followed, err := guarded(func() (answer, error) {
		followed, ok, err := lifecycles.Follow(contract)
		return answer{followed, ok}, err
	})
	return followed.ContractWorkflow, followed.ok, err
}

// track returns the changes of the requests of wallets by a transaction.
func track(network ledger.NetworkUpdate) ([]db.Tracked, error) {
	entries, err := tracking.Read(network)
	if err != nil {
		return nil, fmt.Errorf("find the outcome of a wallet's request: %w", err)
	}
	tracked := make([]db.Tracked, len(entries))
	for i, entry := range entries {
		state, err := json.Marshal(entry.State)
		if err != nil {
			return nil, fmt.Errorf("write the state of a wallet's request: %w", err)
		}
		tracked[i] = db.Tracked{
			TrackedID: db.TrackedID{
				Party: entry.Party, Requester: entry.Requester, Kind: string(entry.Kind), TrackingID: entry.TrackingID,
			},
			Offset: network.Update().Offset, State: state,
		}
	}
	return tracked, nil
}
