// Package registryapi serves what wallets read from the network, because this node is the network: scan and the
// validator's proxy of it, with the contracts that only the DSO sees and that commands must disclose, and the coin's
// registry of the token standard.
//
// Reads answer from the contracts that are active now. There is one file for each subject; endpoints.go has the paths
// and the rights.
package registryapi
