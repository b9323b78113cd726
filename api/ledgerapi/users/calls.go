package users

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
)

// GRPCEndpoints are the operations that the gRPC API has in another form: there, no user id means the user of the token.
func (a *API) GRPCEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, OperationID: "callGetUser", Tag: tagUsers,
			Summary: "Get a user, or the user of the token.", Rights: "to be the user, or " + v2.RightsIDPAdmin,
		}, a.getUserOrSelf),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, OperationID: "callListUserRights", Tag: tagUsers,
			Summary: "List the rights of a user, or of the user of the token.",
			Rights:  "to be the user, or " + v2.RightsIDPAdmin,
		}, a.listRightsOrOwn),
	}
}

func (a *API) getUserOrSelf(ctx context.Context, req getUserRequest) (GetUserResponse, error) {
	if req.UserID == "" {
		return a.authenticatedUser(ctx, authenticatedUserRequest{IdentityProviderID: req.IdentityProviderID})
	}
	return a.getUser(ctx, req)
}

func (a *API) listRightsOrOwn(ctx context.Context, req getUserRequest) (ListUserRightsResponse, error) {
	if req.UserID == "" {
		self, err := a.authenticatedUser(ctx, authenticatedUserRequest{IdentityProviderID: req.IdentityProviderID})
		if err != nil {
			return ListUserRightsResponse{}, err
		}
		req = getUserRequest{UserID: self.User.ID, IdentityProviderID: self.User.IdentityProviderID}
	}
	return a.listUserRights(ctx, req)
}
