package torture

import (
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

// History is the recorded history of one run.
type History struct {
	// Commits are the updates of the record, in its order.
	Commits []Commit
	// Refusals are the completions of refused submissions, in the order of the record.
	Refusals []Refusal
	// Others are the offsets of the record that are neither, such as refusals of the node's own submissions.
	Others []int64
	// Operations are the requests of clients.
	Operations []Operation
	// Reads are the states that readers got; those of one reader are in the order of its requests.
	Reads []Read
	// Follows are the updates that followers got.
	Follows []Follow
}

// Contract is a contract in a history. Amount is the amount of a coin, and 0 for other contracts.
type Contract struct {
	ID     string
	Owner  string
	Amount decimal.Decimal
}

// Commit is an update.
type Commit struct {
	Offset    int64
	UpdateID  string
	CommandID string
	Created   []Contract
	Archived  []string
	// Minted is the minted minus the burned amount, as the update says.
	Minted decimal.Decimal
}

// Refusal is the completion of a refused submission.
type Refusal struct {
	Offset       int64
	CommandID    string
	SubmissionID string
	Code         string
	RecordTime   time.Time
}

// Outcome is the outcome of an operation in the answer to the client.
type Outcome int

// The outcomes.
const (
	// Unknown is no answer, or an answer without an outcome.
	Unknown Outcome = iota
	// Accepted is a committed submission.
	Accepted
	// Refused is a submission that ended in a refusal.
	Refused
)

// Operation is one submission of a client. Started and Ended are times of one clock for all clients.
type Operation struct {
	CommandID    string
	SubmissionID string
	// Inputs are the contracts that must be active for it.
	Inputs []string
	// NotAfter and NotBefore are deadlines that the operation must keep; zero for none.
	NotAfter, NotBefore time.Time

	Started, Ended time.Duration
	Outcome        Outcome
	// Offset and UpdateID of an accepted one, Code of a refused one.
	Offset   int64
	UpdateID string
	Code     string
}

// Read is the state that a reader got at an offset, which was the end of the ledger before the read.
type Read struct {
	Reader         string
	Started, Ended time.Duration
	Offset         int64
	// Active are the coins by contract id.
	Active map[string]Contract
}

// Follow is the updates that a follower got after Begin, up to and including End.
type Follow struct {
	Reader     string
	Begin, End int64
	Offsets    []int64
}

// Rule names a promise of the ledger.
type Rule string

// The rules.
const (
	// NoGaps: every offset from 1 to the end has exactly one entry, in order.
	NoGaps Rule = "offsets have no gaps"
	// ConsumedOnce: a contract is created once and archived at most once, later.
	ConsumedOnce Rule = "a contract is consumed at most once"
	// Conserved: at every offset the sum of the coins is the minted amount.
	Conserved Rule = "supply is conserved"
	// EffectOnce: no command has two effects.
	EffectOnce Rule = "a command has at most one effect"
	// Acknowledged: the record agrees with the answers to clients.
	Acknowledged Rule = "what was acknowledged is recorded"
	// RealTime: if one operation ends before another begins, it is first in the record.
	RealTime Rule = "the record keeps the order of real time"
	// Prefix: every read has exactly the active contracts after a prefix of the commits.
	Prefix Rule = "every read is a prefix of the commits"
	// Recent: a read includes everything that was acknowledged, or shown to anybody, before it began.
	Recent Rule = "a read shows what was known before it began"
	// Complete: a follower gets every update once, in order.
	Complete Rule = "followers get every update once, in order"
	// TrueRefusal: the reason of every refusal is true at its offset.
	TrueRefusal Rule = "every refusal is true"
)

// Violation is something that a correct ledger cannot have done.
type Violation struct {
	Rule   Rule
	Offset int64
	Detail string
}
