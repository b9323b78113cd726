-- Operators: adds a column that is empty for all that is there, and two indexes with one entry for each transaction that
-- was signed outside the node. They are built while the tables are locked for writing.
-- +goose Up
-- +goose StatementBegin
ALTER TABLE completions ADD COLUMN external_hash text COLLATE "C";
COMMENT ON COLUMN completions.external_hash IS 'What was signed outside the node, in hexadecimal; null for all others.';

CREATE INDEX completions_by_hash ON completions (external_hash, ledger_offset DESC) WHERE external_hash IS NOT NULL;
CREATE INDEX updates_by_hash ON updates (external_hash) WHERE external_hash IS NOT NULL;
-- +goose StatementEnd

-- +goose Down
DROP INDEX updates_by_hash;
ALTER TABLE completions DROP COLUMN external_hash;
