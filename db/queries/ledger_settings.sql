-- GetLedgerSettings reads all values as one JSON object.
-- name: GetLedgerSettings :one
SELECT coalesce(json_object_agg(name, value), '{}')::json AS settings
FROM ledger_settings;

-- ListLedgerSettings reads the stored settings, each with the first offset to which it applies.
-- name: ListLedgerSettings :many
SELECT name, value, from_offset
FROM ledger_settings;

-- ListLastSettingChanges reads the last change of each setting.
-- name: ListLastSettingChanges :many
SELECT DISTINCT ON (name) *
FROM ledger_setting_changes
ORDER BY name, change_id DESC;

-- StoreLedgerSetting stores a value and its change, unless the setting has this value already.
-- name: StoreLedgerSetting :execrows
WITH old AS (
    SELECT s.value FROM ledger_settings AS s WHERE s.name = @name
), stored AS (
    INSERT INTO ledger_settings AS s (name, value, from_offset)
    VALUES (@name, @value, @from_offset)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value, from_offset = excluded.from_offset
    WHERE s.value <> excluded.value
    RETURNING s.name, s.value, s.from_offset
)
INSERT INTO ledger_setting_changes (name, before, after, from_offset, changed_by)
SELECT stored.name, (SELECT old.value FROM old), stored.value, stored.from_offset, @changed_by
FROM stored;

-- ListLedgerSettingChanges pages through the changes before a number, the newest first.
-- name: ListLedgerSettingChanges :many
SELECT *
FROM ledger_setting_changes
WHERE change_id < @before_id
ORDER BY change_id DESC
LIMIT @count_max;
