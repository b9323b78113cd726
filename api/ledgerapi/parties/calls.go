package parties

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// UpdatePartyIdentityProviderRequest hands a party to another identity provider.
type UpdatePartyIdentityProviderRequest struct {
	Party                    string `json:"party" required:"true" doc:"The party"`
	SourceIdentityProviderID string `json:"sourceIdentityProviderId" doc:"Current provider; empty for the default one"`
	TargetIdentityProviderID string `json:"targetIdentityProviderId" doc:"New provider; empty for the default one"`
}

type moveRequest struct {
	Body UpdatePartyIdentityProviderRequest `body:"json"`
}

type manyPartiesRequest struct {
	Parties            []string `query:"parties" doc:"The parties"`
	IdentityProviderID string   `query:"identity-provider-id" doc:"Empty for the default identity provider"`
}

// GRPCEndpoints are the operations that only the gRPC API has, or has in another form.
func (a *API) GRPCEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, OperationID: "callGetParties", Tag: tagParties,
			Summary: "Get details of parties.", Rights: "as for one party",
		}, a.getManyParties),
		endpoint.New(endpoint.Info{
			Method: http.MethodPatch, OperationID: "callUpdatePartyIdentityProviderId", Tag: tagParties,
			Summary: "Hand a party to another identity provider.", Access: endpoint.Admin,
		}, a.moveParty),
	}
}

func (a *API) getManyParties(ctx context.Context, req manyPartiesRequest) (GetPartiesResponse, error) {
	return a.getParties(ctx, getPartiesRequest{
		Party: partyPlaceholder, Parties: req.Parties, IdentityProviderID: req.IdentityProviderID,
	})
}

func (a *API) moveParty(ctx context.Context, req moveRequest) (endpoint.Empty, error) {
	body := req.Body
	if body.Party == "" {
		return endpoint.Empty{}, fault.MissingFieldNamed("party")
	}
	if err := ledger.CheckParty(body.Party); err != nil {
		return endpoint.Empty{}, fault.InvalidArgumentf("%s", err)
	}
	for _, id := range []string{body.SourceIdentityProviderID, body.TargetIdentityProviderID} {
		if _, err := idps.For(ctx, a.record, id); err != nil {
			return endpoint.Empty{}, err
		}
	}
	return endpoint.Empty{}, a.record.MoveParty(ctx, ledger.Party(body.Party), body.SourceIdentityProviderID,
		body.TargetIdentityProviderID)
}
