-- Operators: adds one small table. Each process of the ledger says in it every other second that it runs.
-- +goose Up
CREATE TABLE processes (
    process        text COLLATE "C" NOT NULL,
    role           text             NOT NULL,
    host           text             NOT NULL,
    version        text             NOT NULL,
    schema_version bigint           NOT NULL,
    works          boolean          NOT NULL,
    seen_at        timestamptz      NOT NULL,
    CONSTRAINT processes_once PRIMARY KEY (process)
);
COMMENT ON TABLE processes IS 'The processes of the ledger: APIs and workers.';
COMMENT ON COLUMN processes.process IS 'The name of its connections, application_name.';
COMMENT ON COLUMN processes.schema_version IS 'The newest step of the schema that its program knows.';
COMMENT ON COLUMN processes.works IS 'It has a worker, which reaches Temporal.';

-- +goose Down
DROP TABLE processes;
