package parties

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/api/ledgerapi/users"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// MaxPageSize is the largest page of parties (upstream's party-management default).
const MaxPageSize = 10000

// maxPartyFilter is the longest prefix that parties can be filtered by.
const maxPartyFilter = ledger.MaxPartyHintLength

// partyPlaceholder is the path of clients that copy it from the documentation and send the parties in the query.
const partyPlaceholder = "party"

// PartyStore stores parties.
type PartyStore interface {
	OnboardingRecord
	users.Finder
	idps.Known
	// CheckReach asks the guards about a user that something is about to be given to.
	CheckReach(ctx context.Context, user ledger.User, guards ...db.UserGuard) error
	// LedgerSettings reads the settings of the ledger.
	LedgerSettings(ctx context.Context) (ledger.Settings, error)
	// HostParty stores a new party, enters it in the record and, if a user is named, gives that user the right to act as
	// it. The faults are INVALID_ARGUMENT for a party that exists and USER_NOT_FOUND.
	HostParty(ctx context.Context, hosting db.Hosting) (ledger.PartyDetails, error)
	// Parties returns those of the parties that are known, in byte order.
	Parties(ctx context.Context, parties []ledger.Party) ([]ledger.PartyDetails, error)
	// UpdateParty stores the annotations that change makes; with an expected resource version, only at that version.
	UpdateParty(
		ctx context.Context, party ledger.Party, expected *int64, change func(*ledger.PartyDetails) error,
	) (ledger.PartyDetails, error)
	// MoveParty hands a party to another identity provider. The faults are PARTY_NOT_FOUND, and PERMISSION_DENIED for a
	// party of another source.
	MoveParty(ctx context.Context, party ledger.Party, source, target string) error
	// ListParties returns parties above after whose ids start with prefix, in byte order.
	ListParties(ctx context.Context, prefix string, after ledger.Party, limit int32) ([]ledger.PartyDetails, error)
}

// PartyDetails are the stored details of a party (contract, "PartyDetails").
type PartyDetails struct {
	Party              string         `json:"party" required:"true" doc:"hint::fingerprint"`
	IsLocal            bool           `json:"isLocal" doc:"Whether this node hosts the party"`
	LocalMetadata      *v2.ObjectMeta `json:"localMetadata" doc:"Kept on this node only"`
	IdentityProviderID string         `json:"identityProviderId" doc:"Empty for the default identity provider"`
}

// AllocatePartyRequest allocates a party (contract, "POST /v2/parties").
type AllocatePartyRequest struct {
	PartyIDHint        *string        `json:"partyIdHint" doc:"First part of the id, at most 185 characters; empty: the node chooses one"`
	LocalMetadata      *v2.ObjectMeta `json:"localMetadata" doc:"Annotations to keep with the party"`
	IdentityProviderID string         `json:"identityProviderId" doc:"Empty for the default identity provider"`
	SynchronizerID     string         `json:"synchronizerId" doc:"Optional: there is only one"`
	UserID             string         `json:"userId" doc:"User who gets the right to act as the party; empty for none"`
}

// AllocatePartyResponse is the allocated party.
type AllocatePartyResponse struct {
	PartyDetails *PartyDetails `json:"partyDetails" doc:"The party as stored"`
}

// GetPartiesResponse lists parties.
type GetPartiesResponse struct {
	PartyDetails []PartyDetails `json:"partyDetails" doc:"In order of id, without unknown parties"`
}

// ListKnownPartiesResponse is one page of parties.
type ListKnownPartiesResponse struct {
	PartyDetails  []PartyDetails `json:"partyDetails" doc:"In order of id"`
	NextPageToken string         `json:"nextPageToken" doc:"Token of the next page; empty after the last one"`
}

// GetParticipantIDResponse names the participant.
type GetParticipantIDResponse struct {
	ParticipantID string `json:"participantId" doc:"hint::fingerprint"`
}

type allocatePartyRequest struct {
	Body AllocatePartyRequest `body:"json"`
}

type getPartiesRequest struct {
	Party              string   `path:"party" doc:"The party"`
	Parties            []string `query:"parties" doc:"More parties"`
	IdentityProviderID string   `query:"identity-provider-id" doc:"Empty for the default identity provider"`
}

