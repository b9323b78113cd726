-- EnterIdempotencyKey claims a request whose key is new, and counts it. No row: the key is known, or its user keeps as
-- many answers as allowed.
-- name: EnterIdempotencyKey :one
WITH entered AS (
    INSERT INTO idempotency_keys AS known
    (identity_provider_id, user_id, key, use_id, request_hash, held_until, expires_at)
    SELECT
        @identity_provider_id, @user_id, @key, @use_id, @request_hash,
        now() + make_interval(secs => @hold_seconds::double precision),
        now() + make_interval(secs => @keep_seconds::double precision)
    WHERE NOT EXISTS (
        SELECT FROM kept_answers AS full_up
        WHERE
            full_up.identity_provider_id = @identity_provider_id AND full_up.user_id = @user_id
            AND (full_up.answers >= @answers_max::bigint OR full_up.bytes >= @bytes_max::bigint)
    )
    ON CONFLICT (identity_provider_id, user_id, key) DO NOTHING
    RETURNING known.identity_provider_id, known.user_id
)
INSERT INTO kept_answers AS kept (identity_provider_id, user_id, answers, bytes)
SELECT entered.identity_provider_id, entered.user_id, 1, 0
FROM entered
ON CONFLICT (identity_provider_id, user_id) DO UPDATE SET answers = kept.answers + 1
RETURNING kept.answers, kept.bytes;

-- TakeIdempotencyKey claims a request whose key has expired, or whose last owner is gone. No row: somebody else has
-- claimed it, it has an answer, or the key stands for another request or does not exist.
-- name: TakeIdempotencyKey :one
UPDATE idempotency_keys AS known
SET
    use_id = CASE WHEN known.expires_at <= now() THEN @use_id ELSE known.use_id END,
    request_hash = @request_hash,
    attempt = CASE WHEN known.expires_at <= now() THEN 1 ELSE known.attempt + 1 END,
    held_until = now() + make_interval(secs => @hold_seconds::double precision),
    expires_at = CASE
        WHEN known.expires_at <= now() THEN now() + make_interval(secs => @keep_seconds::double precision)
        ELSE known.expires_at
    END,
    note = CASE WHEN known.expires_at > now() THEN known.note END,
    status = NULL, header = NULL, body = NULL
WHERE
    known.identity_provider_id = @identity_provider_id AND known.user_id = @user_id AND known.key = @key
    AND (
        (known.expires_at <= now() AND NOT EXISTS (
            SELECT FROM kept_answers AS full_up
            WHERE
                full_up.identity_provider_id = @identity_provider_id AND full_up.user_id = @user_id
                AND full_up.bytes >= @bytes_max::bigint
        ))
        OR (
            known.expires_at > now() AND known.status IS NULL AND known.held_until <= now()
            AND known.request_hash = @request_hash
        )
    )
RETURNING known.use_id, known.attempt;

-- GetIdempotencyKey reads a key that has not expired.
-- name: GetIdempotencyKey :one
SELECT *
FROM idempotency_keys
WHERE identity_provider_id = @identity_provider_id AND user_id = @user_id AND key = @key AND expires_at > now();

-- GetKeptAnswers reads how many answers a user keeps.
-- name: GetKeptAnswers :one
SELECT answers, bytes
FROM kept_answers
WHERE identity_provider_id = @identity_provider_id AND user_id = @user_id;

-- HoldIdempotencyKey makes a claim last for a time from now; 0 gives it up.
-- name: HoldIdempotencyKey :execrows
UPDATE idempotency_keys
SET held_until = now() + make_interval(secs => @hold_seconds::double precision)
WHERE
    identity_provider_id = @identity_provider_id AND user_id = @user_id AND key = @key
    AND use_id = @use_id AND attempt = @attempt AND status IS NULL;

