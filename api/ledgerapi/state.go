package ledgerapi

import (
	"context"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/topology"
)

// GetLedgerEndResponse is the position of the last entry of the record.
type GetLedgerEndResponse struct {
	Offset int64 `json:"offset" doc:"0 while the ledger is empty"`
}

// GetLatestPrunedOffsetsResponse has the offsets after which the record can be read.
type GetLatestPrunedOffsetsResponse struct {
	ParticipantPrunedUpToInclusive          int64 `json:"participantPrunedUpToInclusive" doc:"Last pruned offset; 0 for none"`
	AllDivulgedContractsPrunedUpToInclusive int64 `json:"allDivulgedContractsPrunedUpToInclusive" doc:"Last pruned offset; 0 for none"`
}

// GetConnectedSynchronizersResponse lists synchronizers.
type GetConnectedSynchronizersResponse struct {
	ConnectedSynchronizers []ConnectedSynchronizer `json:"connectedSynchronizers" doc:"Always one"`
}

// ConnectedSynchronizer is the node's synchronizer, with the permission for the party.
type ConnectedSynchronizer struct {
	SynchronizerAlias string                   `json:"synchronizerAlias" required:"true" doc:"Its short name"`
	SynchronizerID    string                   `json:"synchronizerId" required:"true" doc:"Its id"`
	Permission        v2.ParticipantPermission `json:"permission" doc:"Permission of the participant for the party"`
}

type connectedSynchronizersRequest struct {
	Party              string `query:"party" doc:"Party of the permission"`
	ParticipantID      string `query:"participantId" doc:"The participant; default: this one"`
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
		SynchronizerAlias: alias, SynchronizerID: a.node.SynchronizerID, Permission: v2.PermissionUnspecified,
	}
	if req.Party != "" {
		if err := claims.RequireOperateAs(req.IdentityProviderID, ledger.Party(req.Party)); err != nil {
			return GetConnectedSynchronizersResponse{}, err
		}
		if err := ledger.CheckParty(req.Party); err != nil {
			return GetConnectedSynchronizersResponse{}, fault.InvalidFieldNamed("party", err.Error())
		}
	}
	if req.ParticipantID != "" && !v2.IsThisParticipant(a.node, req.ParticipantID) {
		return GetConnectedSynchronizersResponse{}, fault.InvalidArgumentf(
			"participant %q is not known to this node", req.ParticipantID).
			WithHint("Leave participantId out, or take it from GET /v2/parties/participant-id.")
	}
	if req.Party == "" {
		return GetConnectedSynchronizersResponse{ConnectedSynchronizers: []ConnectedSynchronizer{ours}}, nil
	}
	hosted, err := a.permissionOf(ctx, ledger.Party(req.Party))
	if err != nil || hosted == v2.PermissionUnspecified {
		return GetConnectedSynchronizersResponse{}, err
	}
	ours.Permission = hosted
	return GetConnectedSynchronizersResponse{ConnectedSynchronizers: []ConnectedSynchronizer{ours}}, nil
}

// permissionOf is the permission of this node for a party: to submit for parties of its own namespace, to confirm or
// observe for external parties, and none for parties that it does not host.
func (a *API) permissionOf(ctx context.Context, party ledger.Party) (v2.ParticipantPermission, error) {
	known, err := a.record.Parties(ctx, []ledger.Party{party})
	switch {
	case err != nil:
		return v2.PermissionUnspecified, err
	case len(known) == 0 || !known[0].IsLocal:
		return v2.PermissionUnspecified, nil
	case strings.HasSuffix(string(party), "::"+a.node.Namespace):
		return v2.PermissionSubmission, nil
	}
	external, _, err := a.record.ExternalParty(ctx, party)
	for _, host := range external.Hosts {
		if host.Participant == a.node.ParticipantID && host.Permission == topology.Observation {
			return v2.PermissionObservation, err
		}
	}
	return v2.PermissionConfirmation, err
}
