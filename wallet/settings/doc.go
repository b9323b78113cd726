// Package settings has the settings of wallet automation: how much traffic to buy, which wallets to sweep, whose offers
// to accept. It reads them from a file and checks them. For each mistake it names the place, the value, the rule and
// the next step.
//
// The names are those of the validator of the public network: wallet-sweep, max-balance-usd, buy-extra-traffic.
// Hyphens, underscores and capitals make no difference: maxBalanceUSD and max_balance_usd are the same name.
//
// The package is pure: the caller reads the file and passes it as a [Node].
package settings
