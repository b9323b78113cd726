package onboarding

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

// tag groups the endpoints in the document.
const tag = "Wallet users"

// Registration lists what anybody with a token may call.
func (a *API) Registration() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/register", OperationID: "register", Tag: tag, Access: endpoint.Public,
			Summary: "Give the caller a wallet. Takes no body; repeating it changes nothing.", Authorize: a.newcomersOnly,
			Description: "What an administrator took from a user (the user itself, its wallet, its right to act as its party) " +
				"does not come back by this: an administrator has to give it back.",
		}, a.register),
	}
}

// Endpoints lists what operators do for users.
func (a *API) Endpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/admin/users", OperationID: "onboardUser", Tag: tag,
			Summary: "Give a user a wallet. Repeating it changes nothing.",
		}), a.onboardUser),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/users", OperationID: "listUsers", Tag: tag,
			Summary: "List the users who have a wallet.",
		}), a.listUsers),
		endpoint.New(a.ForOperators(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/admin/users/offboard", OperationID: "offboardUser", Tag: tag,
			Summary: "Take a user's wallet away. Its party and holdings stay.",
		}), a.offboardUser),
	}
}
