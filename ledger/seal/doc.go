// Package seal makes and checks seals: codes by which a node recognizes its own words after they went through Temporal,
// which it does not trust. A submission has one, and so has a contribution to an onboarding; the activity that commits
// them checks it (package activities, seals.go).
//
// A seal is an HMAC-SHA256 over a canonical form of the value. Its keys are the ledger's: the database keeps them, and
// whoever can read them there can make seals. [Digest] hashes the same form without a key, for the chain of the record
// (package db, chain.go).
package seal
