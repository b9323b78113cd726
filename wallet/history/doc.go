// Package history reads a party's transaction history from the ledger: the items that wallets show for each transaction
// (upstream's POST /v0/wallet/transactions).
//
// It reads a transaction from its roots down. The topmost known choice becomes an item, with everything below it; it
// looks below other choices. It counts the amounts of an item from the coins that the choice created and archived, so
// they are right for every choice: locked coin has left its owner, and unlocked coin has returned.
//
// The package is pure.
package history
