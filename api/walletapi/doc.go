// Package walletapi is the validator's own API under /v0: the wallets of the node's users, and what the operator does
// for them and for external parties.
//
// A wallet user is a user of the ledger with a party, for whom there is a WalletAppInstall contract: with it the
// operator acts for the user, and every change of a wallet is a submission of the operator's. There is one file for
// each subject; endpoints.go says where each is mounted and who may call it. What all endpoints stand on is in package
// validator, below.
package walletapi
