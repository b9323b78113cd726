-- LockAutomationSettings makes changes of settings happen one after the other until the transaction ends.
-- name: LockAutomationSettings :exec
SELECT pg_advisory_xact_lock(hashtext('automation_settings'));

-- GetAutomationSetting reads one setting.
-- name: GetAutomationSetting :one
SELECT *
FROM automation_settings
WHERE kind = @kind AND party = @party;

-- ListAutomationSettings pages through the settings of a kind in byte order of their parties. With only_effective it
-- leaves out those without a value in force.
-- name: ListAutomationSettings :many
SELECT *
FROM automation_settings
WHERE kind = @kind AND party > @after AND (value IS NOT NULL OR NOT sqlc.arg(only_effective)::boolean)
ORDER BY party
LIMIT @count_max;

-- ListConfigured reads all configured values.
-- name: ListConfigured :many
SELECT kind, party, configured
FROM automation_settings
WHERE configured IS NOT NULL;

-- ConfigureAutomation stores configured values; an empty value means nothing. The subjects of the settings become due.
-- name: ConfigureAutomation :exec
WITH given AS (
    SELECT
        unnest(@kinds::text[]) AS kind, unnest(@parties::text[]) AS party,
        nullif(unnest(@configured::text[]), '')::json AS configured
), changed AS (
    INSERT INTO automation_settings AS s (kind, party, configured)
    SELECT given.kind, given.party, given.configured
    FROM given
    ON CONFLICT (kind, party) DO UPDATE SET configured = excluded.configured
    RETURNING s.kind, s.party
)
INSERT INTO automation_tasks AS t (kind, subject, due_at)
SELECT changed.kind, coalesce(nullif(changed.party, ''), 'network'), 'epoch'
FROM changed
ON CONFLICT (kind, subject) DO UPDATE SET due_at = 'epoch', due_since = now();

-- ChooseAutomationSetting stores the operator's value, or that the configured value is in force again. The subject of
-- the setting becomes due.
-- name: ChooseAutomationSetting :exec
WITH changed AS (
    INSERT INTO automation_settings AS s (kind, party, is_chosen, chosen)
    VALUES (@kind, @party, @is_chosen, @chosen)
    ON CONFLICT (kind, party) DO UPDATE SET is_chosen = @is_chosen, chosen = @chosen
    RETURNING s.kind, s.party
)
INSERT INTO automation_tasks AS t (kind, subject, due_at)
SELECT changed.kind, coalesce(nullif(changed.party, ''), 'network'), 'epoch'
FROM changed
ON CONFLICT (kind, subject) DO UPDATE SET due_at = 'epoch', due_since = now();

-- ForgetAutomationSettings deletes the settings with neither a configured value nor a value of the operator.
-- name: ForgetAutomationSettings :exec
DELETE FROM automation_settings
WHERE configured IS NULL AND NOT is_chosen;

-- LastUpdateOfParty finds the offset of the last transaction that a party sees; 0 without one.
-- name: LastUpdateOfParty :one
SELECT coalesce(max(ledger_offset), 0)::bigint AS last_offset
FROM update_parties
WHERE party = @party;
