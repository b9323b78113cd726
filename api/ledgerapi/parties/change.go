package parties

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// UpdatePartyDetailsRequest changes the stored details of a party (upstream's PATCH /v2/parties/{party}).
type UpdatePartyDetailsRequest struct {
	PartyDetails *PartyDetails `json:"partyDetails" required:"true" doc:"The party and the new values"`
	UpdateMask   *v2.FieldMask `json:"updateMask" required:"true" doc:"Which values to change"`
}

// UpdatePartyDetailsResponse is the changed party.
type UpdatePartyDetailsResponse struct {
	PartyDetails *PartyDetails `json:"partyDetails" doc:"The party as stored"`
}

type updatePartyRequest struct {
	Party string                    `path:"party" doc:"The party"`
	Body  UpdatePartyDetailsRequest `body:"json"`
}

// partyPaths are the paths that a mask may name. Only annotations change.
var partyPaths = []string{
	"party", "is_local", "local_metadata", "local_metadata.annotations", "local_metadata.resource_version",
	"identity_provider_id",
}

func (a *API) updateParty(ctx context.Context, req updatePartyRequest) (UpdatePartyDetailsResponse, error) {
	given := PartyDetails{}
	if req.Body.PartyDetails != nil {
		given = *req.Body.PartyDetails
	}
	if req.Party != given.Party {
		return UpdatePartyDetailsResponse{}, v2.AtEdge(fault.InvalidArgument.New(
			"%s does not match party in body: %s", fault.Shorten(req.Party), fault.Shorten(given.Party)))
	}
	if err := endpoint.Claims(ctx).RequireIDPAdmin(given.IdentityProviderID); err != nil {
		return UpdatePartyDetailsResponse{}, err
	}
	if err := ledger.CheckParty(given.Party); err != nil {
		return UpdatePartyDetailsResponse{}, fault.InvalidArgumentf("%s", err)
	}
	if err := v2.CheckAnnotations(v2.AnnotationsOf(given.LocalMetadata),
		"party_details.local_metadata.annotations"); err != nil {
		return UpdatePartyDetailsResponse{}, err
	}
	expected, err := v2.ResourceVersionOf(given.LocalMetadata, "party_details.local_metadata.resource_version")
	if err != nil {
		return UpdatePartyDetailsResponse{}, err
	}
	changes, err := v2.ChangesOf(req.Body.UpdateMask, partyPaths, func(reason string) error {
		return refusedPartyUpdate(given.Party, reason)
	})
	if err != nil {
		return UpdatePartyDetailsResponse{}, err
	}
	if given.IdentityProviderID, err = idps.For(ctx, a.record, given.IdentityProviderID); err != nil {
		return UpdatePartyDetailsResponse{}, err
	}
	updated, err := a.record.UpdateParty(ctx, ledger.Party(given.Party), expected,
		func(details *ledger.PartyDetails) error { return changeParty(details, given, changes) })
	if err != nil {
		return UpdatePartyDetailsResponse{}, err
	}
	return UpdatePartyDetailsResponse{PartyDetails: new(ToAPIPartyDetails(updated))}, nil
}

// changeParty applies the named values. Only annotations may differ from the stored ones.
func changeParty(details *ledger.PartyDetails, given PartyDetails, changes v2.ChangedFields) error {
	if details.IdentityProviderID != given.IdentityProviderID {
		if changes["identity_provider_id"] {
			return refusedPartyUpdate(given.Party, "Update request attempted to modify the party's identity_provider_id")
		}
		return fault.PermissionDenied.New("Party %q belongs to the identity provider %q, not to %q",
			details.Party, details.IdentityProviderID, given.IdentityProviderID).
			WithHint("Send the party's own identityProviderId.")
	}
	if changes["is_local"] && given.IsLocal != details.IsLocal {
		return refusedPartyUpdate(given.Party, "Update request attempted to modify the party's is_local")
	}
	if changes.Annotations("local_metadata") {
		details.Annotations = v2.MergeAnnotations(details.Annotations, v2.AnnotationsOf(given.LocalMetadata))
	}
	if size := v2.AnnotationBytes(details.Annotations); size > ledger.MaxAnnotationsBytes {
		return fault.MaxPartyDetailsAnnotationsSizeExceeded.
			New("Maximum annotations size of 256kb has been exceeded: party %q would have %d bytes", details.Party, size).
			WithResource("PARTY", given.Party)
	}
	return nil
}

func refusedPartyUpdate(party, reason string) error {
	return fault.InvalidPartyDetailsUpdateRequest.
		New("Update operation for party '%s' failed due to: %s", party, reason).WithResource("PARTY", party)
}
