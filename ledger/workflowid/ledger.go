package workflowid

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

// Ledger is the short id of a ledger. Its task queues, workflows and Schedules have names that begin with it, so that
// ledgers that share a namespace of Temporal do not meet.
type Ledger string

// ledgerDigits are few, so that people can read what comes after them.
const ledgerDigits = 8

var ofLedger = regexp.MustCompile(`^[0-9a-f]{8}:`)

// LedgerOf is the id of a ledger, by its participant id and the id of the database that holds it: a copy of the record
// has another one.
func LedgerOf(participant, database string) Ledger {
	hash := sha256.Sum256([]byte(participant + "\n" + database))
	return Ledger(hex.EncodeToString(hash[:])[:ledgerDigits])
}

// Name is what Temporal knows something of the ledger by.
func (l Ledger) Name(local string) string { return string(l) + ":" + local }

// Local is what the ledger itself knows by a [Ledger.Name].
func Local(name string) string { return name[len(ofLedger.FindString(name)):] }
