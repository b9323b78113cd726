-- GetHead reads the head of the record.
-- name: GetHead :one
SELECT
    ledger_offset, record_time, hash, pruned_offset, pruned_time, pruned_hash,
    traffic_base, traffic_base_at, traffic_purchased, traffic_consumed, traffic_granted
FROM ledger_head;

-- GetKeptOffset is the last offset at which contracts changed that nodes keep in memory; 0 before the first.
-- name: GetKeptOffset :one
SELECT kept_offset
FROM ledger_head;

-- LockHead reads the head and locks it until the transaction ends: only the holder of the lock can commit.
-- name: LockHead :one
SELECT
    ledger_offset, record_time, hash, pruned_offset, pruned_time, pruned_hash,
    traffic_base, traffic_base_at, traffic_purchased, traffic_consumed, traffic_granted
FROM ledger_head
FOR UPDATE;

-- MoveHead sets the head and, when the transaction commits, wakes the readers. No row: the head is at the offset or
-- after it, or the entries do not follow it.
-- name: MoveHead :exec
WITH moved AS (
    UPDATE ledger_head
    SET
        ledger_offset = @ledger_offset, record_time = @record_time, hash = @hash, pruned_offset = @pruned_offset,
        traffic_base = @traffic_base, traffic_base_at = @traffic_base_at,
        traffic_purchased = @traffic_purchased, traffic_consumed = @traffic_consumed,
        traffic_granted = @traffic_granted, kept_offset = greatest(kept_offset, @kept_offset)
    WHERE ledger_offset < @ledger_offset AND hash = @follows
    RETURNING ledger_offset
)
SELECT pg_notify('florin_head', moved.ledger_offset::text)
FROM moved;
