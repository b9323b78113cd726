-- Operators: adds a column to a table of one row. The first process that starts afterwards notes which Temporal has the
-- ledger's namespace; one that is given another Temporal does not start.
-- Needs nothing of steps that contract.

-- +goose Up
ALTER TABLE temporal_namespace ADD COLUMN server_id text COLLATE "C" NOT NULL DEFAULT '';
COMMENT ON COLUMN temporal_namespace.server_id IS
    'The id of the Temporal that has the namespace. Empty where it is not known.';

-- +goose Down
ALTER TABLE temporal_namespace DROP COLUMN server_id;
