// Package adversary attacks a running node with the means of an ordinary user, while others work on it, and looks for
// any change that they notice.
//
// Two nodes run side by side: on one there is the adversary, the other is quiet. The same bystanders do the same on
// both, step by step. Whatever they are told must be the same on both: balances, statuses, completions, the network's
// rounds, supply and traffic. How long it takes may differ within generous bounds. So nothing has to be predicted, and
// a node that is slow because its machine is busy has a twin that is as slow.
//
// What the adversary tries is made from what the node says of itself, its OpenAPI and AsyncAPI documents, and from the
// built-in templates: each route, template and choice is tried before any is tried again. All random choices come from
// the seed and the number of the step, so that a run can be repeated in parts.
package adversary
