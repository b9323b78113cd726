// Package client calls a node over HTTP as any client does: it knows the JSON of the ledger API and nothing of the
// node's packages. Benchmarks and black-box tests use it, so they see what any other client sees.
package client
