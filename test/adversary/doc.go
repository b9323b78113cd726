// Package adversary attacks a running node with the rights of an ordinary user, while other users work on it, and
// checks that they notice nothing.
//
// Two nodes run side by side: the adversary attacks one, the other is quiet. Bystanders do the same on both, step by
// step. They must get the same answers on both: balances, statuses, completions, the network's rounds, supply and
// traffic. The times may differ within wide limits. So a test needs no predictions, and on a busy machine both nodes
// are slow.
//
// The adversary derives its requests from the node's OpenAPI and AsyncAPI documents and from the built-in templates. It
// tries each route, template and choice before it repeats any. All random choices come from the seed and the number of
// the step, so a part of a run is repeatable.
package adversary
