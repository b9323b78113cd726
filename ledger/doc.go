// Package ledger holds the rules of the ledger: what parties, contracts, commands, transactions and completions are,
// how a submission is interpreted into a transaction, who must authorize it, who sees it, and which submissions are
// duplicates.
//
// It is pure. Nothing here knows the clock, the database, HTTP or a log: time, contracts and randomness are arguments,
// refusals are returned as *fault.Fault values. It may import packages fault, decimal and ledger/lf and the standard
// library, never anything above it. Contract templates (package coin and others) register themselves through
// [Package] and [NewPackages]; this package knows none of them.
package ledger
