-- Operators: a lifecycle whose workflow Temporal refuses to start notes why, and no longer holds up the ledger's clock.
-- Lifecycles under names that Temporal cannot take are due at once, and get names that it can.

-- +goose Up
ALTER TABLE lifecycles ADD COLUMN refusal text NOT NULL DEFAULT '';
COMMENT ON COLUMN lifecycles.refusal IS 'Why Temporal refused the last call of the workflow; empty when it did not.';

UPDATE lifecycles
SET version = version + 1, due_at = 'epoch', call_after = 'epoch', calls = 0
WHERE workflow_id !~ '^[ -~]{1,255}$' OR workflow_id ~ '["''`\\]' OR workflow_id LIKE 'traffic::%';

-- +goose Down
ALTER TABLE lifecycles DROP COLUMN refusal;
