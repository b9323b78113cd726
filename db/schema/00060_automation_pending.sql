-- Operators: an index with one entry for each submission of automation that was planned and whose outcome was not
-- looked at yet. It is built while the table is locked for writing.

-- +goose Up
-- +goose StatementBegin
-- The task for which a submission was planned, while it is.
CREATE INDEX automation_tasks_pending ON automation_tasks (submission_key) WHERE is_pending;
-- +goose StatementEnd

-- +goose Down
DROP INDEX automation_tasks_pending;
