// Package walletapi is the validator's own API under /v0: the wallets of the node's users, and what the operator does
// for them and for external parties.
//
// A wallet user is a user of the ledger with a party, for whom there is a WalletAppInstall contract: with it the
// operator acts for the user, and every change of a wallet is a submission of the operator's. Here is what users of
// wallets call, with one file for each subject; endpoints.go says where each is mounted and who may call it. What
// operators call is in packages onboarding, admin and external, and what all endpoints stand on in package validator.
package walletapi
