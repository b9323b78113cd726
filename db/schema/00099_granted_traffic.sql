-- Operators: adds a column with a constant default to a table of one row.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE ledger_head
    ADD COLUMN traffic_granted bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT ledger_head_granted_traffic_is_not_negative CHECK (traffic_granted >= 0);
COMMENT ON COLUMN ledger_head.traffic_granted IS 'Extra traffic that was ever used though nothing covered it, in bytes.';
-- +goose StatementEnd

-- +goose Down
ALTER TABLE ledger_head
    DROP COLUMN traffic_granted;
