// Package workflows holds the deterministic orchestration of the node, one file per workflow, and the client through
// which everything else starts it. A workflow only decides what is called when; rules are in the pure packages, effects
// in activities.
//
// It may import activities (for method references and input types) and the pure packages; never db, api or worker.
package workflows
