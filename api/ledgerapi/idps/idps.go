package idps

import (
	"context"
	"net/url"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// ProviderStore stores identity providers. The faults are those of the API: IDP_CONFIG_NOT_FOUND,
// IDP_CONFIG_ALREADY_EXISTS, IDP_CONFIG_ISSUER_ALREADY_EXISTS, TOO_MANY_IDENTITY_PROVIDER_CONFIGS.
type ProviderStore interface {
	Known
	CreateIdentityProvider(ctx context.Context, provider ledger.IdentityProvider) error
	IdentityProviders(ctx context.Context) ([]ledger.IdentityProvider, error)
	UpdateIdentityProvider(
		ctx context.Context, id string, change func(*ledger.IdentityProvider) error,
	) (ledger.IdentityProvider, error)
	DeleteIdentityProvider(ctx context.Context, id string) error
}

// Known finds identity providers.
type Known interface {
	IdentityProvider(ctx context.Context, id string) (provider ledger.IdentityProvider, ok bool, err error)
}

// IdentityProviderConfig is a further issuer of tokens (upstream's name).
type IdentityProviderConfig struct {
	IdentityProviderID string `json:"identityProviderId" required:"true" doc:"Its id, a LedgerString"`
	IsDeactivated      bool   `json:"isDeactivated" doc:"Whether its tokens are refused"`
	Issuer             string `json:"issuer" required:"true" doc:"The iss claim of its tokens"`
	JWKSURL            string `json:"jwksUrl" required:"true" doc:"URL of its public keys, a JSON Web Key Set"`
	Audience           string `json:"audience" doc:"Required in the aud of its tokens; empty for any"`
}

// CreateIdentityProviderConfigRequest creates an identity provider.
type CreateIdentityProviderConfigRequest struct {
	Config *IdentityProviderConfig `json:"identityProviderConfig" required:"true" doc:"The identity provider"`
}

// IdentityProviderConfigResponse is an identity provider.
type IdentityProviderConfigResponse struct {
	Config *IdentityProviderConfig `json:"identityProviderConfig" doc:"The identity provider as stored"`
}

// ListIdentityProviderConfigsResponse lists the identity providers.
type ListIdentityProviderConfigsResponse struct {
	Configs []IdentityProviderConfig `json:"identityProviderConfigs" doc:"In order of id, without the default one"`
}

// UpdateIdentityProviderConfigRequest changes an identity provider.
type UpdateIdentityProviderConfigRequest struct {
	Config     *IdentityProviderConfig `json:"identityProviderConfig" required:"true" doc:"The id and the new values"`
	UpdateMask *v2.FieldMask           `json:"updateMask" required:"true" doc:"Which values to change"`
}

type createIdentityProviderRequest struct {
	Body CreateIdentityProviderConfigRequest `body:"json"`
}

type identityProviderPath struct {
	ID string `path:"idp-id" doc:"The identity provider"`
}

type updateIdentityProviderRequest struct {
	ID   string                              `path:"idp-id" doc:"The identity provider"`
	Body UpdateIdentityProviderConfigRequest `body:"json"`
}

// For returns the identity provider of a request: the caller's own. A ParticipantAdmin may name any existing one
// instead of the default one.
func For(ctx context.Context, record Known, requested string) (string, error) {
	claims := endpoint.Claims(ctx)
	if caller, ok := claims.User(); ok && !claims.IsAdmin() {
		if requested != "" && requested != caller.IdentityProviderID {
			return "", fault.PermissionDenied.New("User %q belongs to identity provider %q and has no access to %q",
				caller.ID, caller.IdentityProviderID, requested)
		}
		return caller.IdentityProviderID, nil
	}
	if requested == ledger.DefaultIdentityProvider {
		return requested, nil
	}
	if err := ledger.CheckLedgerString(requested); err != nil {
		return "", fault.InvalidFieldNamed("identity_provider_id", err.Error())
	}
	_, known, err := record.IdentityProvider(ctx, requested)
	if err == nil && !known {
		return "", fault.InvalidArgumentf("Provided identity_provider_id %s has not been found", requested).
			WithHint("Leave the identity provider empty for the default one; GET /v2/idps lists the others.")
	}
	return requested, err
}

func (a *API) createIdentityProvider(
	ctx context.Context, req createIdentityProviderRequest,
) (IdentityProviderConfigResponse, error) {
	if req.Body.Config == nil {
		return IdentityProviderConfigResponse{}, fault.MissingFieldNamed("identity_provider_config")
	}
	provider, err := FromAPIIdentityProvider(*req.Body.Config)
	if err != nil {
		return IdentityProviderConfigResponse{}, err
	}
	if err := ledger.CheckPathName(provider.ID); err != nil {
		return IdentityProviderConfigResponse{}, fault.InvalidFieldNamed("identity_provider_id", err.Error()).
			WithHint("Choose another id.")
	}
	if err := a.record.CreateIdentityProvider(ctx, provider); err != nil {
		return IdentityProviderConfigResponse{}, err
	}
	return IdentityProviderConfigResponse{Config: new(ToAPIIdentityProvider(provider))}, nil
}

func (a *API) listIdentityProviders(
	ctx context.Context, _ endpoint.NoRequest,
) (ListIdentityProviderConfigsResponse, error) {
	providers, err := a.record.IdentityProviders(ctx)
	response := ListIdentityProviderConfigsResponse{Configs: make([]IdentityProviderConfig, len(providers))}
	for i, provider := range providers {
		response.Configs[i] = ToAPIIdentityProvider(provider)
	}
	return response, err
}

func (a *API) getIdentityProvider(
	ctx context.Context, req identityProviderPath,
) (IdentityProviderConfigResponse, error) {
	if err := checkPathIdentityProvider(req.ID); err != nil {
		return IdentityProviderConfigResponse{}, err
	}
	provider, ok, err := a.record.IdentityProvider(ctx, req.ID)
	if err == nil && !ok {
		err = fault.IDPConfigNotFoundNamed(req.ID)
	}
	if err != nil {
		return IdentityProviderConfigResponse{}, err
	}
	return IdentityProviderConfigResponse{Config: new(ToAPIIdentityProvider(provider))}, nil
}

func (a *API) updateIdentityProvider(
	ctx context.Context, req updateIdentityProviderRequest,
) (IdentityProviderConfigResponse, error) {
	given := req.Body.Config
	if given == nil {
		return IdentityProviderConfigResponse{}, fault.MissingFieldNamed("identity_provider_config")
	}
	if given.IdentityProviderID != req.ID {
		return IdentityProviderConfigResponse{}, v2.AtEdge(fault.InvalidArgument.New(
			"%s does not match identity provider in body: %s", fault.Shorten(req.ID), fault.Shorten(given.IdentityProviderID)))
	}
	if err := checkPathIdentityProvider(req.ID); err != nil {
		return IdentityProviderConfigResponse{}, err
	}
	refusal := func(reason string) error {
		return fault.InvalidIdentityProviderUpdateRequest.New(
			"Update operation for identity provider config %q failed due to: %s", req.ID, reason).
			WithResource("IDENTITY_PROVIDER_CONFIG", req.ID)
	}
	fields := []string{"is_deactivated", "jwks_url", "issuer", "audience"}
	changes, err := v2.ChangesOf(req.Body.UpdateMask, fields, refusal)
	if err != nil {
		return IdentityProviderConfigResponse{}, err
	}
	updated, err := a.record.UpdateIdentityProvider(ctx, req.ID, func(provider *ledger.IdentityProvider) error {
		merged := ToAPIIdentityProvider(*provider)
		if changes["is_deactivated"] {
			merged.IsDeactivated = given.IsDeactivated
		}
		if changes["jwks_url"] {
			merged.JWKSURL = given.JWKSURL
		}
		if changes["issuer"] {
			merged.Issuer = given.Issuer
		}
		if changes["audience"] {
			merged.Audience = given.Audience
		}
		var err error
		*provider, err = FromAPIIdentityProvider(merged)
		return err
	})
	if err != nil {
		return IdentityProviderConfigResponse{}, err
	}
	return IdentityProviderConfigResponse{Config: new(ToAPIIdentityProvider(updated))}, nil
}

func (a *API) deleteIdentityProvider(ctx context.Context, req identityProviderPath) (endpoint.Empty, error) {
	if err := checkPathIdentityProvider(req.ID); err != nil {
		return endpoint.Empty{}, err
	}
	return endpoint.Empty{}, a.record.DeleteIdentityProvider(ctx, req.ID)
}

func checkPathIdentityProvider(id string) error {
	if err := ledger.CheckLedgerString(id); err != nil {
		return fault.InvalidFieldNamed("identity_provider_id", err.Error())
	}
	return nil
}

// FromAPIIdentityProvider checks and converts an identity provider.
func FromAPIIdentityProvider(wire IdentityProviderConfig) (ledger.IdentityProvider, error) {
	if wire.IdentityProviderID == "" {
		return ledger.IdentityProvider{}, fault.MissingFieldNamed("identity_provider_id")
	}
	if err := ledger.CheckLedgerString(wire.IdentityProviderID); err != nil {
		return ledger.IdentityProvider{}, fault.InvalidFieldNamed("identity_provider_id", err.Error())
	}
	for _, text := range []struct{ field, value string }{{"issuer", wire.Issuer}, {"audience", wire.Audience}} {
		if err := checkShortText(text.field, text.value); err != nil {
			return ledger.IdentityProvider{}, err
		}
	}
	switch {
	case wire.Issuer == "":
		return ledger.IdentityProvider{}, fault.MissingFieldNamed("issuer")
	case wire.JWKSURL == "":
		return ledger.IdentityProvider{}, fault.MissingFieldNamed("jwks_url")
	}
	if err := checkShortText("jwks_url", wire.JWKSURL); err != nil {
		return ledger.IdentityProvider{}, err
	}
	address, err := url.Parse(wire.JWKSURL)
	if err != nil || address.Host == "" || (address.Scheme != "https" && address.Scheme != "http") {
		return ledger.IdentityProvider{}, fault.InvalidFieldNamed("jwks_url", "Malformed URL").
			WithHint("Send an absolute URL, such as https://idp.example/.well-known/jwks.json.")
	}
	if err := auth.CheckKeyURL(wire.JWKSURL); err != nil {
		return ledger.IdentityProvider{}, fault.InvalidFieldNamed("jwks_url", err.Error()).
			WithHint("Serve the keys over https. Otherwise, somebody between the node and the server can replace them.")
	}
	return ledger.IdentityProvider{
		ID: wire.IdentityProviderID, IsDeactivated: wire.IsDeactivated, Issuer: wire.Issuer, JWKSURL: wire.JWKSURL,
		Audience: wire.Audience,
	}, nil
}

// checkShortText refuses texts that cannot be stored.
func checkShortText(field, value string) error {
	const limit = 2048
	if len(value) > limit {
		return fault.InvalidFieldNamed(field, "the value is longer than 2048 bytes")
	}
	for _, char := range value {
		if char < ' ' {
			return fault.InvalidFieldNamed(field, "the value contains control characters")
		}
	}
	return nil
}

// ToAPIIdentityProvider converts an identity provider.
func ToAPIIdentityProvider(provider ledger.IdentityProvider) IdentityProviderConfig {
	return IdentityProviderConfig{
		IdentityProviderID: provider.ID, IsDeactivated: provider.IsDeactivated, Issuer: provider.Issuer,
		JWKSURL: provider.JWKSURL, Audience: provider.Audience,
	}
}
