package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Tracked is a step of a request that a client gave a tracking id.
type Tracked struct {
	TrackedID

	Offset ledger.Offset
	// State is what is known of the request from there on, in JSON.
	State json.RawMessage
}

// TrackedID names a request: parties use tracking ids independently of one another, and for each kind of request.
type TrackedID struct {
	Party      ledger.Party
	Kind       string
	TrackingID string
}

// queueTracked notes what became of requests. Of several steps of the same request the last one counts.
func (p *pipeline) queueTracked(ctx context.Context, entries Entries) error {
	if len(entries.Tracked) == 0 {
		return nil
	}
	last := make(map[TrackedID]int, len(entries.Tracked))
	for i, tracked := range entries.Tracked {
		last[tracked.TrackedID] = i
	}
	var rows dbgen.NoteTrackedRequestsParams
	for i, tracked := range entries.Tracked {
		if last[tracked.TrackedID] != i {
			continue
		}
		rows.Parties = append(rows.Parties, string(tracked.Party))
		rows.Kinds = append(rows.Kinds, tracked.Kind)
		rows.TrackingHashes = append(rows.TrackingHashes, trackingHash(tracked.TrackingID))
		rows.LedgerOffsets = append(rows.LedgerOffsets, int64(tracked.Offset))
		rows.States = append(rows.States, string(tracked.State))
	}
	return p.queries().NoteTrackedRequests(ctx, rows)
}

// TrackedState is what became of a request, in JSON; false when the party has none of that kind with the tracking id.
// It is known from the commit of the request on, whatever is pruned.
func (r Reader) TrackedState(ctx context.Context, id TrackedID) (json.RawMessage, bool, error) {
	state, err := r.queries.GetTrackedRequest(ctx, dbgen.GetTrackedRequestParams{
		Party: id.Party, Kind: id.Kind, TrackingHash: trackingHash(id.TrackingID),
	})
	if isNoRows(err) {
		return nil, false, nil
	}
	return state, err == nil, failed("reading a tracked request", err)
}

func trackingHash(trackingID string) string {
	hash := sha256.Sum256([]byte(trackingID))
	return hex.EncodeToString(hash[:])
}
