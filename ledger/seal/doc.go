// Package seal makes and checks seals. A node seals what it sends through Temporal, which it does not trust:
// submissions and contributions to an onboarding. The activity that commits them checks the seal (package activities,
// seals.go).
//
// A seal is an HMAC-SHA256 over a canonical form of the value. The database stores the keys of the ledger: everybody
// who can read them can make seals. [Digest] hashes the same form without a key, for the chain of the record (package
// db, chain.go).
package seal
