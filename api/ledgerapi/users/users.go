package users

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// UserStore stores users and their rights. The faults are those of the API: USER_NOT_FOUND, USER_ALREADY_EXISTS,
// TOO_MANY_USER_RIGHTS.
type UserStore interface {
	Finder
	idps.Known
	// Parties returns those of the parties that are known, in byte order.
	Parties(ctx context.Context, parties []ledger.Party) ([]ledger.PartyDetails, error)
	CreateUser(ctx context.Context, user ledger.User, rights []ledger.Right) (ledger.User, error)
	// Users returns users of the identity provider with ids above after, in byte order.
	Users(ctx context.Context, identityProviderID, after string, limit int32) ([]ledger.User, error)
	UserRights(ctx context.Context, id string) ([]ledger.Right, error)
	// UpdateUser stores the changed user; with an expected resource version, only at that version.
	UpdateUser(
		ctx context.Context, id string, expected *int64, change func(*ledger.User) error, guards ...db.UserGuard,
	) (ledger.User, error)
	MoveUser(ctx context.Context, id, source, target string) error
	DeleteUser(ctx context.Context, id string, guards ...db.UserGuard) error
	// GrantRights and RevokeRights return the actual changes.
	GrantRights(
		ctx context.Context, id string, rights []ledger.Right, guards ...db.UserGuard,
	) ([]ledger.Right, error)
	RevokeRights(
		ctx context.Context, id string, rights []ledger.Right, guards ...db.UserGuard,
	) ([]ledger.Right, error)
}

// Finder finds users.
type Finder interface {
	// UserNamed finds a user of any identity provider.
	UserNamed(ctx context.Context, id string) (user ledger.User, ok bool, err error)
}

// User is a user that tokens can name (contract, "User").
type User struct {
	ID                         string         `json:"id" required:"true" doc:"1 to 128 letters, digits and some signs"`
	PrimaryParty               string         `json:"primaryParty" doc:"Informational; gives no right. Empty for none"`
	IsDeactivated              bool           `json:"isDeactivated" doc:"Tokens of deactivated users are refused"`
	Metadata                   *v2.ObjectMeta `json:"metadata" doc:"Resource version and annotations"`
	IdentityProviderID         string         `json:"identityProviderId" doc:"Empty for the default identity provider"`
	PrimaryPartyAuthentication bool           `json:"primaryPartyAuthentication" doc:"Whether its key may sign tokens"`
}

// CreateUserRequest creates a user (contract, "POST /v2/users").
type CreateUserRequest struct {
	User   *User   `json:"user" required:"true" doc:"The user; only the id is needed"`
	Rights []Right `json:"rights" doc:"The user's first rights"`
}

// CreateUserResponse is the created user.
type CreateUserResponse struct {
	User *User `json:"user" doc:"The user as stored"`
}

// GetUserResponse is a user.
type GetUserResponse struct {
	User *User `json:"user" doc:"The user"`
}

// ListUsersResponse is one page of users (contract, "GET /v2/users").
type ListUsersResponse struct {
	Users         []User `json:"users" doc:"In order of id"`
	NextPageToken string `json:"nextPageToken" doc:"Token of the next page; empty after the last one"`
}

type createUserRequest struct {
	Body CreateUserRequest `body:"json"`
}

type listUsersRequest struct {
	PageSize  int32  `query:"pageSize" alias:"page_size" doc:"Maximum page size; 0 for the server's maximum"`
	PageToken string `query:"pageToken" alias:"page_token" doc:"nextPageToken of the previous page; empty to begin"`

	IdentityProviderID string `query:"identity-provider-id" doc:"The users' identity provider; empty for the default one"`
}

type getUserRequest struct {
	UserID             string `path:"user-id" doc:"The user"`
	IdentityProviderID string `query:"identity-provider-id" doc:"The user's identity provider; empty for the default one"`
}

