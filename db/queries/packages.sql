-- GetPackagesOffset is the offset of the last change of the packages; 0 before the first.
-- name: GetPackagesOffset :one
SELECT coalesce(max(ledger_offset), 0)::bigint AS last
FROM package_changes;

-- GetPackagesSerial is one more than the number of changes of the packages.
-- name: GetPackagesSerial :one
SELECT coalesce(max(serial), 1)::integer AS serial
FROM package_changes;

-- ListPackages lists all packages that were uploaded, without their payloads, with the time of the upload.
-- name: ListPackages :many
SELECT p.package_id, p.name, p.version, p.is_vetted, p.uploaded_offset, p.changed_offset, p.byte_count, c.changed_at
FROM packages AS p
LEFT JOIN package_changes AS c ON c.ledger_offset = p.uploaded_offset
ORDER BY p.uploaded_offset, p.package_id;

-- GetPackagesNeed is the newest schema step that a program must know to use the packages; 0 for none.
-- name: GetPackagesNeed :one
SELECT coalesce(max(needed_step), 0)::bigint AS step
FROM package_changes;

-- GetPackagePayload reads what a package is in Daml-LF.
-- name: GetPackagePayload :one
SELECT payload
FROM package_payloads
WHERE package_id = @package_id;

-- InsertPackagePayload stores the Daml-LF of a package, unless it is stored already.
-- name: InsertPackagePayload :exec
INSERT INTO package_payloads (package_id, payload)
VALUES (@package_id, @payload)
ON CONFLICT DO NOTHING;

-- InsertPackage stores the description of a package, with the offset of its upload.
-- name: InsertPackage :exec
INSERT INTO packages (package_id, name, version, is_vetted, uploaded_offset, changed_offset, byte_count)
VALUES (@package_id, @name, @version, @is_vetted, @uploaded_offset, @uploaded_offset, @byte_count);

-- VetPackage says whether commands may use a package.
-- name: VetPackage :execrows
UPDATE packages
SET is_vetted = @is_vetted, changed_offset = @changed_offset
WHERE package_id = @package_id;

-- InsertPackageChange notes a change of the packages and, when the transaction commits, makes all processes read them.
-- name: InsertPackageChange :exec
WITH noted AS (
    INSERT INTO package_changes (ledger_offset, serial, changed_at, changed_by, needed_step)
    SELECT @ledger_offset, coalesce(max(before.serial), 1) + 1, @changed_at, @changed_by, @needed_step
    FROM package_changes AS before
    RETURNING ledger_offset
)
SELECT pg_notify('florin_packages', noted.ledger_offset::text)
FROM noted;

-- ListForgedPackages finds the packages whose Daml-LF is missing or does not have the hash that is their id.
-- name: ListForgedPackages :many
SELECT p.package_id
FROM packages AS p
LEFT JOIN package_payloads AS l ON l.package_id = p.package_id
WHERE l.payload IS NULL OR p.package_id <> encode(sha256(l.payload), 'hex') OR p.byte_count <> length(l.payload)
ORDER BY p.package_id;

-- ListUnlistedPayloads finds stored Daml-LF of packages that nobody uploaded.
-- name: ListUnlistedPayloads :many
SELECT l.package_id
FROM package_payloads AS l
WHERE NOT EXISTS (SELECT FROM packages AS p WHERE p.package_id = l.package_id)
ORDER BY l.package_id;

-- HasContractsOf reports whether contracts are active whose templates are in a range of names.
-- name: HasContractsOf :one
SELECT EXISTS (
    SELECT
    FROM contracts
    WHERE archived_offset IS NULL AND template_id >= @first AND template_id < @beyond
);
