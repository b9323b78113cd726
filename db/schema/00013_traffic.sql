-- Operators: adds columns with constant defaults to a table of one row.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE ledger_head
    ADD COLUMN traffic_base      bigint      NOT NULL DEFAULT 0,
    ADD COLUMN traffic_base_at   timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    ADD COLUMN traffic_purchased bigint      NOT NULL DEFAULT 0,
    ADD COLUMN traffic_consumed  bigint      NOT NULL DEFAULT 0,
    ADD CONSTRAINT ledger_head_traffic_is_not_negative
        CHECK (traffic_base >= 0 AND traffic_purchased >= 0 AND traffic_consumed >= 0);
COMMENT ON COLUMN ledger_head.traffic_base IS 'Free traffic that was left at traffic_base_at, in bytes.';
COMMENT ON COLUMN ledger_head.traffic_purchased IS 'Extra traffic that was ever bought for the node, in bytes.';
COMMENT ON COLUMN ledger_head.traffic_consumed IS 'Extra traffic that was ever used, in bytes.';
-- +goose StatementEnd

-- +goose Down
ALTER TABLE ledger_head
    DROP COLUMN traffic_base,
    DROP COLUMN traffic_base_at,
    DROP COLUMN traffic_purchased,
    DROP COLUMN traffic_consumed;
