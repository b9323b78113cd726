package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/florinledger/florin/ledger/fault"
)

// Position is the place of a submission in the record.
type Position struct {
	Offset     Offset
	RecordTime time.Time
}

// Circumstances are the inputs of a decision beside the submission.
type Circumstances struct {
	Packages *Packages
	Network  Network
	Store    Store
	Payloads *Payloads
	// Secret is the node's secret; the seed of the transaction derives from it.
	Secret []byte
	// Previous is the last accepted submission of the same change id, nil when there is none.
	Previous      *AcceptedChange
	Deduplication DeduplicationRules
	// IsLocal and IsKnown report whether this node hosts a party and whether anyone knows it. The error is a failure of
	// the store.
	IsLocal func(Party) (bool, error)
	IsKnown func(Party) (bool, error)
	// MaySubmit says whether the node itself may authorize submissions of a party that it hosts: not those of external
	// parties, which sign with keys of their own.
	MaySubmit func(Party) bool
	// External is set for submissions of signed transactions, and only for them.
	External *External
	// IsActive reports whether a contract is active, for the reads of Ahead; nil to ask Store.
	IsActive func(ContractID) (bool, error)
	// Ahead is the interpretation before the decision; nil for none.
	Ahead *Ahead
	// Budget limits the cost and time of code of uploaded packages; nil for a default budget without a deadline.
	Budget *Budget
}

// Decision is the result of a submission: always a completion; for an accepted one also the update and the changes to
// the active contracts.
type Decision struct {
	Completion Completion
	Update     *Update
	// Transaction is the tree of an accepted submission.
	Transaction *Transaction
	// Network is the part of the update that is about contracts of the network; zero without an update.
	Network NetworkUpdate
	Created []CreatedContract
	// Archived lists the consumed contracts, including those that the same transaction created.
	Archived []ContractID
}

// Decide turns a submission into its completion at a position of the record. A refusal is part of the decision; the
// error is [ErrTooEarly], [ErrLongCode], a failure of the store, or the end of the budget's context, after which nothing
// has happened.
func Decide(s Submission, at Position, c Circumstances) (Decision, error) {
	if c.External == nil && s.TooEarly(at.RecordTime) {
		return Decision{}, ErrTooEarly
	}
	decision := Decision{Completion: s.CompletionAt(at)}
	if c.External != nil {
		decision.Completion.ExternalHash = hex.EncodeToString(c.External.Hash[:])
	}
	period, refusal := Deduplicate(s, c.Previous, c.Deduplication)
	decision.Completion.Deduplication = period
	if refusal != nil {
		decision.Completion = decision.Completion.Refused(s, refusal)
		return decision, nil
	}
	if refusal := s.checkAge(c.Deduplication); refusal != nil {
		decision.Completion = decision.Completion.Refused(s, refusal)
		return decision, nil
	}
	if c.Budget == nil {
		c.Budget = ownBudget()
	}
	ordered, err := c.order(s, at)
	if c.Budget.IsTooShort() {
		return Decision{}, ErrLongCode
	}
	decision.Completion.CodeCost = c.Budget.Cost()
	if c.Ahead != nil {
		decision.Completion.CodeCost += c.Ahead.cost
	}
	if refused, ok := fault.As(err); ok {
		decision.Completion = decision.Completion.Refused(s, refused)
		return decision, nil
	}
	if err != nil {
		return Decision{}, err
	}
	decision.Completion.PaidTrafficCost = ordered.cost()
	if ordered.verdict != nil {
		decision.Completion = decision.Completion.Refused(s, ordered.verdict)
		return decision, nil //nolint:nilerr // a refusal is a decision, not a failure
	}
	transaction := ordered.transaction
	if refusal := checkAhead(transaction, at); refusal != nil {
		decision.Completion = decision.Completion.Refused(s, refusal)
		return decision, nil
	}
	decision.Transaction = &transaction
	decision.Created, decision.Archived = transaction.Created(), transaction.Consumed()
	decision.Update = newUpdate(s, at, ordered, SubmissionSeed(c.Secret, s.Key))
	decision.Update.ExternalHash = decision.Completion.ExternalHash
	decision.Network = transaction.InNetwork(*decision.Update)
	decision.Completion.UpdateID = decision.Update.ID
	return decision, nil
}

// orderedTransaction is a submission that the synchronizer orders. It costs traffic even if its verdict is a refusal.
type orderedTransaction struct {
	transaction Transaction
	events      []Event
	encoded     []byte // the events
	// verdict is the refusal; nil if it is accepted.
	verdict *fault.Fault
}

// cost is the traffic in bytes, as [TrafficCost] counts it.
func (o orderedTransaction) cost() int64 { return int64(len(o.encoded)) }