-- ReturnIdempotencyKey gives a claim up of which nothing was submitted: the attempt does not count.
-- name: ReturnIdempotencyKey :exec
UPDATE idempotency_keys
SET held_until = now(), attempt = greatest(attempt - 1, 1)
WHERE
    identity_provider_id = @identity_provider_id AND user_id = @user_id AND key = @key
    AND use_id = @use_id AND attempt = @attempt AND status IS NULL;

-- AnswerIdempotencyKey stores the answer and counts its bytes, if nobody else has claimed the request meanwhile. If an
-- expired key was claimed again, the bytes of its last answer count until then.
-- name: AnswerIdempotencyKey :execrows
WITH known AS (
    SELECT held.identity_provider_id, held.user_id, held.key, held.bytes
    FROM idempotency_keys AS held
    WHERE
        held.identity_provider_id = @identity_provider_id AND held.user_id = @user_id AND held.key = @key
        AND held.use_id = @use_id AND held.attempt = @attempt AND held.status IS NULL
    FOR UPDATE
), answered AS (
    UPDATE idempotency_keys AS k
    SET status = @status::integer, header = @header::json, body = @body::bytea, bytes = @bytes
    FROM known
    WHERE k.identity_provider_id = known.identity_provider_id AND k.user_id = known.user_id AND k.key = known.key
    RETURNING k.identity_provider_id, k.user_id, k.bytes - known.bytes AS more
)
UPDATE kept_answers AS kept
SET bytes = kept.bytes + answered.more
FROM answered
WHERE kept.identity_provider_id = answered.identity_provider_id AND kept.user_id = answered.user_id;

-- NoteKey notes what an attempt decided, or did outside the ledger, unless an earlier attempt has noted something.
-- name: NoteKey :exec
UPDATE idempotency_keys
SET note = coalesce(note, @note::text)
WHERE
    identity_provider_id = @identity_provider_id AND user_id = @user_id AND key = @key AND use_id = @use_id;

-- GetKeyNote reads what an attempt noted.
-- name: GetKeyNote :one
SELECT note::text AS note
FROM idempotency_keys
WHERE
    identity_provider_id = @identity_provider_id AND user_id = @user_id AND key = @key AND use_id = @use_id
    AND note IS NOT NULL;

-- ForgetIdempotencyKeys deletes expired keys, up to a limit, and returns their number. It locks the counters of users
-- in order.
-- name: ForgetIdempotencyKeys :one
WITH expired AS (
    SELECT old.identity_provider_id, old.user_id, old.key
    FROM idempotency_keys AS old
    WHERE old.expires_at <= now()
    ORDER BY old.expires_at
    LIMIT @count_max
    FOR UPDATE SKIP LOCKED
), forgotten AS (
    DELETE FROM idempotency_keys AS k
    USING expired
    WHERE
        k.identity_provider_id = expired.identity_provider_id AND k.user_id = expired.user_id AND k.key = expired.key
    RETURNING k.identity_provider_id, k.user_id, k.bytes
), fewer AS (
    SELECT f.identity_provider_id, f.user_id, count(*) AS answers, sum(f.bytes)::bigint AS bytes
    FROM forgotten AS f
    GROUP BY f.identity_provider_id, f.user_id
), locked AS (
    SELECT kept.identity_provider_id, kept.user_id
    FROM kept_answers AS kept
    INNER JOIN fewer ON fewer.identity_provider_id = kept.identity_provider_id AND fewer.user_id = kept.user_id
    ORDER BY kept.identity_provider_id, kept.user_id
    FOR UPDATE OF kept
), counted AS (
    UPDATE kept_answers AS kept
    SET answers = kept.answers - fewer.answers, bytes = kept.bytes - fewer.bytes
    FROM fewer
    INNER JOIN locked ON locked.identity_provider_id = fewer.identity_provider_id AND locked.user_id = fewer.user_id
    WHERE kept.identity_provider_id = fewer.identity_provider_id AND kept.user_id = fewer.user_id
)
SELECT count(*) FROM forgotten;