type authenticatedUserRequest struct {
	IdentityProviderID string `query:"identity-provider-id" doc:"The user's identity provider; empty for the default one"`
}

func (a *API) createUser(ctx context.Context, req createUserRequest) (CreateUserResponse, error) {
	wire := req.Body.User
	if wire == nil {
		wire = &User{} // the claims are checked before the fields
	}
	claims := endpoint.Claims(ctx)
	if err := claims.RequireIDPAdminOf(wire.IdentityProviderID); err != nil {
		return CreateUserResponse{}, err
	}
	if req.Body.User == nil {
		return CreateUserResponse{}, fault.MissingFieldNamed("user")
	}
	user, err := FromAPINewUser(*wire)
	if err != nil {
		return CreateUserResponse{}, err
	}
	rights, err := FromAPIRights(req.Body.Rights)
	if err != nil {
		return CreateUserResponse{}, err
	}
	if user.IdentityProviderID, err = idps.For(ctx, a.record, user.IdentityProviderID); err != nil {
		return CreateUserResponse{}, err
	}
	if err := a.checkGrant(ctx, rights); err != nil {
		return CreateUserResponse{}, err
	}
	if len(rights) > ledger.MaxUserRights {
		return CreateUserResponse{}, fault.TooManyUserRights.
			New("creating user %q failed: %d rights are more than the maximum of %d", user.ID, len(rights),
				ledger.MaxUserRights).WithResource("USER", user.ID)
	}
	created, err := a.record.CreateUser(ctx, user, rights)
	if fault.UserAlreadyExists.Matches(err) {
		if _, other := Find(ctx, a.record, "creating user", user.ID, user.IdentityProviderID); other != nil &&
			!fault.UserNotFound.Matches(other) { // it was deleted since
			err = other
		}
	}
	if err != nil {
		return CreateUserResponse{}, err
	}
	return CreateUserResponse{User: new(ToAPIUser(created))}, nil
}

func (a *API) listUsers(ctx context.Context, req listUsersRequest) (ListUsersResponse, error) {
	claims := endpoint.Claims(ctx)
	if err := claims.RequireIDPAdmin(req.IdentityProviderID); err != nil {
		return ListUsersResponse{}, err
	}
	identityProviderID, err := idps.For(ctx, a.record, req.IdentityProviderID)
	if err != nil {
		return ListUsersResponse{}, err
	}
	list := v2.ListOf("users", identityProviderID)
	after, err := list.After(req.PageToken)
	if err != nil {
		return ListUsersResponse{}, err
	}
	if req.PageSize < 0 {
		return ListUsersResponse{}, fault.InvalidArgumentf("Max page size must be non-negative, but is %d", req.PageSize)
	}
	size := req.PageSize
	if size == 0 || size > ledger.MaxUsersPageSize {
		size = ledger.MaxUsersPageSize
	}
	users, err := a.record.Users(ctx, identityProviderID, after, size)
	if err != nil {
		return ListUsersResponse{}, err
	}
	page := ListUsersResponse{Users: make([]User, len(users))}
	for i, user := range users {
		page.Users[i] = ToAPIUser(user)
	}
	if len(users) == int(size) {
		page.NextPageToken = list.Token(users[size-1].ID)
	}
	return page, nil
}

func (a *API) getUser(ctx context.Context, req getUserRequest) (GetUserResponse, error) {
	if err := checkPathUser(req.UserID); err != nil {
		return GetUserResponse{}, err
	}
	if err := endpoint.Claims(ctx).RequireSelf(req.UserID, req.IdentityProviderID); err != nil {
		return GetUserResponse{}, err
	}
	identityProviderID, err := idps.For(ctx, a.record, req.IdentityProviderID)
	if err != nil {
		return GetUserResponse{}, err
	}
	user, err := Find(ctx, a.record, "getting user", req.UserID, identityProviderID)
	if err != nil {
		return GetUserResponse{}, err
	}
	return GetUserResponse{User: new(ToAPIUser(user))}, nil
}

