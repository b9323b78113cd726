-- GetClock reads the ledger's clock.
-- name: GetClock :one
SELECT is_simulated, ahead_micros, stands_at
FROM ledger_clock;

-- HoldClock reads the ledger's clock and keeps it from being advanced until the transaction ends.
-- name: HoldClock :one
SELECT is_simulated, ahead_micros, stands_at
FROM ledger_clock
FOR SHARE;

-- LockClock reads the ledger's clock and lets nobody else change it until the transaction ends.
-- name: LockClock :one
SELECT is_simulated, ahead_micros, stands_at
FROM ledger_clock
FOR UPDATE;

-- SetClock changes the ledger's clock and, when the transaction commits, tells all processes.
-- name: SetClock :exec
WITH changed AS (
    UPDATE ledger_clock
    SET is_simulated = @is_simulated, ahead_micros = @ahead_micros, stands_at = @stands_at
    RETURNING ahead_micros
)
SELECT pg_notify('florin_clock', changed.ahead_micros::text)
FROM changed;
