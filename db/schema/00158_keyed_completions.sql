-- Operators: builds two indexes of what was accepted of requests with an Idempotency-Key, beside the writes; each reads
-- the completions once.
-- Needs nothing of steps that contract.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS completions_keyed_commands;
CREATE INDEX CONCURRENTLY completions_keyed_commands ON completions (command_id)
WHERE refusal IS NULL AND command_id LIKE 'idempotency-key:%';
DROP INDEX CONCURRENTLY IF EXISTS completions_keyed_submissions;
CREATE INDEX CONCURRENTLY completions_keyed_submissions ON completions (submission_id)
WHERE refusal IS NULL AND submission_id LIKE 'idempotency-key:%';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS completions_keyed_submissions;
DROP INDEX CONCURRENTLY IF EXISTS completions_keyed_commands;
