package workflowid

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

// Ledger is the short id of a ledger. The names of its task queues, workflows and Schedules begin with it, so that
// several ledgers can share a namespace of Temporal.
type Ledger string

// ledgerDigits is small, so that people can read the rest of the name.
const ledgerDigits = 8

var ofLedger = regexp.MustCompile(`^[0-9a-f]{8}:`)

// LedgerOf is the id of a ledger, from its participant id and the id of its database, so that a copy of the record has
// another id.
func LedgerOf(participant, database string) Ledger {
	hash := sha256.Sum256([]byte(participant + "\n" + database))
	return Ledger(hex.EncodeToString(hash[:])[:ledgerDigits])
}

// Name is the name in Temporal of an id on the ledger.
func (l Ledger) Name(local string) string { return string(l) + ":" + local }

// Local is the id on the ledger of a [Ledger.Name].
func Local(name string) string { return name[len(ofLedger.FindString(name)):] }
