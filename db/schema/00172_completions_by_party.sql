-- Operators: builds an index of completions by their acting parties, beside the writes, for which it reads the entries of
-- that list once.
-- Needs nothing of steps that contract.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS completion_parties_of_all_users;
CREATE INDEX CONCURRENTLY completion_parties_of_all_users ON completion_parties (party, ledger_offset);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS completion_parties_of_all_users;
