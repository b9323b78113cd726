-- Operators: one more column of the one row of the clock. On a production ledger it stays null.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE ledger_clock
    -- Where ledger time stands, for a clock that only moves when it is advanced; null for one that runs.
    ADD COLUMN stands_at timestamptz,
    ADD CONSTRAINT ledger_clock_stands_only_simulated CHECK (is_simulated OR stands_at IS NULL);
-- +goose StatementEnd

-- +goose Down
ALTER TABLE ledger_clock DROP COLUMN stands_at;
