-- Operators: adds a table of one row, changed every few seconds while the ledger grows, and a column to the row of the
-- head. Workers audit a record that was never pruned again from its beginning.
-- Needs nothing of steps that contract.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE sealed_audit_checkpoint (
    singleton     boolean     NOT NULL DEFAULT true,
    ledger_offset bigint      NOT NULL,
    finding_count bigint      NOT NULL,
    state         json        NOT NULL,
    seal          text        NOT NULL,
    version       bigint      NOT NULL DEFAULT 1,
    moved_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT sealed_audit_checkpoint_exists_once PRIMARY KEY (singleton),
    CONSTRAINT sealed_audit_checkpoint_is_singleton CHECK (singleton),
    CONSTRAINT sealed_audit_checkpoint_offset_is_not_negative CHECK (ledger_offset >= 0)
);
COMMENT ON TABLE sealed_audit_checkpoint IS
    'How far the continuous audit has come, what it found, and what must be there, with a seal of this ledger.';
COMMENT ON TABLE audit_checkpoint IS 'How far the continuous audit of versions before sealed_audit_checkpoint has come.';
-- +goose StatementEnd

-- +goose StatementBegin
LOCK TABLE ledger_head IN ACCESS EXCLUSIVE MODE;
ALTER TABLE ledger_head ADD COLUMN audited_for_offset bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN ledger_head.audited_for_offset IS
    'The record was pruned up to this offset by programs that had audited it up to there.';
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
ALTER TABLE ledger_head DROP COLUMN audited_for_offset;
DROP TABLE sealed_audit_checkpoint;
COMMENT ON TABLE audit_checkpoint IS 'How far the continuous audit has come, and what it found.';
-- +goose StatementEnd
