package ledger

// MaxIdentityProviders is how many identity providers a node may have beside the default one (upstream's default).
const MaxIdentityProviders = 16

// IdentityProvider issues tokens for users of its own (contract, "IdentityProviderConfig").
type IdentityProvider struct {
	ID string
	// IsDeactivated makes its tokens worthless.
	IsDeactivated bool
	// Issuer is the `iss` claim of its tokens.
	Issuer string
	// JWKSURL is where its public keys are: a JSON Web Key Set.
	JWKSURL string
	// Audience must be among the `aud` of its tokens; "" takes any.
	Audience string
}
