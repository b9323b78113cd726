-- Operators: one row for each externally signed transaction of the last two days; commits delete what is older.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE updates ADD COLUMN external_hash text;
COMMENT ON COLUMN updates.external_hash IS 'What was signed outside the node, in hexadecimal; null for all others.';

CREATE TABLE executed_transactions (
    transaction_uuid text COLLATE "C" NOT NULL,
    ledger_offset    bigint           NOT NULL,
    record_time      timestamptz      NOT NULL,
    CONSTRAINT executed_transactions_once PRIMARY KEY (transaction_uuid)
);
COMMENT ON TABLE executed_transactions IS 'Signed transactions that were executed lately: each may be only once.';

CREATE INDEX executed_transactions_by_time ON executed_transactions (record_time);
-- +goose StatementEnd

-- +goose Down
DROP TABLE executed_transactions;
ALTER TABLE updates DROP COLUMN external_hash;
