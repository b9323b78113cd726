package ledgerapi

import (
	"context"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// GetLedgerEndResponse is the position of the last entry of the record.
type GetLedgerEndResponse struct {
	Offset int64 `json:"offset" doc:"0 while the ledger is empty"`
}

// GetLatestPrunedOffsetsResponse tells from where on the record can be read.
type GetLatestPrunedOffsetsResponse struct {
	ParticipantPrunedUpToInclusive          int64 `json:"participantPrunedUpToInclusive" doc:"0 if never"`
	AllDivulgedContractsPrunedUpToInclusive int64 `json:"allDivulgedContractsPrunedUpToInclusive" doc:"0 if never"`
}

// GetConnectedSynchronizersResponse lists synchronizers.
type GetConnectedSynchronizersResponse struct {
	ConnectedSynchronizers []ConnectedSynchronizer `json:"connectedSynchronizers" doc:"There is one"`
}

// ConnectedSynchronizer is a synchronizer that the participant is connected to.
type ConnectedSynchronizer struct {
	SynchronizerAlias string                `json:"synchronizerAlias" required:"true" doc:"Its short name"`
	SynchronizerID    string                `json:"synchronizerId" required:"true" doc:"Its id"`
	Permission        ParticipantPermission `json:"permission" doc:"What the participant may do there for the party"`
}

// ParticipantPermission says what a participant may do for a party.
type ParticipantPermission string

// The permissions.
const (
	PermissionUnspecified  ParticipantPermission = "PARTICIPANT_PERMISSION_UNSPECIFIED"
	PermissionSubmission   ParticipantPermission = "PARTICIPANT_PERMISSION_SUBMISSION"
	PermissionConfirmation ParticipantPermission = "PARTICIPANT_PERMISSION_CONFIRMATION"
	PermissionObservation  ParticipantPermission = "PARTICIPANT_PERMISSION_OBSERVATION"
)

// Names implements [endpoint.Enum].
func (ParticipantPermission) Names() []string {
	return []string{
		string(PermissionUnspecified), string(PermissionSubmission), string(PermissionConfirmation),
		string(PermissionObservation),
	}
}

type connectedSynchronizersRequest struct {
	Party              string `query:"party" doc:"Whose permission to tell"`
	ParticipantID      string `query:"participantId" doc:"Whose view; empty for this participant's"`
	IdentityProviderID string `query:"identityProviderId" doc:"Empty for the default identity provider"`
}

func (a *API) ledgerEnd(ctx context.Context, _ endpoint.NoRequest) (GetLedgerEndResponse, error) {
	head, err := a.record.Head(ctx)
	return GetLedgerEndResponse{Offset: int64(head.Offset)}, err
}

func (a *API) latestPrunedOffsets(ctx context.Context, _ endpoint.NoRequest) (GetLatestPrunedOffsetsResponse, error) {
	head, err := a.record.Head(ctx)
	return GetLatestPrunedOffsetsResponse{
		ParticipantPrunedUpToInclusive:          int64(head.Pruned),
		AllDivulgedContractsPrunedUpToInclusive: int64(head.Pruned),
	}, err
}

func (a *API) connectedSynchronizers(
	ctx context.Context, req connectedSynchronizersRequest,
) (GetConnectedSynchronizersResponse, error) {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return GetConnectedSynchronizersResponse{}, err
	}
	alias, _, _ := strings.Cut(a.node.SynchronizerID, "::")
	ours := ConnectedSynchronizer{
		SynchronizerAlias: alias, SynchronizerID: a.node.SynchronizerID, Permission: PermissionUnspecified,
	}
	if req.Party != "" {
		if err := claims.RequireOperateAs(req.IdentityProviderID, ledger.Party(req.Party)); err != nil {
			return GetConnectedSynchronizersResponse{}, err
		}
		if err := ledger.CheckParty(req.Party); err != nil {
			return GetConnectedSynchronizersResponse{}, fault.InvalidFieldNamed("party", err.Error())
		}
	}
	if req.ParticipantID != "" && !a.isThisParticipant(req.ParticipantID) {
		return GetConnectedSynchronizersResponse{}, fault.InvalidArgumentf(
			"participant %q is not known to this node", req.ParticipantID).
			WithHint("Leave participantId out, or take it from GET /v2/parties/participant-id.")
	}
	if req.Party == "" {
		return GetConnectedSynchronizersResponse{ConnectedSynchronizers: []ConnectedSynchronizer{ours}}, nil
	}
	hosted, err := a.permissionOf(ctx, ledger.Party(req.Party))
	if err != nil || hosted == PermissionUnspecified {
		return GetConnectedSynchronizersResponse{}, err
	}
	ours.Permission = hosted
	return GetConnectedSynchronizersResponse{ConnectedSynchronizers: []ConnectedSynchronizer{ours}}, nil
}

// permissionOf is what this node may do for a party: submit for those in its own namespace, confirm or observe for
// those that sign elsewhere, nothing for those that it does not host.
func (a *API) permissionOf(ctx context.Context, party ledger.Party) (ParticipantPermission, error) {
	known, err := a.record.Parties(ctx, []ledger.Party{party})
	switch {
	case err != nil:
		return PermissionUnspecified, err
	case len(known) == 0 || !known[0].IsLocal:
		return PermissionUnspecified, nil
	case strings.HasSuffix(string(party), "::"+a.node.Namespace):
		return PermissionSubmission, nil
	}
	external, _, err := a.record.ExternalParty(ctx, party)
	for _, host := range external.Hosts {
		if host.Participant == a.node.ParticipantID && host.Permission == topology.Observation {
			return PermissionObservation, err
		}
	}
	return PermissionConfirmation, err
}

func (a *API) isThisParticipant(id string) bool {
	return id == a.node.ParticipantID || id == "PAR::"+a.node.ParticipantID
}
