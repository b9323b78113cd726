package users

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Right is one right of a user (contract, "Right").
type Right struct {
	Kind *RightKind `json:"kind" required:"true" doc:"What it allows"`
}

// RightKind is the kind of a right.
type RightKind struct {
	endpoint.OneOf `several:"first"`

	CanActAs              *endpoint.Value[PartyRight] `json:"CanActAs,omitempty" doc:"Act, read and execute as the party"`
	CanReadAs             *endpoint.Value[PartyRight] `json:"CanReadAs,omitempty" doc:"Read as the party"`
	CanExecuteAs          *endpoint.Value[PartyRight] `json:"CanExecuteAs,omitempty" doc:"Submit what the party signed"`
	ParticipantAdmin      *endpoint.Value[v2.Nothing] `json:"ParticipantAdmin,omitempty" doc:"Administer the participant"`
	IdentityProviderAdmin *endpoint.Value[v2.Nothing] `json:"IdentityProviderAdmin,omitempty" doc:"Administer its identity provider"`
	CanActAsAnyParty      *endpoint.Value[v2.Nothing] `json:"CanActAsAnyParty,omitempty" doc:"Act as every party"`
	CanReadAsAnyParty     *endpoint.Value[v2.Nothing] `json:"CanReadAsAnyParty,omitempty" doc:"Read as every party"`
	CanExecuteAsAnyParty  *endpoint.Value[v2.Nothing] `json:"CanExecuteAsAnyParty,omitempty" doc:"Execute as every party"`
	Empty                 *v2.Nothing                 `json:"Empty,omitempty" doc:"Not a right; refused"`
}

// PartyRight names the party of a right.
type PartyRight struct {
	Party string `json:"party" required:"true" doc:"The party"`
}

// GrantUserRightsRequest grants or revokes rights.
type GrantUserRightsRequest struct {
	UserID             string  `json:"userId" required:"true" doc:"The user; must be the one in the path"`
	Rights             []Right `json:"rights" doc:"The rights"`
	IdentityProviderID string  `json:"identityProviderId" doc:"The user's identity provider; empty for the default one"`
}

// ListUserRightsResponse lists the rights of a user.
type ListUserRightsResponse struct {
	Rights []Right `json:"rights" doc:"The rights, in no particular order"`
}

// GrantUserRightsResponse lists the new rights.
type GrantUserRightsResponse struct {
	NewlyGrantedRights []Right `json:"newlyGrantedRights" doc:"Rights that the user did not have before"`
}

// RevokeUserRightsResponse lists the revoked rights.
type RevokeUserRightsResponse struct {
	NewlyRevokedRights []Right `json:"newlyRevokedRights" doc:"Rights that the user had before"`
}

type changeRightsRequest struct {
	UserID string                 `path:"user-id" doc:"The user"`
	Body   GrantUserRightsRequest `body:"json"`
}

func (a *API) listUserRights(ctx context.Context, req getUserRequest) (ListUserRightsResponse, error) {
	if err := checkPathUser(req.UserID); err != nil {
		return ListUserRightsResponse{}, err
	}
	if err := endpoint.Claims(ctx).RequireSelf(req.UserID, req.IdentityProviderID); err != nil {
		return ListUserRightsResponse{}, err
	}
	identityProviderID, err := idps.For(ctx, a.record, req.IdentityProviderID)
	if err != nil {
		return ListUserRightsResponse{}, err
	}
	if _, err := Find(ctx, a.record, "getting user rights", req.UserID, identityProviderID); err != nil {
		return ListUserRightsResponse{}, err
	}
	rights, err := a.record.UserRights(ctx, req.UserID)
	return ListUserRightsResponse{Rights: ToAPIRights(rights)}, err
}

