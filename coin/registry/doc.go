// Package registry composes the answers of the token standard's registry for the coin: the contract to exercise, the
// choice context, and the contracts to disclose with the submission.
//
// Its inputs are active contracts from the caller; the package reads no store and is pure.
package registry
