-- GetAuditCheckpoint reads the progress of the continuous audit; no row before its first page.
-- name: GetAuditCheckpoint :one
SELECT ledger_offset, finding_count, state, version
FROM audit_checkpoint;

-- InsertAuditCheckpoint stores the first checkpoint unless there is one.
-- name: InsertAuditCheckpoint :execrows
INSERT INTO audit_checkpoint (ledger_offset, finding_count, state)
VALUES (@ledger_offset, @finding_count, @state)
ON CONFLICT DO NOTHING;

-- MoveAuditCheckpoint replaces the checkpoint unless another process has moved it meanwhile.
-- name: MoveAuditCheckpoint :execrows
UPDATE audit_checkpoint
SET
    ledger_offset = @ledger_offset, finding_count = @finding_count, state = @state, version = version + 1,
    moved_at = now()
WHERE version = @from_version::bigint;

-- TouchAuditCheckpoint makes others fail that move the checkpoint that they have read.
-- name: TouchAuditCheckpoint :exec
UPDATE audit_checkpoint
SET version = version + 1;

-- CountArchived counts the contracts that were archived in a range of offsets, by the index of archived contracts.
-- name: CountArchived :one
SELECT count(*)
FROM contracts
WHERE archived_offset > @after::bigint AND archived_offset <= @up_to::bigint;

-- CountBeyondEnd counts the rows after the end of the record.
-- name: CountBeyondEnd :one
SELECT (
    (SELECT count(*) FROM updates AS u WHERE u.ledger_offset > h.ledger_offset)
    + (SELECT count(*) FROM completions AS c WHERE c.ledger_offset > h.ledger_offset)
)::bigint AS beyond
FROM ledger_head AS h;

-- ListMislisted pages through the active contracts in order of creation, and counts for each the stakeholders for whom
-- active_contracts differs, by the primary key of that table.
-- name: ListMislisted :many
SELECT
    c.contract_id, c.created_offset, c.created_node_id,
    (
        SELECT count(*)
        FROM unnest(c.signatories || c.observers) AS stakeholder (party)
        LEFT JOIN active_contracts AS a
            ON a.party = stakeholder.party AND a.created_offset = c.created_offset
            AND a.created_node_id = c.created_node_id
        WHERE
            a.contract_id IS DISTINCT FROM c.contract_id OR a.template_id IS DISTINCT FROM c.template_id
            OR a.in_network IS DISTINCT FROM c.in_network
            OR (a.maker IS NULL AND NOT (c.in_network AND cardinality(c.observers) = 0))
    ) AS mislisted
FROM contracts AS c
WHERE
    c.archived_offset IS NULL
    AND (c.created_offset, c.created_node_id) > (@after_offset::bigint, @after_node_id::integer)
ORDER BY c.created_offset, c.created_node_id
LIMIT @count_max;

-- ListStrays pages through active_contracts, and says of each row whether no active contract of this position has this
-- stakeholder.
-- name: ListStrays :many
SELECT
    a.party, a.created_offset, a.created_node_id, a.contract_id,
    (
        c.contract_id IS NULL OR c.archived_offset IS NOT NULL OR c.created_offset <> a.created_offset
        OR c.created_node_id <> a.created_node_id OR a.party <> ALL(c.signatories || c.observers)
    )::boolean AS is_stray
FROM (
    SELECT party, created_offset, created_node_id, contract_id
    FROM active_contracts
    WHERE
        (party, created_offset, created_node_id)
        > (@after_party::text, @after_offset::bigint, @after_node_id::integer)
    ORDER BY party, created_offset, created_node_id
    LIMIT @count_max
) AS a
LEFT JOIN contracts AS c ON c.contract_id = a.contract_id
ORDER BY a.party, a.created_offset, a.created_node_id;

-- ListUnlistedCompletions finds, of the completions of a range of offsets, the acting parties for whom they are not
-- listed, by the primary keys.
-- name: ListUnlistedCompletions :many
SELECT acting.party::text AS party, c.ledger_offset
FROM completions AS c
CROSS JOIN LATERAL unnest(c.act_as) AS acting (party)
LEFT JOIN completion_parties AS cp
    ON
        cp.identity_provider_id = c.identity_provider_id AND cp.user_id = c.user_id AND cp.party = acting.party
        AND cp.ledger_offset = c.ledger_offset AND cp.ledger_offset > 0
