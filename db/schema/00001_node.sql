-- Operators: no table here grows. `node` holds the node's private key: keep backups of it as secret as the key itself.
--
-- In this and all later steps, identifiers compare by bytes (COLLATE "C"), whatever locale the database was made with:
-- the API promises byte order, indexes stay valid when the system's locales change, and comparison is fastest.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE node (
    singleton       boolean     NOT NULL DEFAULT true,
    participant_id  text        NOT NULL,
    synchronizer_id text        NOT NULL,
    namespace       text        NOT NULL,
    dso             text        NOT NULL,
    operator        text        NOT NULL,
    operator_user   text        NOT NULL,
    private_key     bytea       NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT node_exists_once PRIMARY KEY (singleton),
    CONSTRAINT node_is_singleton CHECK (singleton),
    CONSTRAINT node_private_key_is_a_seed CHECK (octet_length(private_key) = 32)
);
COMMENT ON TABLE node IS 'The identity of the node that works on this database, made once.';

CREATE TABLE ledger_head (
    singleton     boolean     NOT NULL DEFAULT true,
    ledger_offset bigint      NOT NULL DEFAULT 0,
    record_time   timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    pruned_offset bigint      NOT NULL DEFAULT 0,
    CONSTRAINT ledger_head_exists_once PRIMARY KEY (singleton),
    CONSTRAINT ledger_head_is_singleton CHECK (singleton),
    CONSTRAINT ledger_head_covers_pruning CHECK (pruned_offset BETWEEN 0 AND ledger_offset)
);
COMMENT ON TABLE ledger_head IS 'The end of the record; whoever commits locks it.';

INSERT INTO ledger_head DEFAULT VALUES;
-- +goose StatementEnd

-- +goose Down
DROP TABLE ledger_head;
DROP TABLE node;
