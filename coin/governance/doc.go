// Package governance holds the contract by which a network says who runs it: upstream's package splice-dso-governance,
// as far as clients read it. A network of one node has one super validator, which nobody votes in or out, so the
// contract has no choices here but Archive.
//
// The package is pure.
package governance
