// Package topology is about the transactions that say who is who: which keys hold a namespace, which keys sign for a
// party, and which participants host it. It reads and writes them ([Parse], [Encode]), makes those that a new external
// party needs ([Generate]), and decides over a request to onboard one ([ParseRequest], [Request.Onboarding],
// [Onboarding.Authorize]).
//
// The hash of a topology transaction is over its bytes as they are, so bytes that were received are kept and never
// written anew. Signatures are over the hash of one transaction, or over the hash of all transactions of a request
// together.
//
// The package is pure: what the node is and what it knows are arguments.
package topology
