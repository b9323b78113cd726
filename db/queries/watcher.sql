-- ListenHead makes the connection receive the moves of the head.
-- name: ListenHead :exec
LISTEN florin_head;

-- ListenUsers makes the connection receive the ids of changed users.
-- name: ListenUsers :exec
LISTEN florin_users;
