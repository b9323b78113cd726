-- InsertUpdates stores transactions. The elements of act_as are array literals; an empty topology, vetting or external
-- hash is none.
-- name: InsertUpdates :exec
INSERT INTO updates (
    ledger_offset, update_id, record_time, effective_at, user_id, command_id, workflow_id, act_as, traceparent,
    tracestate, paid_traffic_cost, events, topology, external_hash, vetting, hash
)
SELECT
    unnest(@ledger_offsets::bigint[]), unnest(@update_ids::text[]), unnest(@record_times::timestamptz[]),
    unnest(@effective_ats::timestamptz[]), unnest(@user_ids::text[]), unnest(@command_ids::text[]),
    unnest(@workflow_ids::text[]), unnest(@act_as::text[])::text[], unnest(@traceparents::text[]),
    unnest(@tracestates::text[]), unnest(@paid_traffic_costs::bigint[]), unnest(@events::text[])::json,
    nullif(unnest(@topologies::text[]), '')::json, nullif(unnest(@external_hashes::text[]), ''),
    nullif(unnest(@vettings::text[]), '')::json, unnest(@hashes::bytea[]);

-- InsertUpdateParties stores who sees which transaction, and whether it may be in the party's history: one element of
-- each list for each pair.
-- name: InsertUpdateParties :exec
INSERT INTO update_parties (party, ledger_offset, in_history)
SELECT unnest(@parties::text[]), unnest(@ledger_offsets::bigint[]), unnest(@in_histories::boolean[]);

-- ListHistory pages downwards through the transactions that may be in the history of a party: a range of an index that
-- has only these.
-- name: ListHistory :many
SELECT u.*
FROM updates AS u
WHERE u.ledger_offset IN (
    SELECT up.ledger_offset
    FROM update_parties AS up
    WHERE up.party = @party AND up.in_history AND up.ledger_offset <= @up_to
    ORDER BY up.ledger_offset DESC
    LIMIT @count_max
)
ORDER BY u.ledger_offset DESC;

-- GetUpdate finds the transaction at an offset.
-- name: GetUpdate :one
SELECT *
FROM updates
WHERE ledger_offset = @ledger_offset;

-- GetUpdateByID finds a transaction by its id.
-- name: GetUpdateByID :one
SELECT *
FROM updates
WHERE update_id = @update_id;

-- GetUpdateByHash finds the transaction that was signed outside the node, by its hash.
-- name: GetUpdateByHash :one
SELECT *
FROM updates
WHERE external_hash = @external_hash::text;

-- ListWorkflowIDs finds the workflow ids of the transactions at some offsets, by the primary key.
-- name: ListWorkflowIDs :many
SELECT ledger_offset, workflow_id
FROM updates
WHERE ledger_offset = ANY(@ledger_offsets::bigint[]) AND workflow_id <> '';

-- ListCauses finds the traces of the transactions that made or ended contracts, the latest first.
-- name: ListCauses :many
SELECT u.traceparent, u.tracestate
FROM updates AS u
WHERE
    u.traceparent <> ''
    AND u.ledger_offset IN (
        SELECT c.created_offset
        FROM contracts AS c
        WHERE c.contract_id = ANY(@contract_ids::text[])
        UNION ALL
        SELECT c.archived_offset
        FROM contracts AS c
        WHERE c.contract_id = ANY(@contract_ids::text[]) AND c.archived_offset IS NOT NULL
    )
ORDER BY u.ledger_offset DESC
LIMIT @count_max;

-- ListUpdates pages through all transactions upwards, by the primary key.
-- name: ListUpdates :many
SELECT *
FROM updates
WHERE ledger_offset > @after AND ledger_offset <= @up_to
ORDER BY ledger_offset
LIMIT @count_max;

-- GetLastRecordTime finds the last transaction of a range and when it was recorded, and reads nothing else of it.
-- name: GetLastRecordTime :one
SELECT ledger_offset, record_time
FROM updates
WHERE ledger_offset > @after AND ledger_offset <= @up_to
ORDER BY ledger_offset DESC
LIMIT 1;

-- ListUpdatesDescending is ListUpdates downwards.
-- name: ListUpdatesDescending :many
SELECT *
FROM updates
WHERE ledger_offset > @after AND ledger_offset <= @up_to
ORDER BY ledger_offset DESC
LIMIT @count_max;

-- ListUpdatesOfParties pages upwards through the transactions that any of the parties sees. Each party's part is a
-- range of the primary key of update_parties.
-- name: ListUpdatesOfParties :many
SELECT u.*
FROM updates AS u
WHERE u.ledger_offset IN (
    SELECT DISTINCT page.ledger_offset
    FROM unnest(@parties::text[]) AS wanted (party)
    CROSS JOIN LATERAL (
        SELECT up.ledger_offset
        FROM update_parties AS up
        WHERE up.party = wanted.party AND up.ledger_offset > @after AND up.ledger_offset <= @up_to
        ORDER BY up.ledger_offset
        LIMIT @count_max
    ) AS page
    ORDER BY page.ledger_offset
    LIMIT @count_max
)
ORDER BY u.ledger_offset;

-- ListUpdatesOfPartiesDescending is ListUpdatesOfParties downwards.
-- name: ListUpdatesOfPartiesDescending :many
SELECT u.*
FROM updates AS u
WHERE u.ledger_offset IN (
    SELECT DISTINCT page.ledger_offset
    FROM unnest(@parties::text[]) AS wanted (party)
    CROSS JOIN LATERAL (
        SELECT up.ledger_offset
        FROM update_parties AS up
        WHERE up.party = wanted.party AND up.ledger_offset > @after AND up.ledger_offset <= @up_to
        ORDER BY up.ledger_offset DESC
        LIMIT @count_max
    ) AS page
    ORDER BY page.ledger_offset DESC
    LIMIT @count_max
)
ORDER BY u.ledger_offset DESC;
