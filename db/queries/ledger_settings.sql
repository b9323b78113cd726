-- GetLedgerSettings reads all values as one JSON object.
-- name: GetLedgerSettings :one
SELECT coalesce(json_object_agg(name, value), '{}')::json AS settings
FROM ledger_settings;

-- ListLedgerSettings reads the stored settings, each with the first offset to which it applies.
-- name: ListLedgerSettings :many
SELECT name, value, from_offset
FROM ledger_settings;

-- ListLastSettingChanges reads who changed each stored setting last, and when.
-- name: ListLastSettingChanges :many
SELECT DISTINCT ON (a.subject) s.name, s.from_offset, a.changed_at, a.user_id, a.identity_provider_id
FROM ledger_settings AS s
JOIN audit_log AS a ON a.subject = s.name
WHERE a.kind = 'setting' AND a.party = ''
ORDER BY a.subject, a.entry_id DESC;

-- StoreLedgerSetting stores a value, unless the setting has this value already.
-- name: StoreLedgerSetting :execrows
INSERT INTO ledger_settings AS s (name, value, from_offset)
VALUES (@name, @value, @from_offset)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, from_offset = excluded.from_offset
WHERE s.value <> excluded.value;
