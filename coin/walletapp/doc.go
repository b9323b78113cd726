// Package walletapp has the contracts of upstream's package splice-wallet, for the wallets of a node's users: the
// user's agreement that the validator acts for it ([WalletAppInstall]), offers of transfers ([TransferOffer]), requests
// for traffic ([BuyTrafficRequest]), and delegations to mint or receive for others.
//
// A wallet moves coin with one choice, [InstallExecuteBatch]: it takes all of the user's coin and rewards as inputs,
// does one operation after the other, each with the change of the one before, and fails as a whole.
//
// The package is pure.
package walletapp
