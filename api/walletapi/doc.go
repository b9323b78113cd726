// Package walletapi is the validator's own API under /v0: the wallets of the node's users, and the operator's work for
// them and for external parties.
//
// A wallet user is a ledger user with a party and a WalletAppInstall contract. With this contract the operator acts for
// the user: every change of a wallet is a submission of the operator. This package has the endpoints of wallet users,
// with one file for each subject; endpoints.go has the paths and the rights. The operator's endpoints are in packages
// onboarding, admin and external, and the common parts in package validator.
package walletapi
