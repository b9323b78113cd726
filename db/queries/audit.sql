-- GetAuditCheckpoint reads how far the continuous audit has come; no row before its first page.
-- name: GetAuditCheckpoint :one
SELECT ledger_offset, state
FROM audit_checkpoint;

-- InsertAuditCheckpoint stores the first checkpoint unless there is one.
-- name: InsertAuditCheckpoint :execrows
INSERT INTO audit_checkpoint (ledger_offset, state)
VALUES (@ledger_offset, @state)
ON CONFLICT DO NOTHING;

-- MoveAuditCheckpoint replaces the checkpoint unless another process has moved it meanwhile.
-- name: MoveAuditCheckpoint :execrows
UPDATE audit_checkpoint
SET ledger_offset = @ledger_offset, state = @state, moved_at = now()
WHERE ledger_offset = @from_offset::bigint;

-- CountArchived counts the contracts that were archived in a range of offsets, by the index of archived contracts.
-- name: CountArchived :one
SELECT count(*)
FROM contracts
WHERE archived_offset > @after::bigint AND archived_offset <= @up_to::bigint;
