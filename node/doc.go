// Package node is one process of a node: what it starts, in which order, what it watches, and how it stops.
//
// [Start] takes the parts one on another: the record, Temporal, the ledger's identity, the worker, the API. A process may
// play the API, the worker, or both ([Roles]). Settings are structs with the flags of the command line as tags; package
// main fills them.
package node