// order computes the transaction of a submission. A fault refuses it before the synchronizer orders it; other errors
// are failures of the store.
func (c Circumstances) order(s Submission, at Position) (orderedTransaction, error) {
	if err := c.checkSubmitters(s); err != nil {
		return orderedTransaction{}, err
	}
	if c.External == nil {
		return c.interpret(s, at, c.environment(s, at))
	}
	if err := c.External.admit(at); err != nil {
		return orderedTransaction{}, err
	}
	env := c.environment(s, at)
	env.EffectiveAt, env.Prepared = c.External.effectiveTime(s, at), &c.External.Run
	verdict, err := c.External.verdict(s, at, c.Store)
	switch {
	case err != nil:
		return orderedTransaction{}, err
	case verdict == nil:
		return c.interpret(s, at, env)
	}
	env.Store = preparedStore{Store: c.Store, inputs: s.Disclosed}
	out, err := c.interpret(s, at, env)
	if _, refused := fault.As(err); refused {
		return orderedTransaction{}, verdict // the synchronizer does not order a refused one
	}
	out.verdict = verdict
	return out, err
}

func (c Circumstances) environment(s Submission, at Position) Environment {
	return Environment{
		Packages: c.Packages, Store: c.Store, EffectiveAt: at.RecordTime, Seed: SubmissionSeed(c.Secret, s.Key),
		Payloads: c.Payloads, Network: c.Network, Budget: c.Budget,
	}
}

func (c Circumstances) interpret(s Submission, at Position, env Environment) (orderedTransaction, error) {
	ordered, err := c.transaction(s, at, env)
	if err != nil {
		return orderedTransaction{}, err
	}
	if c.External != nil {
		if err := c.External.Verify(ordered.transaction); err != nil {
			return orderedTransaction{}, err
		}
	}
	if err := CheckInformees(ordered.transaction, c.IsKnown); err != nil {
		return orderedTransaction{}, err
	}
	return ordered, nil
}

// transaction is the interpretation ahead, if it still holds, or a new one.
func (c Circumstances) transaction(s Submission, at Position, env Environment) (orderedTransaction, error) {
	holds, err := c.Ahead.holds(c, at)
	switch {
	case err != nil:
		return orderedTransaction{}, err
	case holds && c.Ahead.refusal != nil:
		return orderedTransaction{}, c.Ahead.refusal
	case holds:
		return c.Ahead.ordered, nil
	}
	transaction, err := Interpret(s, env)
	if err != nil {
		return orderedTransaction{}, err
	}
	return orderedOf(transaction)
}

func orderedOf(transaction Transaction) (orderedTransaction, error) {
	events := transaction.Events()
	encoded, err := EncodeEvents(events)
	return orderedTransaction{transaction: transaction, events: events, encoded: encoded}, err
}

// checkSubmitters refuses parties that this node cannot submit for.
func (c Circumstances) checkSubmitters(s Submission) error {
	for _, party := range s.ActAs {
		local, err := c.IsLocal(party)
		switch {
		case err != nil:
			return err
		case !local:
			return noSubmission(party, "is not hosted here").
				WithHint("Allocate the party with POST /v2/parties, or correct actAs.")
		case c.External == nil && !c.MaySubmit(party):
			return noSubmission(party, "signs its transactions itself").
				WithHint("Call POST /v2/interactive-submission/prepare, sign the hash, then call execute.")
		}
	}
	return nil
}

func noSubmission(party Party, reason string) *fault.Fault {
	return fault.NoSynchronizerOnWhichAllSubmittersCanSubmit.New(
		"Not connected to a synchronizer on which all submitters can submit: %s %s", party, reason).
		With("unknown submitters", string(party))
}

// CheckInformees refuses a transaction with an unknown party among its informees. Errors other than faults come from
// isKnown.
func CheckInformees(transaction Transaction, isKnown func(Party) (bool, error)) error {
	for _, party := range transaction.Informees() {
		known, err := isKnown(party)
		if err != nil {
			return err
		}
		if !known {
			return fault.UnknownInformees.New(
				"The participant is not connected to any synchronizer where the given informees are known: %s", party).
				WithHint("Allocate the party first, or correct the party id in the command.")
		}
	}
	return nil
}

func newUpdate(s Submission, at Position, ordered orderedTransaction, seed [32]byte) *Update {
	hash := sha256.New()
	hash.Write([]byte("florin update\x00"))
	hash.Write(seed[:])
	writeText(hash, formatOffset(at.Offset))
	return &Update{
		Offset: at.Offset, ID: UpdateID("1220" + hex.EncodeToString(hash.Sum(nil))), RecordTime: at.RecordTime,
		EffectiveAt: ordered.transaction.EffectiveAt, UserID: s.UserID, CommandID: s.CommandID, WorkflowID: s.WorkflowID,
		ActAs: s.ActAs, Trace: s.Trace, PaidTrafficCost: ordered.cost(),
		Events: ordered.events, EncodedEvents: ordered.encoded,
	}
}
