// Package client calls a node over HTTP the way any client does: it knows the JSON of the ledger API and nothing
// of the node's own packages. Benchmarks and black-box tests drive nodes through it, so what they see is what a
// stranger would see.
package client
