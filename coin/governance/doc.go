// Package governance has the contract that names the operators of a network: upstream's package splice-dso-governance,
// as far as clients read it. A network of one node has one super validator, which nobody votes in or out, so the
// contract has no choice except Archive.
//
// The package is pure.
package governance
