package payments

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
)

// Packages returns the package splice-wallet-payments. Upstream's id is not known here, so it has its own id; clients
// use its name.
func Packages() []ledger.Package {
	const name, version = "splice-wallet-payments", "0.1.22"
	return []ledger.Package{{
		Name: name, Version: version, ID: coin.LocalPackageID(name, version),
		Templates: []ledger.TemplateSource{
			appPaymentRequestTemplate(),
			acceptedAppPaymentTemplate(),
			terminatedAppPaymentTemplate(),
			subscriptionTemplate(),
			subscriptionRequestTemplate(),
			subscriptionInitialPaymentTemplate(),
			subscriptionIdleStateTemplate(),
			subscriptionPaymentTemplate(),
			terminatedSubscriptionTemplate(),
		},
	}}
}
