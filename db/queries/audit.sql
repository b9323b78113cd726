-- GetAuditCheckpoint reads how far the continuous audit has come; no row before its first page.
-- name: GetAuditCheckpoint :one
SELECT ledger_offset, finding_count, state, seal, version
FROM sealed_audit_checkpoint;

-- GetUnsealedAuditCheckpoint reads how far the audit of earlier versions has come.
-- name: GetUnsealedAuditCheckpoint :one
SELECT ledger_offset, state
FROM audit_checkpoint;

-- InsertAuditCheckpoint stores the first checkpoint unless there is one.
-- name: InsertAuditCheckpoint :execrows
INSERT INTO sealed_audit_checkpoint (ledger_offset, finding_count, state, seal)
VALUES (@ledger_offset, @finding_count, @state, @seal)
ON CONFLICT DO NOTHING;

-- MoveAuditCheckpoint replaces the checkpoint unless another process has moved it meanwhile.
-- name: MoveAuditCheckpoint :execrows
UPDATE sealed_audit_checkpoint
SET
    ledger_offset = @ledger_offset, finding_count = @finding_count, state = @state, seal = @seal,
    version = version + 1, moved_at = now()
WHERE version = @from_version::bigint;

-- TouchAuditCheckpoint keeps others from moving the checkpoint that they know.
-- name: TouchAuditCheckpoint :exec
UPDATE sealed_audit_checkpoint
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

-- ListMislisted pages through the active contracts in order of creation, and says of each for how many of its
-- stakeholders active_contracts does not say the same, by the primary key of that table.
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
