// Package bootstrap sets up an empty record: the node's identity, its parties and users, and the contracts of the coin.
// Each step first checks what exists, so it can run at every start and on several nodes at once.
package bootstrap
