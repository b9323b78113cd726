// Package seal makes and checks seals: codes by which a node recognizes its own words after they went through hands that
// it does not trust. A seal protects what Temporal carries and what the database keeps:
//
//   - a submission, and a contribution to an onboarding, on their way through Temporal: the activity that commits them
//     checks the seal (package activities, seals.go);
//   - an update, a completion and an uploaded package in the record, and how far the audit has come: the audit checks
//     them (package audit: entries.go, packages.go, checkpoint.go).
//
// A seal is an HMAC-SHA256 over a canonical form of the value. Its keys are the ledger's: the database keeps them, and
// whoever can read them there can make seals.
package seal
