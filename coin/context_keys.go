package coin

// Keys of the choice contexts: the coin's registry writes them, the coin's choices read them.
const (
	// ContextConfigState is the key of the [ExternalPartyConfigState] of a transfer. All choices that move or lock coin
	// need it.
	ContextConfigState = "external-party-config-state"
	// ContextPreapproval is the key of the receiver's [TransferPreapproval].
	ContextPreapproval = "transfer-preapproval"
	// ContextFeaturedAppRight is the key of the [FeaturedAppRight] of the transfer's provider.
	ContextFeaturedAppRight = "featured-app-right"
	// ContextExpireLock is the key of a flag: whether there is a locked coin to release.
	ContextExpireLock = "expire-lock"
	// ContextAmuletRules and ContextOpenRound are for older clients; no choice reads them.
	ContextAmuletRules = "amulet-rules"
	ContextOpenRound   = "open-round"
)
