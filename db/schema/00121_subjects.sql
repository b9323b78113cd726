-- Operators: a few rows of automation_tasks are copied, one for each user whose purchases earn rewards.

-- +goose Up
-- The subjects of rewards that users' purchases earn get ids that no party can have. Those that are left are forgotten
-- when they are due, or are wallets.
INSERT INTO automation_tasks (kind, subject, due_at)
SELECT kind, 'burns/' || substr(subject, 7), 'epoch'
FROM automation_tasks
WHERE kind = 'rewards' AND subject LIKE 'burns:%'
ON CONFLICT (kind, subject) DO NOTHING;

-- +goose Down
DELETE FROM automation_tasks WHERE kind = 'rewards' AND subject LIKE 'burns/%';
