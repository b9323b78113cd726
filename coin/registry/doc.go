// Package registry composes what the registry of the token standard answers for the coin: which contract to exercise,
// the choice context to pass, and the contracts to disclose with the submission.
//
// Everything is a function of contracts that the caller has found to be active; the package reads no store and is pure.
package registry
