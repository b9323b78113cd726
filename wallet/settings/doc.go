// Package settings says what a node's wallets are to do by themselves as far as that is anybody's choice: how much
// traffic to buy, which wallets to sweep, whose offers to accept. It reads these settings from a file, checks them, and
// says of each mistake where it is, what is there, what the rule is and what to do.
//
// The names are those of the validator of the public network: wallet-sweep, max-balance-usd, buy-extra-traffic.
// Hyphens, underscores and capitals make no difference: maxBalanceUSD and max_balance_usd are the same name.
//
// The package is pure: whoever reads a file hands it over as a [Node].
package settings
