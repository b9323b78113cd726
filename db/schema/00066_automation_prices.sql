-- Operators: tasks that wait for the coin's price say for which; only those are in the index.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE automation_tasks
    -- The task is looked at when the coin is worth more than this, in US dollars; null for no such price.
    ADD COLUMN wake_above numeric;
CREATE INDEX automation_tasks_prices ON automation_tasks (kind, wake_above) WHERE wake_above IS NOT NULL;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE automation_tasks DROP COLUMN wake_above;
