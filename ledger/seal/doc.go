// Package seal makes and checks seals: codes by which a node knows its own words again after they went through hands
// that it does not trust. Submissions and contributions to onboardings carry one on their way through Temporal, and the
// updates and completions of the record carry one.
//
// A seal is an HMAC-SHA256 over a canonical form of the value. Its keys are the ledger's: they are kept in the
// database, and whoever can read them there can make seals.
package seal
