-- The node looks every few seconds for lifecycles that cannot go on; there are few or none.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS lifecycles_stuck;
CREATE INDEX CONCURRENTLY lifecycles_stuck ON lifecycles (workflow_id) WHERE trouble <> '' OR refusal <> '';
