// Package lf holds the values of the ledger's contract language: their kinds, their type descriptions, their JSON
// form and their mapping to Go types.
//
// A contract template's payload, a choice's argument and its result are ordinary Go structs whose fields carry an `lf`
// tag. [TypesOf] reads one type description from such a struct; JSON decoding, JSON encoding, and conversion to and
// from the generic [Value] tree (which the node stores, shows and hashes) all follow from that one description.
//
// The package is pure: standard library and package decimal only.
package lf
