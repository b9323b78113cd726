// Package topology has the topology transactions: which keys control a namespace, which keys sign for a party, and
// which participants host it. It reads and writes them ([Parse], [Encode]), makes those for a new external party
// ([Generate]), and decides on a request to onboard one ([ParseRequest], [Request.Onboarding], [Onboarding.Authorize]).
//
// The hash of a topology transaction covers its bytes, so the node keeps received bytes and never encodes them again.
// Signatures are over the hash of one transaction, or over the hash of all transactions of a request together.
//
// The package is pure: the node and its data are arguments.
package topology
