package torture

import (
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

// History is everything that was recorded in one run.
type History struct {
	// Commits are the updates of the record, in its order.
	Commits []Commit
	// Refusals are the completions of refused submissions, in the order of the record.
	Refusals []Refusal
	// Others are the offsets of the record that are neither, such as refusals of the node's own submissions.
	Others []int64
	// Operations are what clients asked.
	Operations []Operation
	// Reads are states that readers were shown; each reader's in the order in which it made them.
	Reads []Read
	// Follows are the updates that readers were sent.
	Follows []Follow
}

// Contract is a contract that moves in a history. Amount is what it holds, nothing for one that is no coin.
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
	// Minted is what the update says that it minted, less what it burned.
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

// Outcome is what a client was told of an operation.
type Outcome int

// The outcomes.
const (
	// Unknown is no answer, or one that leaves it open.
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
	// Inputs are the contracts that it needs to be active.
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

// Read is the state that a reader was shown as of an offset, which the ledger had told it was its end.
type Read struct {
	Reader         string
	Started, Ended time.Duration
	Offset         int64
	// Active are the coins by contract id.
	Active map[string]Contract
}

// Follow is what a reader was sent that followed the updates after Begin, up to and including End.
type Follow struct {
	Reader     string
	Begin, End int64
	Offsets    []int64
}

// Rule names a promise of the ledger.
type Rule string

// The rules.
const (
	// NoGaps: every offset from 1 to the end belongs to exactly one thing, in order.
	NoGaps Rule = "offsets have no gaps"
	// ConsumedOnce: a contract is created once and archived at most once, later.
	ConsumedOnce Rule = "a contract is consumed at most once"
	// Conserved: at every offset the coins add up to what was minted.
	Conserved Rule = "supply is conserved"
	// EffectOnce: no command has two effects.
	EffectOnce Rule = "a command has at most one effect"
	// Acknowledged: what a client was told is in the record.
	Acknowledged Rule = "what was acknowledged is recorded"
	// RealTime: what had ended before something else began is before it in the record.
	RealTime Rule = "the record keeps the order of real time"
	// Prefix: every read shows exactly what a prefix of the commits leaves active.
	Prefix Rule = "every read is a prefix of the commits"
	// Recent: a read shows at least what was acknowledged, or shown to anyone, before it began.
	Recent Rule = "a read shows what was known before it began"
	// Complete: who follows gets every update once, in order.
	Complete Rule = "followers get every update once, in order"
	// TrueRefusal: the reason of every refusal holds where the refusal stands in the record.
	TrueRefusal Rule = "every refusal is true"
)

// Violation is something that a correct ledger cannot have done.
type Violation struct {
	Rule   Rule
	Offset int64
	Detail string
}
