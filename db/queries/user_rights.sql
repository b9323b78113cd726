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

-- CountPartiesOfUser counts the parties, other than the one, that a user has rights to or will have when an onboarding
-- that waits is complete.
-- name: CountPartiesOfUser :one
SELECT count(*)
FROM (
    SELECT r.party FROM user_rights AS r
    WHERE r.user_id = @user_id AND r.party <> '' AND r.party <> @other_than
    UNION
    SELECT o.party FROM party_onboardings AS o
    WHERE @user_id::text = ANY(o.user_ids) AND o.expires_at > now() AND o.party <> @other_than
) AS parties_of_user;

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

-- ListUsersOfParty lists users who have a right over a party, in the order of their ids.
-- name: ListUsersOfParty :many
SELECT DISTINCT user_id
FROM user_rights
WHERE party = @party AND party <> ''
ORDER BY user_id
LIMIT @count_max;