WHERE c.ledger_offset > @after AND c.ledger_offset <= @up_to AND cp.ledger_offset IS NULL
ORDER BY c.ledger_offset, acting.party;

-- ListUnlistedUpdates finds, of pairs of a party and an update that it sees, those that are not listed, or not listed
-- for the party's history.
-- name: ListUnlistedUpdates :many
SELECT
    seen.party::text AS party, seen.ledger_offset::bigint AS ledger_offset,
    (up.party IS NOT NULL)::boolean AS is_listed
FROM (
    SELECT
        unnest(@parties::text[]) AS party, unnest(@ledger_offsets::bigint[]) AS ledger_offset,
        unnest(@in_histories::boolean[]) AS in_history
) AS seen
LEFT JOIN update_parties AS up ON up.party = seen.party AND up.ledger_offset = seen.ledger_offset
WHERE up.party IS NULL OR (seen.in_history AND NOT up.in_history)
ORDER BY seen.ledger_offset, seen.party;

-- ListUnlistedExecutions finds the transactions of a range of offsets that were signed outside the node, executed
-- within the retention time, and missing in executed_transactions. That table has the time at which the executing
-- commit ended.
-- name: ListUnlistedExecutions :many
SELECT u.ledger_offset
FROM updates AS u
CROSS JOIN ledger_head AS h
WHERE
    u.ledger_offset > @after AND u.ledger_offset <= @up_to AND u.external_hash IS NOT NULL
    AND u.record_time >= h.record_time - make_interval(secs => @retention_seconds::double precision)
    AND NOT EXISTS (
        SELECT FROM executed_transactions AS e
        WHERE
            e.record_time >= u.record_time AND e.record_time < u.record_time + interval '1 second'
            AND e.ledger_offset = u.ledger_offset
    )
ORDER BY u.ledger_offset;

-- ListTracked finds what is known of requests: the number of each in the lists, its offset and its state.
-- name: ListTracked :many
SELECT wanted.number::integer AS number, t.ledger_offset, t.state
FROM (
    SELECT
        unnest(@parties::text[]) AS party, unnest(@kinds::text[]) AS kind, unnest(@requesters::text[]) AS requester,
        unnest(@tracking_hashes::text[]) AS tracking_hash, generate_subscripts(@parties::text[], 1) AS number
) AS wanted
INNER JOIN tracked_requests AS t
    ON
        t.party = wanted.party AND t.kind = wanted.kind AND t.tracking_hash = wanted.tracking_hash
        AND t.requester = wanted.requester;

-- CountListed counts the entries of listings: those of a range of offsets, and those of offsets that the record does
-- not have, by the head of the same snapshot. Of executed transactions, which are forgotten in time, it counts only those
-- that are not the one entry of an update that was signed outside the node.
-- name: CountListed :many
SELECT
    l.listing::text AS listing,
    count(*) FILTER (WHERE l.ledger_offset > @after::bigint AND l.ledger_offset <= @up_to::bigint) AS within,
    count(*) FILTER (WHERE l.ledger_offset <= 0 OR l.ledger_offset > h.ledger_offset) AS outside
FROM (
    SELECT 'completion_parties' AS listing, cp.ledger_offset FROM completion_parties AS cp
    UNION ALL
    SELECT 'update_parties' AS listing, up.ledger_offset FROM update_parties AS up
    UNION ALL
    SELECT 'tracked_requests' AS listing, t.ledger_offset FROM tracked_requests AS t
    UNION ALL
    SELECT 'executed_transactions' AS listing, e.ledger_offset
    FROM (
        SELECT ledger_offset, row_number() OVER (PARTITION BY ledger_offset) AS number FROM executed_transactions
    ) AS e
    WHERE
        e.number > 1
        OR NOT EXISTS (
            SELECT FROM updates AS u
            WHERE u.ledger_offset = e.ledger_offset AND u.external_hash IS NOT NULL
        )
) AS l
CROSS JOIN ledger_head AS h
GROUP BY l.listing
ORDER BY l.listing;
