-- Operators: both tables grow with every transaction and are never changed. Old offsets lie together in `updates`, which
-- can be pruned or partitioned by offset.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE updates (
    ledger_offset     bigint             NOT NULL,
    update_id         text COLLATE "C"   NOT NULL,
    record_time       timestamptz        NOT NULL,
    effective_at      timestamptz        NOT NULL,
    user_id           text COLLATE "C"   NOT NULL,
    command_id        text COLLATE "C"   NOT NULL,
    workflow_id       text COLLATE "C"   NOT NULL,
    act_as            text[] COLLATE "C" NOT NULL,
    traceparent       text               NOT NULL,
    tracestate        text               NOT NULL,
    paid_traffic_cost bigint             NOT NULL,
    events            json               NOT NULL,
    CONSTRAINT updates_offset_unique PRIMARY KEY (ledger_offset),
    CONSTRAINT updates_id_unique UNIQUE (update_id),
    CONSTRAINT updates_offset_is_positive CHECK (ledger_offset > 0)
);
COMMENT ON TABLE updates IS 'The committed transactions; events holds the transaction tree in execution order.';

-- No foreign key: both tables are written together under the head lock and never changed, and checking each row would
-- cost more than writing it.
CREATE TABLE update_parties (
    party         text COLLATE "C" NOT NULL,
    ledger_offset bigint           NOT NULL,
    CONSTRAINT update_parties_once PRIMARY KEY (party, ledger_offset)
);
COMMENT ON TABLE update_parties IS 'Who sees at least one event of a transaction.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE update_parties;
DROP TABLE updates;
