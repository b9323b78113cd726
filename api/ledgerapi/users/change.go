package users

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// UpdateUserRequest changes a user (upstream's PATCH /v2/users/{user-id}).
type UpdateUserRequest struct {
	User       *User         `json:"user" required:"true" doc:"The id and the new values"`
	UpdateMask *v2.FieldMask `json:"updateMask" required:"true" doc:"Which values to change"`
}

// UpdateUserResponse is the changed user.
type UpdateUserResponse struct {
	User *User `json:"user" doc:"The user as stored"`
}

// MoveUserRequest hands a user to another identity provider (upstream's UpdateUserIdentityProviderIdRequest).
type MoveUserRequest struct {
	UserID                   string `json:"userId" required:"true" doc:"The user; must be the one in the path"`
	SourceIdentityProviderID string `json:"sourceIdentityProviderId" doc:"Current provider; empty for the default one"`
	TargetIdentityProviderID string `json:"targetIdentityProviderId" doc:"New provider; empty for the default one"`
}

type updateUserRequest struct {
	UserID string            `path:"user-id" doc:"The user"`
	Body   UpdateUserRequest `body:"json"`
}

type moveUserRequest struct {
	UserID string          `path:"user-id" doc:"The user"`
	Body   MoveUserRequest `body:"json"`
}

// userPaths are the paths that a mask may name. The id and the identity provider only locate the user.
var userPaths = []string{
	"id", "primary_party", "is_deactivated", "metadata", "metadata.annotations", "metadata.resource_version",
	"identity_provider_id", "primary_party_authentication",
}

func (a *API) updateUser(ctx context.Context, req updateUserRequest) (UpdateUserResponse, error) {
	given := User{}
	if req.Body.User != nil {
		given = *req.Body.User
	}
	if err := checkUserInBody(req.UserID, given.ID); err != nil {
		return UpdateUserResponse{}, err
	}
	claims := endpoint.Claims(ctx)
	if err := claims.RequireIDPAdmin(given.IdentityProviderID); err != nil {
		return UpdateUserResponse{}, err
	}
	expected, err := checkUserUpdate(given)
	if err != nil {
		return UpdateUserResponse{}, err
	}
	changes, err := v2.ChangesOf(req.Body.UpdateMask, userPaths, func(reason string) error {
		return fault.InvalidUserUpdateRequest.New("Update operation for user id %q failed due to: %s", given.ID, reason).
			WithResource("USER", given.ID)
	})
	if err != nil {
		return UpdateUserResponse{}, err
	}
	if given.IdentityProviderID, err = idps.For(ctx, a.record, given.IdentityProviderID); err != nil {
		return UpdateUserResponse{}, err
	}
	if claims.UserID() == given.ID && changes["is_deactivated"] && given.IsDeactivated {
		return UpdateUserResponse{}, fault.InvalidArgumentf("user %q cannot deactivate itself", given.ID).
			WithHint("Ask another administrator.")
	}
	if _, err := Find(ctx, a.record, "updating user", given.ID, given.IdentityProviderID); err != nil {
		return UpdateUserResponse{}, err
	}
	updated, err := a.record.UpdateUser(ctx, given.ID, expected, func(user *ledger.User) error {
		return changeUser(user, given, changes)
	}, WithinReach(ctx))
	if err != nil {
		return UpdateUserResponse{}, err
	}
	return UpdateUserResponse{User: new(ToAPIUser(updated))}, nil
}

// checkUserUpdate checks the given values, whether the mask names them or not, and returns the expected version.
func checkUserUpdate(given User) (*int64, error) {
	if given.ID == "" {
		return nil, fault.MissingFieldNamed("id")
	}
	if err := ledger.CheckUserID(given.ID); err != nil {
		return nil, fault.InvalidFieldNamed("id", err.Error())
	}
	if given.PrimaryParty != "" {
		if err := ledger.CheckParty(given.PrimaryParty); err != nil {
			return nil, fault.InvalidArgumentf("%s", err)
		}
	}
	if err := v2.CheckAnnotations(v2.AnnotationsOf(given.Metadata), "user.metadata.annotations"); err != nil {
		return nil, err
	}
	return v2.ResourceVersionOf(given.Metadata, "user.metadata.resource_version")
}

// changeUser applies the named values to the user.
func changeUser(user *ledger.User, given User, changes v2.ChangedFields) error {
	if user.IdentityProviderID != given.IdentityProviderID {
		return fault.PermissionDenied.New("User %q belongs to the identity provider %q, not to %q",
			user.ID, user.IdentityProviderID, given.IdentityProviderID)
	}
	if changes["primary_party"] {
		user.PrimaryParty = ledger.Party(given.PrimaryParty)
	}
	if changes["is_deactivated"] {
		user.IsDeactivated = given.IsDeactivated
	}
	if changes["primary_party_authentication"] {
		user.PrimaryPartyAuthentication = given.PrimaryPartyAuthentication
	}
	if changes.Annotations("metadata") {
		user.Annotations = v2.MergeAnnotations(user.Annotations, v2.AnnotationsOf(given.Metadata))
	}
	if size := v2.AnnotationBytes(user.Annotations); size > ledger.MaxAnnotationsBytes {
		return fault.MaxUserAnnotationsSizeExceeded.
			New("Maximum annotations size of 256kb has been exceeded: user %q would have %d bytes", user.ID, size).
			WithResource("USER", user.ID)
	}
	return nil
}

func (a *API) deleteUser(ctx context.Context, req getUserRequest) (endpoint.Empty, error) {
	if err := checkPathUser(req.UserID); err != nil {
		return endpoint.Empty{}, err
	}
	claims := endpoint.Claims(ctx)
	if err := claims.RequireIDPAdmin(req.IdentityProviderID); err != nil {
		return endpoint.Empty{}, err
	}
	if claims.UserID() == req.UserID {
		return endpoint.Empty{}, fault.InvalidArgumentf("user %q cannot delete itself", req.UserID).
			WithHint("Ask another administrator.")
	}
	identityProviderID, err := idps.For(ctx, a.record, req.IdentityProviderID)
	if err != nil {
		return endpoint.Empty{}, err
	}
	if _, err := Find(ctx, a.record, "deleting user", req.UserID, identityProviderID); err != nil {
		return endpoint.Empty{}, err
	}
	return endpoint.Empty{}, a.record.DeleteUser(ctx, req.UserID, WithinReach(ctx))
}

func (a *API) moveUser(ctx context.Context, req moveUserRequest) (endpoint.Empty, error) {
	body := req.Body
	if err := checkUserInBody(req.UserID, body.UserID); err != nil {
		return endpoint.Empty{}, err
	}
	if err := endpoint.Claims(ctx).RequireAdmin(); err != nil {
		return endpoint.Empty{}, err
	}
	if err := ledger.CheckUserID(body.UserID); err != nil {
		return endpoint.Empty{}, fault.InvalidFieldNamed("user_id", err.Error())
	}
	for _, id := range []string{body.SourceIdentityProviderID, body.TargetIdentityProviderID} {
		if _, err := idps.For(ctx, a.record, id); err != nil {
			return endpoint.Empty{}, err
		}
	}
	return endpoint.Empty{}, a.record.MoveUser(ctx, body.UserID, body.SourceIdentityProviderID,
		body.TargetIdentityProviderID)
}

// checkUserInBody refuses bodies that speak of another user than the path.
func checkUserInBody(path, body string) error {
	if path != body {
		return v2.AtEdge(fault.InvalidArgument.New(
			"%s does not match user in body: %s", fault.Shorten(path), fault.Shorten(body)))
	}
	return nil
}