func (a *API) grantUserRights(ctx context.Context, req changeRightsRequest) (GrantUserRightsResponse, error) {
	rights, identityProviderID, err := a.checkRightsChange(ctx, req)
	if err != nil {
		return GrantUserRightsResponse{}, err
	}
	if err := a.checkGrant(ctx, rights); err != nil {
		return GrantUserRightsResponse{}, err
	}
	if _, err := Find(ctx, a.record, "granting rights to user", req.Body.UserID, identityProviderID); err != nil {
		return GrantUserRightsResponse{}, err
	}
	granted, err := a.record.GrantRights(ctx, req.Body.UserID, rights, WithinReach(ctx))
	return GrantUserRightsResponse{NewlyGrantedRights: ToAPIRights(granted)}, err
}

func (a *API) revokeUserRights(ctx context.Context, req changeRightsRequest) (RevokeUserRightsResponse, error) {
	rights, identityProviderID, err := a.checkRightsChange(ctx, req)
	if err != nil {
		return RevokeUserRightsResponse{}, err
	}
	if err := requireAdminFor(ctx, rights); err != nil {
		return RevokeUserRightsResponse{}, err
	}
	own := endpoint.Claims(ctx).UserID() == req.Body.UserID
	for _, right := range rights {
		if own && right.Kind == ledger.ParticipantAdmin {
			return RevokeUserRightsResponse{}, fault.InvalidArgumentf(
				"user %q cannot revoke its own ParticipantAdmin right", req.Body.UserID).
				WithHint("Ask another administrator: somebody must be able to administer the participant.")
		}
	}
	if _, err := Find(ctx, a.record, "revoking rights from user", req.Body.UserID, identityProviderID); err != nil {
		return RevokeUserRightsResponse{}, err
	}
	revoked, err := a.record.RevokeRights(ctx, req.Body.UserID, rights, WithinReach(ctx))
	return RevokeUserRightsResponse{NewlyRevokedRights: ToAPIRights(revoked)}, err
}

// checkRightsChange has the common checks of granting and revoking. It returns the rights and the user's identity
// provider.
func (a *API) checkRightsChange(ctx context.Context, req changeRightsRequest) ([]ledger.Right, string, error) {
	body := req.Body
	if body.UserID != req.UserID {
		return nil, "", v2.AtEdge(fault.InvalidArgument.New("%s does not match user in body: %s", req.UserID, body.UserID))
	}
	if err := endpoint.Claims(ctx).RequireIDPAdmin(body.IdentityProviderID); err != nil {
		return nil, "", err
	}
	if body.UserID == "" {
		return nil, "", fault.MissingFieldNamed("user_id")
	}
	if err := ledger.CheckUserID(body.UserID); err != nil {
		return nil, "", fault.InvalidFieldNamed("user_id", err.Error())
	}
	rights, err := FromAPIRights(body.Rights)
	if err != nil {
		return nil, "", err
	}
	identityProviderID, err := idps.For(ctx, a.record, body.IdentityProviderID)
	return rights, identityProviderID, err
}

// checkGrant refuses rights that the caller cannot hand out.
func (a *API) checkGrant(ctx context.Context, rights []ledger.Right) error {
	if err := requireAdminFor(ctx, rights); err != nil {
		return err
	}
	if endpoint.Claims(ctx).IsAdmin() {
		return nil // the parties need not exist yet
	}
	var parties []ledger.Party
	for _, right := range rights {
		if right.Kind.HasParty() {
			parties = append(parties, right.Party)
		}
	}
	known, err := a.record.Parties(ctx, ledger.SortedParties(parties))
	if err != nil {
		return err
	}
	user, _ := endpoint.Claims(ctx).User()
	var visible []ledger.Party
	for _, party := range known {
		if party.IdentityProviderID == user.IdentityProviderID {
			visible = append(visible, party.Party)
		}
	}
	if missing := ledger.MissingParties(ledger.SortedParties(visible), parties); len(missing) > 0 {
		return fault.UnknownParties(ledger.Strings(missing)...)
	}
	return nil
}

// requireAdminFor asks for ParticipantAdmin when the rights reach beyond an identity provider.
func requireAdminFor(ctx context.Context, rights []ledger.Right) error {
	for _, right := range rights {
		switch right.Kind {
		case ledger.ParticipantAdmin, ledger.CanActAsAnyParty, ledger.CanReadAsAnyParty, ledger.CanExecuteAsAnyParty:
			return endpoint.Claims(ctx).RequireAdmin()
		default:
		}
	}
	return nil
}

