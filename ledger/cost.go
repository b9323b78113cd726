package ledger

import "slices"

// What the commit of a submission costs those who wait behind it, in bytes of a request: a commit takes about as long
// for each of them as for recordedPerCost bytes of the record, and for a signature as for signatureCost of them.
const (
	recordedPerCost = 8
	signatureCost   = 4 << 10
	// rolesOfParties is in how many roles an event may name the same party, with those who see it.
	rolesOfParties = 4
	// usedBytes is what using one contract takes in the record, beside the parties that the command names.
	usedBytes = 2 << 10
	// recordedPerSigned is what a signed transaction takes in the record for each of its bytes: it has all of its events,
	// but not who sees them.
	recordedPerSigned = 16
	// maxSignatures is how many signatures of one party count: no party has more keys.
	maxSignatures = 20
)

// CommitCost estimates what the commit of the submission costs, in bytes of a request, when its own has so many (0 when
// nobody knows): those, or what it may take in the record if that is more, and its signatures. It is known before
// anything is decoded, so it is an upper estimate for those who use many contracts in few bytes, and never more than
// the longest commit costs.
func (s Submission) CommitCost(requested int) int {
	sent, recorded := 0, 0
	for _, command := range s.Commands {
		sent += command.size()
		recorded += command.recordedBytes()
	}
	signatures := 0
	if s.Signed != nil {
		recorded = recordedPerSigned * len(s.Signed.Transaction)
		for _, signed := range s.Signed.Signatures { // those of others are not looked at
			if slices.Contains(s.ActAs, signed.Party) {
				signatures += min(len(signed.Signatures), maxSignatures)
			}
		}
		if s.Signed.Multihash { // they are verified over both forms of the hash
			signatures *= 2
		}
	}
	return max(requested, sent, min(recorded, MaxTransactionBytes)/recordedPerCost) + signatures*signatureCost
}

// CostOfRecorded is what a commit costs for what it recorded, in the unit of [Submission.CommitCost]. It counts twice
// as much as in an estimate, which is of the most that may be recorded.
func CostOfRecorded(bytes int64) int64 { return 2 * bytes / recordedPerCost }

// recordedBytes estimates what the command takes in the record, which is more than its arguments when it uses many
// contracts: the event of each may name all parties that the command names, in several roles.
func (c Command) recordedBytes() int {
	ids := Submission{Commands: []Command{c}}.MentionedContracts()
	rest := c.size()
	for _, id := range ids {
		rest -= len(id)
	}
	return c.size() + len(ids)*(usedBytes+rolesOfParties*max(rest, 0))
}
