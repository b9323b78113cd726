-- GetPackagesOffset is the offset of the last change of the packages; 0 before the first.
-- name: GetPackagesOffset :one
SELECT coalesce(max(ledger_offset), 0)::bigint AS last
FROM package_changes;

-- GetPackagesSerial counts the changes of the packages; 1 is the state of before the first.
-- name: GetPackagesSerial :one
SELECT coalesce(max(serial), 1)::integer AS serial
FROM package_changes;

-- ListPackages lists all packages that were uploaded, without their payloads.
-- name: ListPackages :many
SELECT package_id, name, version, is_vetted, uploaded_offset, changed_offset, byte_count, seal
FROM packages
ORDER BY uploaded_offset, package_id;

-- ListPackageChanges lists all changes of the packages.
-- name: ListPackageChanges :many
SELECT *
FROM package_changes
ORDER BY ledger_offset;

-- GetPackagePayload reads what a package is in Daml-LF.
-- name: GetPackagePayload :one
SELECT payload
FROM packages
WHERE package_id = @package_id;

-- InsertPackage stores a package whose place in the record is not known yet. Who stored it first has stored it.
-- name: InsertPackage :exec
INSERT INTO packages (package_id, name, version, is_vetted, uploaded_offset, changed_offset, byte_count, seal, payload)
VALUES (@package_id, @name, @version, @is_vetted, 0, 0, @byte_count, '', @payload)
ON CONFLICT DO NOTHING;

-- PlacePackage gives a package its place in the record. Its payload is not written again.
-- name: PlacePackage :exec
UPDATE packages
SET uploaded_offset = @uploaded_offset, changed_offset = @uploaded_offset, seal = @seal
WHERE package_id = @package_id;

-- VetPackage says whether commands may use a package.
-- name: VetPackage :execrows
UPDATE packages
SET is_vetted = @is_vetted, changed_offset = @changed_offset, seal = @seal
WHERE package_id = @package_id;

-- InsertPackageChange notes a change of the packages and, when the transaction commits, has all processes read them.
-- name: InsertPackageChange :exec
WITH noted AS (
    INSERT INTO package_changes (ledger_offset, serial, changed_at, changed_by)
    SELECT @ledger_offset, coalesce(max(before.serial), 1) + 1, @changed_at, @changed_by
    FROM package_changes AS before
    RETURNING ledger_offset
)
SELECT pg_notify('florin_packages', noted.ledger_offset::text)
FROM noted;

-- ListForgedPackages finds the packages whose payload is not what their id says.
-- name: ListForgedPackages :many
SELECT package_id
FROM packages
WHERE package_id <> encode(sha256(payload), 'hex');