// FromAPIRights checks and converts rights; repeats collapse.
func FromAPIRights(rights []Right) ([]ledger.Right, error) {
	out := make([]ledger.Right, 0, len(rights))
	seen := make(map[ledger.Right]bool, len(rights))
	for _, wire := range rights {
		right, err := FromAPIRight(wire)
		if err != nil {
			return nil, err
		}
		if !seen[right] {
			seen[right] = true
			out = append(out, right)
		}
	}
	return out, nil
}

// FromAPIRight checks and converts one right.
func FromAPIRight(wire Right) (ledger.Right, error) {
	kind := wire.Kind
	if kind == nil {
		kind = &RightKind{}
	}
	switch {
	case kind.CanActAs != nil:
		return partyRight(ledger.CanActAs, kind.CanActAs.Value)
	case kind.CanReadAs != nil:
		return partyRight(ledger.CanReadAs, kind.CanReadAs.Value)
	case kind.CanExecuteAs != nil:
		return partyRight(ledger.CanExecuteAs, kind.CanExecuteAs.Value)
	case kind.ParticipantAdmin != nil:
		return ledger.Right{Kind: ledger.ParticipantAdmin}, nil
	case kind.IdentityProviderAdmin != nil:
		return ledger.Right{Kind: ledger.IdentityProviderAdmin}, nil
	case kind.CanReadAsAnyParty != nil:
		return ledger.Right{Kind: ledger.CanReadAsAnyParty}, nil
	case kind.CanActAsAnyParty != nil:
		return ledger.Right{Kind: ledger.CanActAsAnyParty}, nil
	case kind.CanExecuteAsAnyParty != nil:
		return ledger.Right{Kind: ledger.CanExecuteAsAnyParty}, nil
	default:
		return ledger.Right{}, fault.InvalidArgumentf("unknown kind of right - check that the kind is set").
			WithHint("Send one kind, such as CanActAs.")
	}
}

func partyRight(kind ledger.RightKind, value PartyRight) (ledger.Right, error) {
	if err := ledger.CheckParty(value.Party); err != nil {
		return ledger.Right{}, fault.InvalidArgumentf("%s", err)
	}
	return ledger.Right{Kind: kind, Party: ledger.Party(value.Party)}, nil
}

// ToAPIRights converts rights.
func ToAPIRights(rights []ledger.Right) []Right {
	out := make([]Right, len(rights))
	for i, right := range rights {
		out[i] = Right{Kind: toAPIRightKind(right)}
	}
	return out
}

func toAPIRightKind(right ledger.Right) *RightKind {
	party := PartyRight{Party: string(right.Party)}
	switch right.Kind {
	case ledger.CanActAs:
		return &RightKind{CanActAs: endpoint.Valued(party)}
	case ledger.CanReadAs:
		return &RightKind{CanReadAs: endpoint.Valued(party)}
	case ledger.CanExecuteAs:
		return &RightKind{CanExecuteAs: endpoint.Valued(party)}
	case ledger.ParticipantAdmin:
		return &RightKind{ParticipantAdmin: endpoint.Valued(v2.Nothing{})}
	case ledger.IdentityProviderAdmin:
		return &RightKind{IdentityProviderAdmin: endpoint.Valued(v2.Nothing{})}
	case ledger.CanActAsAnyParty:
		return &RightKind{CanActAsAnyParty: endpoint.Valued(v2.Nothing{})}
	case ledger.CanReadAsAnyParty:
		return &RightKind{CanReadAsAnyParty: endpoint.Valued(v2.Nothing{})}
	case ledger.CanExecuteAsAnyParty:
		return &RightKind{CanExecuteAsAnyParty: endpoint.Valued(v2.Nothing{})}
	default:
		return &RightKind{Empty: &v2.Nothing{}}
	}
}
