// Package registryapi is what a wallet asks the network for over HTTP, and what this node answers because it is the
// network: the contracts that only the DSO sees and that commands must disclose (scan, and the validator's proxy of
// it), and the token standard's registry of the coin, which tells how to move it.
//
// Reads are answered from the contracts that are active now. There is one file for each subject; endpoints.go says
// where each is mounted and who may call it.
package registryapi
