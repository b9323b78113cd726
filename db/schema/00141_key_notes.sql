-- Operators: adds a column without a default. That takes a moment, whatever the table has.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE idempotency_keys ADD COLUMN note text;
COMMENT ON COLUMN idempotency_keys.note IS 'What an attempt decided or did beside the ledger, by which later attempts go.';
-- +goose StatementEnd

-- +goose Down
ALTER TABLE idempotency_keys DROP COLUMN note;
