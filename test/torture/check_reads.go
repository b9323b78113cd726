package torture

import (
	"cmp"
	"slices"
	"time"
)

// knownOffset is an offset that a client knew from a time on.
type knownOffset struct {
	since  time.Duration
	offset int64
	who    string
}

// reads checks the states that readers got, and that they are not older than a known offset.
func (c *checker) reads() {
	var facts []knownOffset
	for _, operation := range c.history.Operations {
		if operation.Outcome == Accepted {
			facts = append(facts, knownOffset{operation.Ended, operation.Offset, "command " + operation.CommandID})
		}
	}
	for _, read := range c.history.Reads {
		facts = append(facts, knownOffset{read.Ended, read.Offset, "reader " + read.Reader})
	}
	slices.SortFunc(facts, func(a, b knownOffset) int { return cmp.Compare(a.since, b.since) })
	reads := slices.SortedFunc(slices.Values(c.history.Reads),
		func(a, b Read) int { return cmp.Compare(a.Started, b.Started) })
	var last knownOffset
	for _, read := range reads {
		for len(facts) > 0 && facts[0].since < read.Started {
			if facts[0].offset > last.offset {
				last = facts[0]
			}
			facts = facts[1:]
		}
		if read.Offset < last.offset {
			c.report(Recent, read.Offset, "%s read %d after %s had shown %d", read.Reader, read.Offset, last.who, last.offset)
		}
		c.prefix(read)
	}
}

// prefix checks that a read has exactly the contracts that are active at its offset.
func (c *checker) prefix(read Read) {
	if read.Offset > c.end {
		c.report(Prefix, read.Offset, "%s read beyond the end, %d", read.Reader, c.end)
	}
	for id, shown := range read.Active {
		known := c.life[id]
		if !known.activeAt(read.Offset) {
			c.report(Prefix, read.Offset, "%s got contract %s, which is not active there", read.Reader, id)
			continue
		}
		if known.contract.Owner != shown.Owner || !known.contract.Amount.Equal(shown.Amount) {
			c.report(Prefix, read.Offset, "%s got contract %s with %s of %s, but it has %s of %s", read.Reader, id,
				shown.Amount, shown.Owner, known.contract.Amount, known.contract.Owner)
		}
	}
	for id, known := range c.life {
		_, shown := read.Active[id]
		if isCoin := known.contract.Amount.Sign() > 0; isCoin && !shown && known.activeAt(read.Offset) {
			c.report(Prefix, read.Offset, "%s did not get contract %s, which is active there", read.Reader, id)
		}
	}
}

// follows checks that followers got every update once and in order.
func (c *checker) follows() {
	for _, follow := range c.history.Follows {
		var expected []int64
		for _, commit := range c.history.Commits {
			if commit.Offset > follow.Begin && commit.Offset <= follow.End {
				expected = append(expected, commit.Offset)
			}
		}
		if slices.Equal(expected, follow.Offsets) {
			continue
		}
		for i, offset := range follow.Offsets {
			if i >= len(expected) || offset != expected[i] {
				c.report(Complete, offset, "%s got %d as its update number %d", follow.Reader, offset, i+1)
				break
			}
		}
		if len(follow.Offsets) < len(expected) {
			c.report(Complete, follow.End, "%s got %d updates of %d", follow.Reader, len(follow.Offsets), len(expected))
		}
	}
}

// submission names one submission.
type submission struct{ command, id string }

// refusals checks that the reason of each refusal is true at its offset.
func (c *checker) refusals() {
	recorded := map[submission]Refusal{}
	for _, refusal := range c.history.Refusals {
		recorded[submission{refusal.CommandID, refusal.SubmissionID}] = refusal
	}
	for _, operation := range c.history.Operations {
		refusal, ok := recorded[submission{operation.CommandID, operation.SubmissionID}]
		switch {
		case operation.Outcome == Refused && !ok:
			c.report(Acknowledged, 0, "command %s was refused with %s, but the record has no refusal", operation.CommandID,
				operation.Code)
		case operation.Outcome == Refused && operation.Code != refusal.Code:
			c.report(Acknowledged, refusal.Offset, "command %s was refused with %s, but the record has %s",
				operation.CommandID, operation.Code, refusal.Code)
		case ok && !c.isTrue(operation, refusal):
			c.report(TrueRefusal, refusal.Offset, "command %s was refused with %s without a reason", operation.CommandID,
				refusal.Code)
		}
	}
}

// isTrue reports whether a refusal has a reason: an input that is not active, a command that was accepted before, or a
// missed deadline.
func (c *checker) isTrue(operation Operation, refusal Refusal) bool {
	switch refusal.Code {
	case "CONTRACT_NOT_FOUND", "LOCAL_VERDICT_INACTIVE_CONTRACTS":
		return slices.ContainsFunc(operation.Inputs, func(id string) bool { return !c.life[id].activeAt(refusal.Offset) })
	case "DUPLICATE_COMMAND":
		before, ok := c.effects[operation.CommandID]
		return ok && before < refusal.Offset
	default:
		late := !operation.NotAfter.IsZero() && !refusal.RecordTime.Before(operation.NotAfter)
		early := !operation.NotBefore.IsZero() && refusal.RecordTime.Before(operation.NotBefore)
		return late || early
	}
}
