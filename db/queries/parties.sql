-- InsertParty stores a new party; no row when it exists.
-- name: InsertParty :execrows
INSERT INTO parties (party, is_local, annotations, identity_provider_id)
VALUES (@party, @is_local, @annotations, @identity_provider_id)
ON CONFLICT DO NOTHING;

-- ListKnownParties tells which of the parties exist, and which of them are local.
-- name: ListKnownParties :many
SELECT party, is_local
FROM parties
WHERE party = ANY(@parties::text[]);

-- GetParties finds parties in byte order of their ids.
-- name: GetParties :many
SELECT *
FROM parties
WHERE party = ANY(@parties::text[])
ORDER BY party;

-- LockParty finds a party and holds it until the transaction ends.
-- name: LockParty :one
SELECT *
FROM parties
WHERE party = @party
FOR UPDATE;

-- ListParties pages through the parties whose ids start with a prefix, in byte order: a range of the primary key. Its
-- upper end is the prefix followed by the last character of US-ASCII, which no party id holds.
-- name: ListParties :many
SELECT *
FROM parties
WHERE party > @after AND party >= @prefix::text AND party < @prefix || chr(127)
ORDER BY party
LIMIT @count_max;

-- UpdateParty overwrites what may change of a locked party.
-- name: UpdateParty :exec
UPDATE parties
SET resource_version = @resource_version, annotations = @annotations, identity_provider_id = @identity_provider_id
WHERE party = @party;
