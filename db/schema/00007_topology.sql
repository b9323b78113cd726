-- Operators: one more row in `updates` for each party that is allocated from now on.

-- +goose Up
ALTER TABLE updates ADD COLUMN topology json;
COMMENT ON COLUMN updates.topology IS 'Who hosts whom, on topology transactions; null on all others.';
COMMENT ON TABLE updates IS 'Transactions, whose tree in execution order is in events, and topology transactions.';

-- +goose Down
COMMENT ON TABLE updates IS 'The committed transactions; events holds the transaction tree in execution order.';
DELETE FROM update_parties WHERE ledger_offset IN (SELECT ledger_offset FROM updates WHERE topology IS NOT NULL);
DELETE FROM updates WHERE topology IS NOT NULL;
ALTER TABLE updates DROP COLUMN topology;
