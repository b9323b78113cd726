-- Operators: adds two columns to small tables. Contracts that end from here on make automation look again.
-- +goose Up
-- +goose StatementBegin
LOCK TABLE automations, automation_tasks IN ACCESS EXCLUSIVE MODE;
ALTER TABLE automations ADD COLUMN seen_end_offset bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN automations.seen_end_offset IS 'The record was searched for contracts that ended up to this offset.';
UPDATE automations SET seen_end_offset = coalesce((SELECT ledger_offset FROM ledger_head), 0);

ALTER TABLE automation_tasks ADD COLUMN spends text COLLATE "C" NOT NULL DEFAULT '';
COMMENT ON COLUMN automation_tasks.spends IS 'Whose coin the last submission spends; empty for none.';
-- +goose StatementEnd

-- +goose Down
ALTER TABLE automation_tasks DROP COLUMN spends;
ALTER TABLE automations DROP COLUMN seen_end_offset;
