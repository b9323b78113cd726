-- Operators: builds an index of who has rights over a party, beside the writes.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS user_rights_by_party;
CREATE INDEX CONCURRENTLY user_rights_by_party ON user_rights (party, user_id) WHERE party <> '';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS user_rights_by_party;
