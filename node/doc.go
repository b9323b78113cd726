// Package node is one process of a node: what it starts, in which order, what it watches, and how it stops.
//
// [Start] starts the parts in order: the record, Temporal, the ledger's identity, the worker, the API. A process may
// run the API, the worker, or both ([Roles]). Settings are structs with the flags of the command line as tags; package
// main fills them.
package node
