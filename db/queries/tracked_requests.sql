-- NoteTrackedRequests stores the states of requests, and replaces earlier ones. The rows must differ in party, kind,
-- requester or tracking id.
-- name: NoteTrackedRequests :exec
INSERT INTO tracked_requests (party, kind, requester, tracking_hash, ledger_offset, state)
SELECT
    unnest(@parties::text[]), unnest(@kinds::text[]), unnest(@requesters::text[]), unnest(@tracking_hashes::text[]),
    unnest(@ledger_offsets::bigint[]), unnest(@states::text[])::json
ON CONFLICT (party, kind, tracking_hash, requester) DO UPDATE
SET ledger_offset = excluded.ledger_offset, state = excluded.state;

-- GetTrackedRequest finds the state of a request.
-- name: GetTrackedRequest :one
SELECT state
FROM tracked_requests
WHERE party = @party AND kind = @kind AND tracking_hash = @tracking_hash AND requester = @requester;

-- ListRequesters finds those who made requests of the kind with the tracking id that concern the party.
-- name: ListRequesters :many
SELECT requester
FROM tracked_requests
WHERE party = @party AND kind = @kind AND tracking_hash = @tracking_hash
ORDER BY requester
LIMIT @count_max;