func (a *API) authenticatedUser(ctx context.Context, req authenticatedUserRequest) (GetUserResponse, error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return GetUserResponse{}, err
	}
	caller, ok := claims.User()
	if !ok {
		return GetUserResponse{}, fault.MissingUserID("authorization is disabled, so no token names the user").
			WithHint("Use GET /v2/users/{user-id} instead.")
	}
	identityProviderID := caller.IdentityProviderID
	if req.IdentityProviderID != "" {
		identityProviderID = req.IdentityProviderID
	}
	user, err := Find(ctx, a.record, "getting user", caller.ID, identityProviderID)
	if err != nil {
		return GetUserResponse{}, err
	}
	return GetUserResponse{User: new(ToAPIUser(user))}, nil
}

// Find loads a user of the identity provider: USER_NOT_FOUND if no user has the id, 403 if a user of another provider
// has it. The operation is for the USER_NOT_FOUND text.
func Find(
	ctx context.Context, record Finder, operation, id, identityProviderID string,
) (ledger.User, error) {
	user, ok, err := record.UserNamed(ctx, id)
	if err != nil {
		return ledger.User{}, err
	}
	if !ok {
		return ledger.User{}, fault.UserNotFoundWhen(operation, id)
	}
	if user.IdentityProviderID != identityProviderID {
		return ledger.User{}, fault.PermissionDenied.New("User %q belongs to the identity provider %q, not to %q",
			id, user.IdentityProviderID, identityProviderID)
	}
	return user, nil
}

// checkPathUser refuses a malformed id in a path before any other check.
func checkPathUser(id string) error {
	if err := ledger.CheckUserID(id); err != nil {
		return v2.AtEdge(fault.InvalidArgument.New("Malformed user-id: %s", err))
	}
	return nil
}

// FromAPINewUser checks and converts a new user.
func FromAPINewUser(wire User) (ledger.User, error) {
	if wire.ID == "" {
		return ledger.User{}, fault.MissingFieldNamed("id")
	}
	if err := ledger.CheckUserID(wire.ID); err != nil {
		return ledger.User{}, fault.InvalidFieldNamed("id", err.Error())
	}
	if err := ledger.CheckPathName(wire.ID); err != nil {
		return ledger.User{}, fault.InvalidFieldNamed("id", err.Error()).WithHint("Choose another id.")
	}
	if err := v2.CheckNoResourceVersion(wire.Metadata, "user.metadata.resource_version"); err != nil {
		return ledger.User{}, err
	}
	if err := v2.CheckNewAnnotations(v2.AnnotationsOf(wire.Metadata), "user.metadata.annotations"); err != nil {
		return ledger.User{}, err
	}
	if wire.PrimaryParty != "" {
		if err := ledger.CheckParty(wire.PrimaryParty); err != nil {
			return ledger.User{}, fault.InvalidArgumentf("%s", err)
		}
	}
	return ledger.User{
		ID:                         wire.ID,
		PrimaryParty:               ledger.Party(wire.PrimaryParty),
		IsDeactivated:              wire.IsDeactivated,
		Annotations:                v2.AnnotationsOf(wire.Metadata),
		IdentityProviderID:         wire.IdentityProviderID,
		PrimaryPartyAuthentication: wire.PrimaryPartyAuthentication,
	}, nil
}

// ToAPIUser converts a user.
func ToAPIUser(user ledger.User) User {
	return User{
		ID:                         user.ID,
		PrimaryParty:               string(user.PrimaryParty),
		IsDeactivated:              user.IsDeactivated,
		Metadata:                   v2.ToAPIMeta(user.ResourceVersion, user.Annotations),
		IdentityProviderID:         user.IdentityProviderID,
		PrimaryPartyAuthentication: user.PrimaryPartyAuthentication,
	}
}
