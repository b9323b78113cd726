// Package payments has the contracts of upstream's package splice-wallet-payments: requests for payment that apps make
// to the users of wallets, once ([AppPaymentRequest]) or again and again ([SubscriptionRequest]).
//
// Both work in two steps. Whoever pays accepts the request: the coin is locked, with the app and the receivers as the
// lock's holders. The app then collects: the lock is released and the coin transferred in one transaction, in the round
// of the acceptance. A payment that is not collected in time goes back to its sender.
//
// The package is pure.
package payments