type listPartiesRequest struct {
	IdentityProviderID string `query:"identity-provider-id" doc:"Empty for the default identity provider"`
	Filter             string `query:"filter-party" doc:"Prefix of the ids"`
	PageSize           int32  `query:"pageSize" alias:"page_size" doc:"Maximum page size; 0 for the server's maximum"`
	PageToken          string `query:"pageToken" alias:"page_token" doc:"nextPageToken of the previous page"`
}

func (a *API) allocateParty(ctx context.Context, req allocatePartyRequest) (AllocatePartyResponse, error) {
	body := req.Body
	maxParties, err := a.mayAllocate(ctx, body.UserID, body.IdentityProviderID)
	if err != nil {
		return AllocatePartyResponse{}, err
	}
	hint := "party-" + uuid.NewString()
	if body.PartyIDHint != nil && *body.PartyIDHint != "" {
		hint = *body.PartyIDHint
	}
	if err := ledger.CheckPartyHint(hint); err != nil {
		return AllocatePartyResponse{}, fault.InvalidArgumentf("partyIdHint: %s", err).
			WithHint("Choose another hint, or leave it out: the node then chooses one.")
	}
	if err := v2.CheckNoResourceVersion(body.LocalMetadata, "local_metadata.resource_version"); err != nil {
		return AllocatePartyResponse{}, err
	}
	annotations := v2.AnnotationsOf(body.LocalMetadata)
	if err := v2.CheckNewAnnotations(annotations, "local_metadata.annotations"); err != nil {
		return AllocatePartyResponse{}, err
	}
	if body.IdentityProviderID, err = idps.For(ctx, a.record, body.IdentityProviderID); err != nil {
		return AllocatePartyResponse{}, err
	}
	if err := a.node.CheckSynchronizer(body.SynchronizerID, "synchronizer_id"); err != nil {
		return AllocatePartyResponse{}, err
	}
	if err := a.checkGrantee(ctx, body.UserID, body.IdentityProviderID); err != nil {
		return AllocatePartyResponse{}, err
	}
	allocated, err := a.host(ctx, ledger.PartyDetails{
		Party: a.node.LocalParty(hint), IsLocal: true, Annotations: annotations,
		IdentityProviderID: body.IdentityProviderID,
	}, db.Grant{UserID: body.UserID, Guard: users.WithinReach(ctx), MaxParties: maxParties})
	if err != nil {
		return AllocatePartyResponse{}, err
	}
	return AllocatePartyResponse{PartyDetails: new(ToAPIPartyDetails(allocated))}, nil
}

// mayAllocate checks the right to allocate parties. A user without admin rights may allocate for itself, up to
// maxParties in all; 0 means no limit.
func (a *API) mayAllocate(ctx context.Context, userID, identityProviderID string) (maxParties int, err error) {
	claims := endpoint.Claims(ctx)
	caller, ok := claims.User()
	refusal := claims.RequireIDPAdminOf(identityProviderID)
	if refusal == nil || !ok || caller.ID != userID {
		return 0, refusal
	}
	settings, err := a.record.LedgerSettings(ctx)
	if err != nil {
		return 0, err
	}
	if settings.MaxSelfAllocatedParties == 0 {
		return 0, fault.PermissionDenied.New("users cannot allocate parties for themselves on this node")
	}
	return settings.MaxSelfAllocatedParties, nil
}

// host allocates a party on this node and enters it in the record, with the trace of the request. The user of the grant
// gets the right to act as the party.
func (a *API) host(ctx context.Context, details ledger.PartyDetails, grant db.Grant) (ledger.PartyDetails, error) {
	return a.record.HostParty(ctx, db.Hosting{
		Details: details, Grant: grant, Now: a.now(),
		Entry: func(at ledger.Position) ledger.Update {
			return ledger.NewHosting(a.node, details.Party, at, endpoint.Trace(ctx))
		},
	})
}

// checkGrantee refuses an unknown user, one of another identity provider, and one beyond the caller's rights.
func (a *API) checkGrantee(ctx context.Context, userID, identityProviderID string) error {
	if userID == "" {
		return nil
	}
	if err := ledger.CheckUserID(userID); err != nil {
		return fault.InvalidFieldNamed("user_id", err.Error())
	}
	user, err := users.Find(ctx, a.record, "checking user's existence", userID, identityProviderID)
	if err != nil {
		return err
	}
	return a.record.CheckReach(ctx, user, users.WithinReach(ctx))
}

