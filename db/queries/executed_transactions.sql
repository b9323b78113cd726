-- InsertExecutedTransactions remembers transactions that were executed.
-- name: InsertExecutedTransactions :exec
INSERT INTO executed_transactions (transaction_uuid, ledger_offset, record_time)
SELECT unnest(@transaction_uuids::text[]), unnest(@ledger_offsets::bigint[]), @record_time;

-- ForgetExecutedTransactions forgets those that nobody could execute again anyway.
-- name: ForgetExecutedTransactions :exec
DELETE FROM executed_transactions
WHERE record_time < @before;

-- ListExecutedTransactions finds those of the transactions that were executed, and where.
-- name: ListExecutedTransactions :many
SELECT transaction_uuid, ledger_offset
FROM executed_transactions
WHERE transaction_uuid = ANY(@transaction_uuids::text[]);
