-- Operators: adds a table of one row, and a column to the small table of processes. The first process that starts
-- afterwards notes in which Temporal namespace the ledger works; one that is given another does not start.
-- Needs nothing of steps that contract.
-- +goose Up
-- +goose StatementBegin
CREATE TABLE temporal_namespace (
    singleton    boolean          NOT NULL DEFAULT true,
    database_id  text COLLATE "C" NOT NULL,
    name         text COLLATE "C" NOT NULL,
    namespace_id text COLLATE "C" NOT NULL,
    since        timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT temporal_namespace_exists_once PRIMARY KEY (singleton),
    CONSTRAINT temporal_namespace_is_singleton CHECK (singleton)
);
COMMENT ON TABLE temporal_namespace IS 'The Temporal namespace in which the ledger works.';
COMMENT ON COLUMN temporal_namespace.database_id IS 'The database of which this counts; a copy has another id.';
COMMENT ON COLUMN temporal_namespace.namespace_id IS
    'Temporal''s id of it: another one after it was made anew. Empty until a process has started in it.';

ALTER TABLE processes ADD COLUMN namespace_id text COLLATE "C" NOT NULL DEFAULT '';
COMMENT ON COLUMN processes.namespace_id IS 'The Temporal namespace in which it works; empty before.';
-- +goose StatementEnd

-- +goose Down
ALTER TABLE processes DROP COLUMN namespace_id;
DROP TABLE temporal_namespace;
