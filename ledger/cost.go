package ledger

import "slices"

// The unit of cost is one byte of a request. A commit takes about as long for it as for recordedPerCost bytes of the
// record; a signature costs signatureCost.
const (
	recordedPerCost = 8
	signatureCost   = 4 << 10
	// rolesOfParties is the number of roles, witnesses included, in which an event may name the same party.
	rolesOfParties = 4
	// usedBytes are the bytes of the record for the use of one contract, without the parties that the command names.
	usedBytes = 2 << 10
	// recordedPerSigned are the bytes of the record for each byte of a signed transaction: the transaction has all its
	// events, but not their witnesses.
	recordedPerSigned = 16
	// maxSignatures is the most signatures of one party that count: no party has more keys.
	maxSignatures = 20
)

// CommitCost estimates the cost of the commit in bytes of a request: the bytes of the request (0 for unknown) or the
// most that it may take in the record, whichever is more, and its signatures. It needs no decoding, so it is an upper
// estimate for commands that use many contracts in few bytes, and at most the cost of the longest commit.
func (s Submission) CommitCost(requested int) int {
	sent, recorded := 0, 0
	for _, command := range s.Commands {
		sent += command.size()
		recorded += command.recordedBytes()
	}
	signatures := 0
	if s.Signed != nil {
		recorded = recordedPerSigned * len(s.Signed.Transaction)
		for _, signed := range s.Signed.Signatures { // signatures of other parties are ignored
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

// CostOfRecorded is the cost of a commit by its bytes in the record, in the unit of [Submission.CommitCost]. A byte
// counts twice as much as in an estimate, because an estimate counts the most possible bytes.
func CostOfRecorded(bytes int64) int64 { return 2 * bytes / recordedPerCost }

// recordedBytes estimates the bytes of the record for a command. They are more than its arguments if it uses many
// contracts: the event of each may name all parties of the command in several roles.
func (c Command) recordedBytes() int {
	ids := Submission{Commands: []Command{c}}.MentionedContracts()
	rest := c.size()
	for _, id := range ids {
		rest -= len(id)
	}
	return c.size() + len(ids)*(usedBytes+rolesOfParties*max(rest, 0))
}
