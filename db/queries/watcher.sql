-- ListenHead makes the connection receive the moves of the head.
-- name: ListenHead :exec
LISTEN florin_head;

-- ListenUsers makes the connection receive the ids of changed users.
-- name: ListenUsers :exec
LISTEN florin_users;

-- ListenClock makes the connection receive changes of the ledger's clock.
-- name: ListenClock :exec
LISTEN florin_clock;

-- ListenLifecycles makes the connection hear that lifecycles became due.
-- name: ListenLifecycles :exec
LISTEN florin_lifecycles;

-- ListenPackages makes the connection hear that packages were uploaded, vetted or unvetted.
-- name: ListenPackages :exec
LISTEN florin_packages;