func (a *API) listParties(ctx context.Context, req listPartiesRequest) (ListKnownPartiesResponse, error) {
	if err := endpoint.Claims(ctx).RequireIDPAdmin(req.IdentityProviderID); err != nil {
		return ListKnownPartiesResponse{}, err
	}
	list := v2.ListOf("parties", req.IdentityProviderID, req.Filter)
	after, err := list.After(req.PageToken)
	if err != nil {
		return ListKnownPartiesResponse{}, err
	}
	if req.PageSize < 0 || req.PageSize > MaxPageSize {
		return ListKnownPartiesResponse{}, fault.InvalidArgumentf(
			"Page size must be between 0 and %d, but is %d", MaxPageSize, req.PageSize)
	}
	if err := checkPartyFilter(req.Filter); err != nil {
		return ListKnownPartiesResponse{}, err
	}
	identityProviderID, err := idps.For(ctx, a.record, req.IdentityProviderID)
	if err != nil {
		return ListKnownPartiesResponse{}, err
	}
	size := req.PageSize
	if size == 0 {
		size = MaxPageSize
	}
	parties, err := a.record.ListParties(ctx, req.Filter, ledger.Party(after), size)
	if err != nil {
		return ListKnownPartiesResponse{}, err
	}
	page := ListKnownPartiesResponse{PartyDetails: hideForeign(parties, identityProviderID)}
	if len(parties) == int(size) {
		page.NextPageToken = list.Token(string(parties[size-1].Party))
	}
	return page, nil
}

func checkPartyFilter(filter string) error {
	if filter == "" {
		return nil
	}
	if len(filter) > maxPartyFilter {
		return fault.InvalidFieldNamed("filterString", "the filter is longer than 185 characters")
	}
	if err := ledger.CheckParty(filter); err != nil {
		return fault.InvalidFieldNamed("filterString", err.Error())
	}
	return nil
}

func (a *API) getParties(ctx context.Context, req getPartiesRequest) (GetPartiesResponse, error) {
	names := append([]string{req.Party}, req.Parties...)
	if req.Party == partyPlaceholder && req.Parties != nil {
		names = req.Parties
	}
	parties := ledger.SortedParties(v2.FromAPIParties(names))
	if err := endpoint.Claims(ctx).RequireOperateAs(req.IdentityProviderID, parties...); err != nil {
		return GetPartiesResponse{}, err
	}
	if err := v2.CheckParties(names); err != nil {
		return GetPartiesResponse{}, err
	}
	identityProviderID, err := idps.For(ctx, a.record, req.IdentityProviderID)
	if err != nil {
		return GetPartiesResponse{}, err
	}
	known, err := a.record.Parties(ctx, parties)
	return GetPartiesResponse{PartyDetails: hideForeign(known, identityProviderID)}, err
}

func (a *API) participantID(context.Context, endpoint.NoRequest) (GetParticipantIDResponse, error) {
	return GetParticipantIDResponse{ParticipantID: a.node.ParticipantID}, nil
}

// hideForeign converts parties and hides the details of other identity providers' parties. Only configured identity
// providers do not see whether those are local.
func hideForeign(parties []ledger.PartyDetails, identityProviderID string) []PartyDetails {
	out := make([]PartyDetails, len(parties))
	for i, party := range parties {
		if party.IdentityProviderID == identityProviderID {
			out[i] = ToAPIPartyDetails(party)
			continue
		}
		out[i] = PartyDetails{
			Party: string(party.Party), LocalMetadata: &v2.ObjectMeta{},
			IsLocal: party.IsLocal && identityProviderID == ledger.DefaultIdentityProvider,
		}
	}
	return slices.Clip(out)
}

// ToAPIPartyDetails converts the details of a party.
func ToAPIPartyDetails(details ledger.PartyDetails) PartyDetails {
	return PartyDetails{
		Party:              string(details.Party),
		IsLocal:            details.IsLocal,
		LocalMetadata:      v2.ToAPIMeta(details.ResourceVersion, details.Annotations),
		IdentityProviderID: details.IdentityProviderID,
	}
}
