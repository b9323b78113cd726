package ledger

import (
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// MaxTransactionBytes limits the events of a transaction in the record: values, ids, names, and every party in every
// role of every event. It is far below the limit of one answer, so that every witness can read the transaction.
const MaxTransactionBytes = 8 << 20

// The limits of a transaction grow with the bytes of its commands, so that a short request cannot hold the head lock
// for long: a choice that returns its contract, exercised a thousand times, would make a thousand copies of it. The
// interpreter counts the bytes of the record as it goes: every event names its parties again, and the witnesses of the
// events above it.
const (
	// freeBytes, bytesPerByte and smallBytes are for payloads, arguments and results. A few contracts of the largest size
	// are free, and the first bytes of each value.
	freeBytes    = 4 * MaxContractBytes
	bytesPerByte = 8
	smallBytes   = 64
	// freeMentions and bytesPerMention are for parties in all roles of all nodes.
	freeMentions    = 20_000
	bytesPerMention = 16
	// freeReads and readsPerByte are for payloads of input contracts. A command names a contract by an id of 138
	// characters.
	freeReads    = 2 << 20
	readsPerByte = 16
)

type allowance struct{ bytes, record, mentions, reads quota }

type quota struct{ limit, left int }

func newQuota(limit int) quota { return quota{limit, limit} }

func (q *quota) taken() int { return q.limit - q.left }

func (q *quota) take(amount int, what string) error {
	if q.left -= amount; q.left >= 0 {
		return nil
	}
	subject := "commands of this size"
	if q.limit == MaxTransactionBytes {
		subject = "one transaction"
	}
	return fault.DamlInterpretationError.New(
		"Interpretation error: the %s exceed the limit of %d for %s", what, q.limit, subject).
		WithHint("Split the commands over several submissions.")
}

func newAllowance(commands []Command) allowance {
	size := 0
	for _, command := range commands {
		size += command.size()
	}
	return allowance{
		bytes:    newQuota(min(MaxTransactionBytes, freeBytes+bytesPerByte*size)),
		record:   newQuota(MaxTransactionBytes),
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

func (a *allowance) takeValue(size int) error {
	counted := max(size-smallBytes, 0)
	if err := a.bytes.take(counted, "bytes of the transaction's payloads, arguments and results"); err != nil {
		return err
	}
	return a.takeRecord(size)
}

func (a *allowance) takeRecord(size int) error {
	return a.record.take(size, "bytes of the transaction's events in the record, with all witnesses,")
}

// takeNode counts the bytes of a node in the record without its values.
func (a *allowance) takeNode(node TxNode, witnesses []Party) error {
	parties := len(node.Signatories) + len(node.Observers) + len(node.ActingParties) + len(node.ChoiceObservers)
	if err := a.mentions.take(parties, "parties in the transaction"); err != nil {
		return err
	}
	return a.takeRecord(node.recordedBytes(witnesses))
}

const (
	// recordedEventBytes, exerciseBytes and keyBytes are the bytes of an event in the record beside its values, names and
	// parties: field labels, numbers and the contract id. Exercises and contracts with keys add some.
	recordedEventBytes = 320
	exerciseBytes      = 112
	keyBytes           = 48
	// partyBytes are the quotes and the comma of a party.
	partyBytes = 3
)

// recordedBytes is the most bytes of the node's event in the record, without its argument and result.
func (n TxNode) recordedBytes(witnesses []Party) int {
	size := recordedEventBytes + sizeOfName(n.Template) + len(n.PackageName) +
		sizeOfParties(n.Signatories, n.Observers, n.ActingParties, witnesses)
	if n.Kind != EventCreate {
		size += exerciseBytes + len(n.Choice)
	}
	if n.Interface != nil {
		size += sizeOfName(*n.Interface)
	}
	if n.Key != nil {
		size += keyBytes + len(n.Key.Value) + len(n.Key.Hash) + sizeOfParties(n.Key.Maintainers)
	}
	return size
}

func sizeOfName(name lf.TypeName) int {
	return len(name.Package) + len(name.Module) + len(name.Entity) + len("::")
}

func sizeOfParties(lists ...[]Party) (size int) {
	for _, list := range lists {
		for _, party := range list {
			size += len(party) + partyBytes
		}
	}
	return size
}

func (tx *Tx) read(contract Contract) error {
	return tx.allowed.reads.take(len(contract.Payload), "bytes of the contracts that the transaction uses")
}
