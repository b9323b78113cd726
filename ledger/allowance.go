package ledger

import "github.com/florinledger/florin/fault"

// What a transaction may hold and read grows with its commands, so that few bytes of a request cannot keep the head of
// the record, and everybody behind it, busy for long: a choice that returns its contract, exercised a thousand times,
// would make a thousand copies of it.
const (
	// freeBytes and bytesPerByte: payloads, arguments and results, up to MaxTransactionBytes.
	freeBytes    = 1 << 20
	bytesPerByte = 8
	// freeMentions and bytesPerMention: parties in all roles of all nodes. An event names them once for each role.
	freeMentions    = 20_000
	bytesPerMention = 16
	// freeReads and readsPerByte: payloads that are read of contracts from before the transaction. A contract id, with
	// which a command names one, has 138 characters.
	freeReads    = 2 << 20
	readsPerByte = 16
)

// allowance is what a transaction may still hold and read.
type allowance struct{ bytes, mentions, reads quota }

// quota is a limit and what is left of it.
type quota struct{ limit, left int }

func newQuota(limit int) quota { return quota{limit, limit} }

// take takes from what is left, and refuses what exceeds it.
func (q *quota) take(amount int, what string) error {
	if q.left -= amount; q.left >= 0 {
		return nil
	}
	return fault.DamlInterpretationError.New(
		"Interpretation error: the %s exceed %d, which is what commands of this size may have", what, q.limit).
		WithHint("Split the commands over several submissions.")
}

func newAllowance(commands []Command) allowance {
	size := 0
	for _, command := range commands {
		size += command.size()
	}
	return allowance{
		bytes:    newQuota(min(MaxTransactionBytes, freeBytes+bytesPerByte*size)),
		mentions: newQuota(freeMentions + size/bytesPerMention),
		reads:    newQuota(freeReads + readsPerByte*size),
	}
}

// size is how many bytes of a request the command has, about.
func (c Command) size() int {
	size := 0
	if c.Create != nil {
		size += len(c.Create.Argument)
	}
	if c.Exercise != nil {
		size += len(c.Exercise.Contract) + len(c.Exercise.Argument)
	}
	if c.ExerciseByKey != nil {
		size += len(c.ExerciseByKey.Key) + len(c.ExerciseByKey.Argument)
	}
	if c.CreateAndExercise != nil {
		size += len(c.CreateAndExercise.CreateArgument) + len(c.CreateAndExercise.ChoiceArgument)
	}
	return size
}

// mention counts the parties of a node.
func (tx *Tx) mention(node TxNode) error {
	parties := len(node.Signatories) + len(node.Observers) + len(node.ActingParties) + len(node.ChoiceObservers)
	return tx.allowed.mentions.take(parties, "parties in the transaction")
}

// read counts a contract from before the transaction.
func (tx *Tx) read(contract Contract) error {
	return tx.allowed.reads.take(len(contract.Payload), "bytes of the contracts that the transaction uses")
}
