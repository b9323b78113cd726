// Package worker builds the Temporal worker of the node, and registers all workflows and activities with it.
package worker
