-- InsertExecutedTransactions remembers transactions that were executed.
-- name: InsertExecutedTransactions :exec
INSERT INTO executed_transactions (transaction_uuid, ledger_offset, record_time)
SELECT unnest(@transaction_uuids::text[]), unnest(@ledger_offsets::bigint[]), @record_time;

-- ForgetExecutedTransactions deletes those that nobody can execute again because they are too old.
-- name: ForgetExecutedTransactions :exec
DELETE FROM executed_transactions
WHERE record_time < @before;

-- ListExecutedTransactions finds which of the transactions were executed, and at which offset.
-- name: ListExecutedTransactions :many
SELECT transaction_uuid, ledger_offset
FROM executed_transactions
WHERE transaction_uuid = ANY(@transaction_uuids::text[]);
