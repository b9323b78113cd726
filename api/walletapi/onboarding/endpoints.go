package onboarding

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

const tag = "Wallet users"

// Registration lists the endpoints for any token.
func (a *API) Registration() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/register", OperationID: "register", Tag: tag, Access: endpoint.Public,
			Summary: "Give the caller a wallet. No body; a repeat changes nothing.", Authorize: a.authorizeNewcomer,
			Description: "This does not restore what an administrator removed (the user, its wallet, or its right to act as " +
				"its party): only an administrator can restore it.",
		}, a.register),
	}
}

// Endpoints lists the operator's endpoints for users.
func (a *API) Endpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/admin/users", OperationID: "onboardUser", Tag: tag,
			Summary: "Give a user a wallet. A repeat changes nothing.",
		}), a.onboardUser),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/users", OperationID: "listUsers", Tag: tag,
			Summary: "List the users who have a wallet.",
		}), a.listUsers),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/admin/users/offboard", OperationID: "offboardUser", Tag: tag,
			Summary: "Remove a user's wallet. The party and its holdings stay.",
		}), a.offboardUser),
	}
}
