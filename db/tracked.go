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
	// State is the state of the request from that offset on, in JSON.
	State json.RawMessage
}

// TrackedID names a request as it concerns a party. Each party has its own tracking ids, for each kind of request: a
// request of one party changes nothing of another party's request with the same id.
type TrackedID struct {
	// Party is whom the request concerns.
	Party ledger.Party
	// Requester is whose request it is.
	Requester  ledger.Party
	Kind       string
	TrackingID string
}

// queueTracked stores the state of requests. Of several steps of the same request the last one counts.
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
		rows.Requesters = append(rows.Requesters, string(tracked.Requester))
		rows.Kinds = append(rows.Kinds, tracked.Kind)
		rows.TrackingHashes = append(rows.TrackingHashes, trackingHash(tracked.TrackingID))
		rows.LedgerOffsets = append(rows.LedgerOffsets, int64(tracked.Offset))
		rows.States = append(rows.States, string(tracked.State))
	}
	return p.queries().NoteTrackedRequests(ctx, rows)
}

// TrackedState returns the state of a request, in JSON; false if there is none. The state is known from the commit of
// the request on, and pruning keeps it.
func (r Reader) TrackedState(ctx context.Context, id TrackedID) (json.RawMessage, bool, error) {
	state, err := r.queries.GetTrackedRequest(ctx, dbgen.GetTrackedRequestParams{
		Party: id.Party, Kind: id.Kind, TrackingHash: trackingHash(id.TrackingID), Requester: string(id.Requester),
	})
	if isNoRows(err) {
		return nil, false, nil
	}
	return state, err == nil, failed("reading a tracked request", err)
}

// TrackedStates returns the states of requests. The map has no entries for unknown ones.
func (r Reader) TrackedStates(ctx context.Context, ids []TrackedID) (map[TrackedID]Tracked, error) {
	var requests dbgen.ListTrackedParams
	for _, id := range ids {
		requests.Parties = append(requests.Parties, string(id.Party))
		requests.Kinds = append(requests.Kinds, id.Kind)
		requests.Requesters = append(requests.Requesters, string(id.Requester))
		requests.TrackingHashes = append(requests.TrackingHashes, trackingHash(id.TrackingID))
	}
	rows, err := r.queries.ListTracked(ctx, requests)
	states := make(map[TrackedID]Tracked, len(rows))
	for _, row := range rows {
		id := ids[row.Number-1]
		states[id] = Tracked{TrackedID: id, Offset: row.LedgerOffset, State: row.State}
	}
	return states, failed("reading tracked requests", err)
}

// Requesters lists the parties whose requests of the kind with the tracking id concern the party, up to a limit.
func (r Reader) Requesters(
	ctx context.Context, party ledger.Party, kind, trackingID string, limit int32,
) ([]ledger.Party, error) {
	rows, err := r.queries.ListRequesters(ctx, dbgen.ListRequestersParams{
		Party: party, Kind: kind, TrackingHash: trackingHash(trackingID), CountMax: limit,
	})
	requesters := make([]ledger.Party, len(rows))
	for i, row := range rows {
		requesters[i] = ledger.Party(row)
	}
	return requesters, failed("reading tracked requests", err)
}

func trackingHash(trackingID string) string {
	hash := sha256.Sum256([]byte(trackingID))
	return hex.EncodeToString(hash[:])
}
