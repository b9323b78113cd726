-- CountProvided counts the receivers for whom the operator has paid beyond a time.
-- name: CountProvided :one
SELECT count(*)
FROM provided_preapprovals
WHERE paid_until > @at_time;

-- ListProvided finds until when the operator has paid for receivers.
-- name: ListProvided :many
SELECT *
FROM provided_preapprovals
WHERE receiver = ANY(@receivers::text[]);

-- StoreProvided stores until when the operator has paid for receivers, who must differ.
-- name: StoreProvided :exec
INSERT INTO provided_preapprovals (receiver, paid_until)
SELECT unnest(@receivers::text[]), unnest(@paid_untils::timestamptz[])
ON CONFLICT (receiver) DO UPDATE
SET paid_until = excluded.paid_until;

-- ForgetProvided forgets that the operator has paid for receivers.
-- name: ForgetProvided :execrows
DELETE FROM provided_preapprovals
WHERE receiver = ANY(@receivers::text[]);

-- ForgetEndedProvided forgets what the operator has paid for up to a time.
-- name: ForgetEndedProvided :exec
DELETE FROM provided_preapprovals
WHERE paid_until <= @at_time;
