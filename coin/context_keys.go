package coin

// Keys of the choice contexts that the coin's registry hands out and the coin's choices read.
const (
	// ContextConfigState is the key of the [ExternalPartyConfigState] that a transfer counts by. All that move or lock
	// coin need it.
	ContextConfigState = "external-party-config-state"
	// ContextPreapproval is the key of the receiver's [TransferPreapproval].
	ContextPreapproval = "transfer-preapproval"
	// ContextFeaturedAppRight is the key of the [FeaturedAppRight] of the transfer's provider.
	ContextFeaturedAppRight = "featured-app-right"
	// ContextExpireLock is the key of the flag whether there is a locked coin to release.
	ContextExpireLock = "expire-lock"
	// ContextAmuletRules and ContextOpenRound are handed out for the sake of older clients; no choice reads them.
	ContextAmuletRules = "amulet-rules"
	ContextOpenRound   = "open-round"
)
