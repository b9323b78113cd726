// Package workflows holds the workflows of the node, one file per workflow, and the client that starts them. A workflow
// only decides which activity runs when; rules are in the pure packages, effects in activities.
//
// It may import activities (for method references and input types) and the pure packages; never db, api or worker.
package workflows
