package walletapi

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
)

// The tags that group what is not for wallet users.
const (
	tagUsers = "Wallet users"
)

// operatorRights says who may call the endpoints of the operator.
const operatorRights = "An operator: a user whose primary party is the operator's, who may act as it, and who is " +
	"ParticipantAdmin"

// Validator lists what anybody with a token may call.
func (a *API) Validator() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/register", OperationID: "register", Tag: tagUsers, Access: endpoint.Public,
			Summary: "Give the caller a wallet. Takes no body; repeating it changes nothing.",
		}, a.register),
	}
}

// Operator lists what only operators may call.
func (a *API) Operator() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/admin/users", OperationID: "onboardUser", Tag: tagUsers,
			Summary: "Give a user a wallet. Repeating it changes nothing.", Rights: operatorRights,
		}, a.onboardUser),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/users", OperationID: "listUsers", Tag: tagUsers,
			Summary: "List the users who have a wallet.", Rights: operatorRights,
		}, a.listUsers),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/admin/users/offboard", OperationID: "offboardUser", Tag: tagUsers,
			Summary: "Take a user's wallet away. Its party and holdings stay.", Rights: operatorRights,
		}, a.offboardUser),
	}
}
