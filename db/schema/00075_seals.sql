-- Operators: `seal_keys` holds the secrets by which nodes know their own submissions and rows again: keep backups as secret
-- as these. The first key is made by the first node of a version that seals; rows before its offset have no seal. The
-- columns are added without rewriting a table. Stop all nodes of earlier versions before this step: what they take
-- afterwards has no seal, and is refused.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE seal_keys (
    key_id       integer     NOT NULL,
    secret       bytea       NOT NULL,
    since_offset bigint      NOT NULL,
    made_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT seal_keys_id_unique PRIMARY KEY (key_id),
    CONSTRAINT seal_keys_id_is_positive CHECK (key_id > 0),
    CONSTRAINT seal_keys_secret_is_whole CHECK (octet_length(secret) = 32),
    CONSTRAINT seal_keys_since_offset_is_not_negative CHECK (since_offset >= 0)
);
COMMENT ON TABLE seal_keys IS 'The keys of seals; the one with the highest id makes them, all of them check.';
COMMENT ON COLUMN seal_keys.since_offset IS 'The end of the record when the key was made.';

ALTER TABLE completions ADD COLUMN seal text COLLATE "C";
COMMENT ON COLUMN completions.seal IS 'The seal of the row; null in rows from before there were seals.';
ALTER TABLE updates ADD COLUMN seal text COLLATE "C";
COMMENT ON COLUMN updates.seal IS 'The seal of the row; null in rows from before there were seals.';

ALTER TABLE ledger_head ADD COLUMN pruned_time timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00';
COMMENT ON COLUMN ledger_head.pruned_time IS 'The record time of the pruned offset: what was received before may have been decided.';
-- Of what was pruned before this step only an upper bound is known: the time of what was left then.
UPDATE ledger_head
SET pruned_time = coalesce(
    (SELECT min(c.record_time) FROM completions AS c WHERE c.ledger_offset > ledger_head.pruned_offset), record_time
)
WHERE pruned_offset > 0;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE ledger_head DROP COLUMN pruned_time;
ALTER TABLE updates DROP COLUMN seal;
ALTER TABLE completions DROP COLUMN seal;
DROP TABLE seal_keys;
