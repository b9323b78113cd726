// Package history reads a party's transaction history out of the ledger: what a transaction was to the party, in the
// items that wallets show (upstream's POST /v0/wallet/transactions).
//
// A transaction is read from its roots down. The topmost choice that is known becomes an item, and all below it is part
// of it; other choices are looked through. The amounts of an item are counted from the coins that the choice created
// and archived, so they are right whatever the choice did to get there: what is locked has left its owner, and what is
// released has come back.
//
// The package is pure.
package history
