package operatorapi

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// Users lists who may do what.
type Users interface {
	// UsersWithRights pages through the users, or those with a right to a party.
	UsersWithRights(ctx context.Context, after, party string, limit int32) ([]db.UserWithRights, error)
}

// UserRightsPath is the path of the list of users with their rights.
const UserRightsPath = "/v0/admin/user-rights"

func (a *API) userRightsEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{endpoint.New(endpoint.Info{
		Method: http.MethodGet, Path: UserRightsPath, OperationID: "listUserRights", Tag: "Operation",
		Access: endpoint.Admin, Summary: "List the users of all identity providers with their rights.",
		Description: "With `party`, the list answers who may act, read or execute as a party: it has only the users with a " +
			"right to this party or to any party, and only these rights.",
	}, a.listUserRights)}
}

type userRightsRequest struct {
	Party string `query:"party" doc:"Only rights to this party: its id, or its name before ::"`
	After string `query:"after" doc:"Last user of the previous page"`
	Limit *int64 `query:"limit" doc:"Maximum number: 1 to 1000; default 100"`
}

// UserRight is a right of a user.
type UserRight struct {
	Kind  ledger.RightKind `json:"kind" required:"true" doc:"CanActAs, CanReadAs, ParticipantAdmin, ..."`
	Party ledger.Party     `json:"party" required:"true" doc:"The party; empty for rights without one"`
}

// UserRights is a user with its rights.
type UserRights struct {
	ID                 string       `json:"id" required:"true" doc:"Id of the user"`
	IdentityProviderID string       `json:"identity_provider_id" required:"true" doc:"Its identity provider; empty: the default one"`
	PrimaryParty       ledger.Party `json:"primary_party" required:"true" doc:"Its primary party; or empty"`
	IsDeactivated      bool         `json:"is_deactivated" required:"true" doc:"Whether the node refuses its tokens"`
	Rights             []UserRight  `json:"rights" required:"true" doc:"In order of kinds and parties"`
}

// ListUserRightsResponse is a page of users in byte order of their ids.
type ListUserRightsResponse struct {
	Users []UserRights `json:"users" required:"true" doc:"The users"`
}

func (a *API) listUserRights(ctx context.Context, req userRightsRequest) (ListUserRightsResponse, error) {
	limit, err := pageSize(req.Limit)
	if err != nil {
		return ListUserRightsResponse{}, err
	}
	found, err := a.options.Users.UsersWithRights(ctx, req.After, req.Party, limit)
	users := make([]UserRights, len(found))
	for i, user := range found {
		users[i] = UserRights{
			ID: user.ID, IdentityProviderID: user.IdentityProviderID, PrimaryParty: user.PrimaryParty,
			IsDeactivated: user.IsDeactivated, Rights: make([]UserRight, len(user.Rights)),
		}
		for j, right := range user.Rights {
			users[i].Rights[j] = UserRight(right)
		}
	}
	return ListUserRightsResponse{Users: users}, err
}
