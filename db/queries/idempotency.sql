-- ClaimIdempotencyKey takes a request on that nobody has taken on, whose key has expired, or whose last taker is gone.
-- No row: somebody else has it, or it was answered, or the key stands for another request.
-- name: ClaimIdempotencyKey :one
INSERT INTO idempotency_keys AS known (identity_provider_id, user_id, key, use_id, request_hash, held_until, expires_at)
VALUES (
    @identity_provider_id, @user_id, @key, @use_id, @request_hash,
    now() + make_interval(secs => @hold_seconds::double precision),
    now() + make_interval(secs => @keep_seconds::double precision)
)
ON CONFLICT (identity_provider_id, user_id, key) DO UPDATE
SET
    use_id = CASE WHEN known.expires_at <= now() THEN excluded.use_id ELSE known.use_id END,
    request_hash = excluded.request_hash,
    attempt = CASE WHEN known.expires_at <= now() THEN 1 ELSE known.attempt + 1 END,
    held_until = excluded.held_until,
    expires_at = CASE WHEN known.expires_at <= now() THEN excluded.expires_at ELSE known.expires_at END,
    status = NULL, header = NULL, body = NULL
WHERE
    known.expires_at <= now()
    OR (known.status IS NULL AND known.held_until <= now() AND known.request_hash = excluded.request_hash)
RETURNING use_id, attempt;

-- GetIdempotencyKey reads a key.
-- name: GetIdempotencyKey :one
SELECT *
FROM idempotency_keys
WHERE identity_provider_id = @identity_provider_id AND user_id = @user_id AND key = @key;

-- HoldIdempotencyKey says that the one who took a request on is alive; for no time at all, that it has given up.
-- name: HoldIdempotencyKey :execrows
UPDATE idempotency_keys
SET held_until = now() + make_interval(secs => @hold_seconds::double precision)
WHERE
    identity_provider_id = @identity_provider_id AND user_id = @user_id AND key = @key
    AND use_id = @use_id AND attempt = @attempt AND status IS NULL;

-- AnswerIdempotencyKey stores the answer, if nobody else has taken the request on meanwhile.
-- name: AnswerIdempotencyKey :execrows
UPDATE idempotency_keys
SET status = @status::integer, header = @header::json, body = @body::bytea
WHERE
    identity_provider_id = @identity_provider_id AND user_id = @user_id AND key = @key
    AND use_id = @use_id AND attempt = @attempt AND status IS NULL;

-- ForgetIdempotencyKeys deletes keys that have expired, at most so many.
-- name: ForgetIdempotencyKeys :execrows
DELETE FROM idempotency_keys AS k
USING (
    SELECT identity_provider_id, user_id, key
    FROM idempotency_keys
    WHERE expires_at <= now()
    ORDER BY expires_at
    LIMIT @count_max
    FOR UPDATE SKIP LOCKED
) AS expired
WHERE
    k.identity_provider_id = expired.identity_provider_id AND k.user_id = expired.user_id AND k.key = expired.key;
