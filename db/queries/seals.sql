-- ListSealKeys lists the keys of seals, the oldest first.
-- name: ListSealKeys :many
SELECT key_id, secret, since_offset, made_at
FROM seal_keys
ORDER BY key_id;

-- InsertSealKey adds a key, made at the end of the record, unless another process has added one with this id.
-- name: InsertSealKey :execrows
INSERT INTO seal_keys (key_id, secret, since_offset)
SELECT @key_id, @secret, ledger_offset
FROM ledger_head
ON CONFLICT DO NOTHING;
