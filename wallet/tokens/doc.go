// Package tokens reads holdings of tokens that uploaded packages define. It knows them by the interfaces of the token
// standard alone.
//
// All that such a contract says of itself (owner, amount, instrument) is computed by its package's code. So it is a
// claim: package and signatories, which the ledger knows, stand beside it, and only claims of one package add up. The
// coin is never among them, whatever a contract calls itself.
//
// The package is pure.
package tokens
