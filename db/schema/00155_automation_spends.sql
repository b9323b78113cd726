-- Operators: builds an index of what automation was refused, beside the writes.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS automation_tasks_spends;
CREATE INDEX CONCURRENTLY automation_tasks_spends ON automation_tasks (kind, spends) WHERE tries > 0 AND spends <> '';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS automation_tasks_spends;
