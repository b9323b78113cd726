-- Operators: adds a column to the row of the head.
-- +goose Up
-- +goose StatementBegin
LOCK TABLE ledger_head IN ACCESS EXCLUSIVE MODE;
ALTER TABLE ledger_head ADD COLUMN kept_for_offset bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN ledger_head.kept_for_offset IS
    'The record was pruned up to this offset by programs that keep the completions of the last day.';
-- +goose StatementEnd

-- +goose Down
ALTER TABLE ledger_head DROP COLUMN kept_for_offset;
