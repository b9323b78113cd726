-- ListUserRights lists the rights of a user.
-- name: ListUserRights :many
SELECT kind, party
FROM user_rights
WHERE user_id = @user_id
ORDER BY kind, party;

-- CountUserRights counts the rights of a user.
-- name: CountUserRights :one
SELECT count(*)
FROM user_rights
WHERE user_id = @user_id;

-- InsertUserRights grants rights and returns those that the user did not have.
-- name: InsertUserRights :many
INSERT INTO user_rights (user_id, kind, party)
SELECT @user_id, unnest(@kinds::text[]), unnest(@parties::text[])
ON CONFLICT DO NOTHING
RETURNING kind, party;

-- DeleteUserRights revokes rights and returns those that the user had.
-- name: DeleteUserRights :many
DELETE FROM user_rights
WHERE
    user_id = @user_id
    AND (kind, party) IN (SELECT unnest(@kinds::text[]), unnest(@parties::text[]))
RETURNING kind, party;
