-- Operators: a table of one row, changed every few seconds while the ledger grows. Deleting the row makes the node audit
-- the whole record again.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE audit_checkpoint (
    singleton     boolean     NOT NULL DEFAULT true,
    ledger_offset bigint      NOT NULL,
    state         json        NOT NULL,
    moved_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT audit_checkpoint_exists_once PRIMARY KEY (singleton),
    CONSTRAINT audit_checkpoint_is_singleton CHECK (singleton),
    CONSTRAINT audit_checkpoint_offset_is_not_negative CHECK (ledger_offset >= 0)
);
COMMENT ON TABLE audit_checkpoint IS 'How far the continuous audit has come, and what it found.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit_checkpoint;
