-- InsertUser stores a new user; no row when one of this id exists.
-- name: InsertUser :execrows
INSERT INTO users (
    id, primary_party, is_deactivated, annotations, identity_provider_id, primary_party_authentication
)
VALUES (@id, @primary_party, @is_deactivated, @annotations, @identity_provider_id, @primary_party_authentication)
ON CONFLICT DO NOTHING;

-- GetUser finds a user of an identity provider.
-- name: GetUser :one
SELECT *
FROM users
WHERE id = @id AND identity_provider_id = @identity_provider_id;

-- GetUserNamed finds a user of any identity provider.
-- name: GetUserNamed :one
SELECT *
FROM users
WHERE id = @id;

-- LockUser finds a user and holds it until the transaction ends, against other changes of the user or its rights.
-- name: LockUser :one
SELECT *
FROM users
WHERE id = @id
FOR UPDATE;

-- ShareUser finds a user, unless its identity provider is deactivated, and holds it until the transaction ends, against
-- changes of the user or its rights.
-- name: ShareUser :one
SELECT u.*
FROM users u
WHERE u.id = @id AND u.identity_provider_id = @identity_provider_id
    AND NOT EXISTS (SELECT FROM identity_providers p WHERE p.id = u.identity_provider_id AND p.is_deactivated)
FOR SHARE OF u;

-- ShareIdentityProvider lets nobody else change an identity provider until the transaction ends.
-- name: ShareIdentityProvider :exec
SELECT FROM identity_providers WHERE id = $1 FOR SHARE;

-- ListUsers pages through the users of one identity provider in byte order of their ids.
-- name: ListUsers :many
SELECT *
FROM users
WHERE identity_provider_id = @identity_provider_id AND id > @after
ORDER BY id
LIMIT @count_max;

-- UpdateUser overwrites a locked user.
-- name: UpdateUser :exec
UPDATE users
SET
    primary_party = @primary_party,
    is_deactivated = @is_deactivated,
    resource_version = @resource_version,
    annotations = @annotations,
    identity_provider_id = @identity_provider_id,
    primary_party_authentication = @primary_party_authentication
WHERE id = @id;

-- DeleteUser deletes a user; its rights go with it.
-- name: DeleteUser :execrows
DELETE FROM users
WHERE id = @id;

-- NoteDeletedUser remembers that a user was deleted.
-- name: NoteDeletedUser :exec
INSERT INTO deleted_users (identity_provider_id, user_id)
VALUES (@identity_provider_id, @user_id)
ON CONFLICT DO NOTHING;

-- ForgetDeletedUser forgets that a user was deleted: an administrator made it again.
-- name: ForgetDeletedUser :exec
DELETE FROM deleted_users
WHERE identity_provider_id = @identity_provider_id AND user_id = @user_id;

-- WasUserDeleted reports whether a user was deleted and not made again.
-- name: WasUserDeleted :one
SELECT EXISTS (
    SELECT FROM deleted_users
    WHERE identity_provider_id = @identity_provider_id AND user_id = @user_id
) AS was_deleted;

-- NotifyUser tells the watchers, when the transaction commits, that a user or its rights changed.
-- name: NotifyUser :exec
SELECT pg_notify('florin_users', @id::text);

-- ListSubmitters reads users as commits need them: whether they are active, and their rights, as KIND or KIND PARTY,
-- without those over other parties than the given ones.
-- name: ListSubmitters :many
SELECT
    u.id, u.identity_provider_id, (u.is_deactivated OR coalesce(p.is_deactivated, FALSE))::boolean AS is_deactivated,
    ARRAY(
        SELECT r.kind || ' ' || r.party
        FROM user_rights AS r
        WHERE r.user_id = u.id AND (r.party = '' OR r.party = ANY(@parties::text[]))
    )::text[] AS rights
FROM users AS u
LEFT JOIN identity_providers AS p ON p.id = u.identity_provider_id
WHERE u.id = ANY(@ids::text[]);

-- ListUsersWithRights pages through users in byte order of their ids, with their rights as KIND PARTY. With a range of
-- parties it lists only the rights to these or to any party, and leaves out users without such a right.
-- name: ListUsersWithRights :many
SELECT
    sqlc.embed(u),
    ARRAY(
        SELECT r.kind || ' ' || r.party
        FROM user_rights AS r
        WHERE
            r.user_id = u.id
            AND (@first_party::text = '' OR r.party BETWEEN @first_party AND @last_party::text OR r.kind LIKE '%AsAnyParty')
        ORDER BY r.kind, r.party
    )::text[] AS rights
FROM users AS u
WHERE
    u.id > @after
    AND (
        @first_party::text = ''
        OR u.id IN (
            SELECT r.user_id
            FROM user_rights AS r
            WHERE r.party BETWEEN @first_party AND @last_party::text OR r.kind LIKE '%AsAnyParty'
        )
    )
ORDER BY u.id
LIMIT @count_max;
