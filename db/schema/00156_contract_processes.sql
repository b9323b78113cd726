-- Operators: takes nothing away. From here on, programs that do not enter themselves into the table processes refuse to
-- start, so that this table knows all that run.
-- +goose Up
COMMENT ON TABLE processes IS 'All processes of the ledger: APIs and workers.';

-- +goose Down
COMMENT ON TABLE processes IS 'The processes of the ledger: APIs and workers.';
