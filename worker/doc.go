// Package worker builds the Temporal worker of the node and registers everything durable with it: this is the table of
// contents of what workflows can do.
package worker
