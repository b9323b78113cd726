package users

import (
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
)

const tagUsers = "Users"

// rightsSelf are the rights to read what concerns one user, in words.
const rightsSelf = "ParticipantAdmin, IdentityProviderAdmin of the identity provider, or to be the user"

// Endpoints lists the endpoints of users and their rights.
func (a *API) Endpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/users", OperationID: "postV2Users", Tag: tagUsers,
			Summary: "Create a user.", Rights: v2.RightsIDPAdmin +
				"; only ParticipantAdmin can grant ParticipantAdmin, CanActAsAnyParty, CanReadAsAnyParty and CanExecuteAsAnyParty",
		}, a.createUser),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/users", OperationID: "getV2Users", Tag: tagUsers,
			Summary: "List all users, page by page.", Rights: v2.RightsIDPAdmin,
		}, a.listUsers),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/users/{user-id}", OperationID: "getV2UsersUser-id", Tag: tagUsers,
			Summary: "Get a user.", Rights: rightsSelf,
		}, a.getUser),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/authenticated-user", OperationID: "getV2Authenticated-user",
			Tag: tagUsers, Summary: "Get the user of the token.", Rights: "any authenticated user",
		}, a.authenticatedUser),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v2/users/{user-id}/rights", OperationID: "getV2UsersUser-idRights",
			Tag: tagUsers, Summary: "List the rights of a user.", Rights: rightsSelf,
		}, a.listUserRights),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v2/users/{user-id}/rights", OperationID: "postV2UsersUser-idRights",
			Tag: tagUsers, Summary: "Grant rights to a user.", Rights: v2.RightsIDPAdmin,
			Description: "Idempotent: it ignores rights that the user has.",
		}, a.grantUserRights),
		endpoint.New(endpoint.Info{
			Method: http.MethodPatch, Path: "/v2/users/{user-id}/rights", OperationID: "patchV2UsersUser-idRights",
			Tag: tagUsers, Summary: "Revoke rights of a user.", Rights: v2.RightsIDPAdmin,
			Description: "Idempotent: it ignores rights that the user does not have.",
		}, a.revokeUserRights),
		endpoint.New(endpoint.Info{
			Method: http.MethodPatch, Path: "/v2/users/{user-id}", OperationID: "patchV2UsersUser-id", Tag: tagUsers,
			Summary: "Change a user.", Rights: v2.RightsIDPAdmin,
			Description: "Changes only the fields in the mask. Annotations are merged; an empty value deletes its key.",
		}, a.updateUser),
		endpoint.New(endpoint.Info{
			Method: http.MethodDelete, Path: "/v2/users/{user-id}", OperationID: "deleteV2UsersUser-id", Tag: tagUsers,
			Summary: "Delete a user and its rights.", Rights: v2.RightsIDPAdmin,
		}, a.deleteUser),
		endpoint.New(endpoint.Info{
			Method: http.MethodPatch, Path: "/v2/users/{user-id}/identity-provider-id",
			OperationID: "patchV2UsersUser-idIdentity-provider-id", Tag: tagUsers,
			Summary: "Move a user to another identity provider.", Rights: "ParticipantAdmin",
		}, a.moveUser),
	}
}
