-- Operators: adds columns with constant defaults, without a rewrite. Tasks that are there belong to nobody and share one
-- turn, and what is due counts as due since now.
-- +goose Up
-- +goose StatementBegin
ALTER TABLE automation_tasks
    ADD COLUMN account   text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN due_since timestamptz      NOT NULL DEFAULT now();
COMMENT ON COLUMN automation_tasks.account IS 'Whose submission made the task due: accounts take turns.';
COMMENT ON COLUMN automation_tasks.due_since IS 'In real time: when the task was made due last.';
ALTER TABLE lifecycles ADD COLUMN due_since timestamptz NOT NULL DEFAULT now();
COMMENT ON COLUMN lifecycles.due_since IS 'In real time: when the lifecycle was made due last.';
-- +goose StatementEnd

-- +goose Down
ALTER TABLE lifecycles DROP COLUMN due_since;
ALTER TABLE automation_tasks DROP COLUMN account, DROP COLUMN due_since;
