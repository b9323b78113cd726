-- Operators: adds one column, without a rewrite. What was due before belongs to nobody, and is called in one turn.
-- +goose Up
ALTER TABLE lifecycles ADD COLUMN account text COLLATE "C" NOT NULL DEFAULT '';
COMMENT ON COLUMN lifecycles.account IS 'Whose submission made the lifecycle due last: accounts take turns.';

-- +goose Down
ALTER TABLE lifecycles DROP COLUMN account;
