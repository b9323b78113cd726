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

// effects are everything that one submission does to the record. They are worked out before any of it is kept, so that
// a submission of which one effect cannot be told has none, but for its refusal.
type effects struct {
	decision ledger.Decision
	// traffic is the node's account after a submission that was ordered; nil for those that were refused before, which
	// cost nothing.
	traffic    *ledger.TrafficAccount
	lifecycles []db.LifecycleChange
	tracked    []db.Tracked
	// members are the contracts by which members' traffic changes.
	members db.TrafficMoves
	// history is who may have something in the history of its wallet.
	history []ledger.Party
	// provided is what the operator has paid for afterwards; nil where nothing of that changes.
	provided *provided.Book
}

// effects decides over a submission and works out what follows. The error is a defect of the rules, or a failure of the
// database, which the view remembers.
func (b *block) effects(submission opened, at ledger.Position) (effects, error) {
	if submission.refusal != nil {
		return refused(submission.Submission, at, submission.refusal), nil //nolint:nilerr // a decision, not a failure
	}
	user, known := b.users[submission.UserID]
	if refusal := submission.CheckAdmission(user, known); refusal != nil {
		return refused(submission.Submission, at, refusal), nil
	}
	if refusal := b.forgotten(submission.Submission); refusal != nil {
		return refused(submission.Submission, at, refusal), nil
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
		return effects{}, fmt.Errorf("tell whose history a transaction belongs to: %w", err)
	}
	out.members = db.TrafficMoves{
		Created: memberTraffic(created(decision)), Archived: memberTraffic(b.archived(decision)),
	}
	out.tracked, err = track(decision.Network)
	return out, err
}

// memberTraffic are those of some contracts that stand for traffic of a member.
func memberTraffic(contracts []ledger.Contract) (ids []ledger.ContractID) {
	for _, contract := range contracts {
		if coin.IsMemberTraffic(contract) {
			ids = append(ids, contract.ID)
		}
	}
	return ids
}

// refused are the effects of a submission that no rule accepts.
func refused(submission ledger.Submission, at ledger.Position, refusal *fault.Fault) effects {
	return effects{decision: ledger.Decision{Completion: submission.CompletionAt(at).Refused(submission, refusal)}}
}

// pay takes what a decision costs the operator and the node. The error is a refusal to pay, a defect, or a failure of
// the database, which the view remembers.
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

// charge takes what a submission that was ordered costs from the node's traffic. The error is a refusal, or a defect.
func (b *block) charge(decision ledger.Decision) (ledger.TrafficAccount, error) {
	return b.head.Traffic.Charge(decision.Completion.PaidTrafficCost, created(decision), b.archived(decision),
		decision.Completion.RecordTime, b.activities.Traffic.Under(b.settings))
}

// created are the contracts that a decision makes.
func created(decision ledger.Decision) []ledger.Contract {
	contracts := make([]ledger.Contract, len(decision.Created))
	for i := range decision.Created {
		contracts[i] = decision.Created[i].Contract
	}
	return contracts
}

// archived are the contracts that a decision consumes, those included that the same transaction created.
func (b *block) archived(decision ledger.Decision) []ledger.Contract {
	created := make(map[ledger.ContractID]ledger.Contract, len(decision.Created))
	for _, contract := range decision.Created {
		created[contract.Contract.ID] = contract.Contract
	}
	archived := make([]ledger.Contract, 0, len(decision.Archived))
	for _, id := range decision.Archived {
		if contract, ok := created[id]; ok {
			archived = append(archived, contract)
		} else if contract, ok := b.view.active[id]; ok {
			archived = append(archived, contract)
		}
	}
	return archived
}

// accountOf is who takes turns with others for what follows from a submission: the user who made it, or the party in
// whose name the node did.
func accountOf(submission ledger.Submission) string {
	if isByNode(submission) && len(submission.ActAs) > 0 {
		return nodeFor(submission.ActAs[0])
	}
	return ledger.IdentityText(submission.Identity)
}

// isByNode reports whether the node made a submission by itself.
func isByNode(submission ledger.Submission) bool { return submission.Admission == "" }

// nodeFor is the account of what the node does in the name of a party. No user has it: their ids have no blanks.
func nodeFor(party ledger.Party) string { return "node for " + string(party) }

// follow makes the lifecycles of contracts due that were created or archived, where they have any.
func (b *block) follow(decision ledger.Decision, submission ledger.Submission) ([]db.LifecycleChange, error) {
	var changes []db.LifecycleChange
	add := func(followed lifecycle.Followed, created, changed []ledger.ContractID) {
		changes = append(changes, db.LifecycleChange{
			WorkflowID: followed.WorkflowID, Kind: followed.Kind, Parties: followed.Parties, Created: created,
			Changed: changed, Account: accountOf(submission), ByNode: isByNode(submission),
		})
	}
	note := func(contract ledger.Contract, created, changed []ledger.ContractID) error {
		followed, ok, err := follow(b.activities.Lifecycles, contract)
		if err != nil {
			return fmt.Errorf("tell the lifecycle of contract %s: %w", contract.ID, err)
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
		woken, err := guarded(func() ([]lifecycle.Followed, error) { return b.activities.Lifecycles.Wakes(contract) })
		if err != nil {
			return nil, fmt.Errorf("tell the lifecycles that contract %s wakes: %w", contract.ID, err)
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

// follow says which workflow looks after a contract; false when it needs none.
func follow(lifecycles *lifecycle.Registry, contract ledger.Contract) (lifecycle.Followed, bool, error) {
	type answer struct {
		lifecycle.Followed

		ok bool
	}
	followed, err := guarded(func() (answer, error) {
		followed, ok, err := lifecycles.Follow(contract)
		return answer{followed, ok}, err
	})
	return followed.Followed, followed.ok, err
}

// track notes what a transaction did to the requests that wallets were given.
func track(network ledger.NetworkUpdate) ([]db.Tracked, error) {
	entries, err := tracking.Read(network)
	if err != nil {
		return nil, fmt.Errorf("tell what became of a wallet's request: %w", err)
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
