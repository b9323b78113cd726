// Package payments has the contracts of upstream's package splice-wallet-payments: requests for payment that apps make
// to the users of wallets, once ([AppPaymentRequest]) or regularly ([SubscriptionRequest]).
//
// Both work in two steps. First the payer accepts the request, which locks the coin with the app and the receivers as
// holders. Then the app collects, which unlocks and transfers the coin in one transaction, in the round of the
// acceptance. A payment that the app does not collect in time goes back to its sender.
//
// The package is pure.
package payments
