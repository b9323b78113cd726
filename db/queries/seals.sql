-- ListSealKeys lists the seal keys, the oldest first.
-- name: ListSealKeys :many
SELECT key_id, secret, made_at
FROM seal_keys
ORDER BY key_id;

-- InsertSealKey adds a key unless another process has added one with this id.
-- name: InsertSealKey :execrows
INSERT INTO seal_keys (key_id, secret)
VALUES (@key_id, @secret)
ON CONFLICT DO NOTHING;
