-- InsertWebhook stores a new webhook, which begins with the next events.
-- name: InsertWebhook :exec
INSERT INTO webhooks (
    webhook_id, identity_provider_id, user_id, url, kinds, party, secret, next_offset, next_alarm, created_at
) VALUES (
    @webhook_id, @identity_provider_id, @user_id, @url, @kinds::text[], @party, @secret,
    (SELECT h.ledger_offset + 1 FROM ledger_head AS h),
    (SELECT coalesce(max(a.number), 0) + 1 FROM alarm_changes AS a), @created_at
);

-- CountWebhooks counts the webhooks of a user.
-- name: CountWebhooks :one
SELECT count(*)
FROM webhooks
WHERE user_id = @user_id AND identity_provider_id = @identity_provider_id;

-- GetWebhook finds a webhook.
-- name: GetWebhook :one
SELECT *
FROM webhooks
WHERE webhook_id = @webhook_id;

-- HoldWebhook finds a webhook and lets nobody else change it until the transaction ends.
-- name: HoldWebhook :one
SELECT *
FROM webhooks
WHERE webhook_id = @webhook_id
FOR UPDATE;

-- ListWebhooksOf lists the webhooks of a user.
-- name: ListWebhooksOf :many
SELECT *
FROM webhooks
WHERE user_id = @user_id AND identity_provider_id = @identity_provider_id
ORDER BY webhook_id;

-- ListWebhooks pages through all webhooks.
-- name: ListWebhooks :many
SELECT *
FROM webhooks
WHERE webhook_id > @after
ORDER BY webhook_id
LIMIT @count_max;

-- StoreWebhook stores all that can change of a webhook.
-- name: StoreWebhook :exec
UPDATE webhooks
SET
    url = @url, kinds = @kinds::text[], secret = @secret, old_secret = @old_secret, old_secret_until = @old_secret_until,
    paused = @paused, next_offset = @next_offset, next_index = @next_index, next_alarm = @next_alarm, tries = @tries,
    failing_since = @failing_since, retry_at = @retry_at, call_after = @call_after
WHERE webhook_id = @webhook_id;

-- PauseWebhooks pauses all webhooks that run.
-- name: PauseWebhooks :execrows
UPDATE webhooks
SET paused = @reason
WHERE paused = '';

-- DeleteWebhook deletes a webhook with its log and its dead letters.
-- name: DeleteWebhook :execrows
DELETE FROM webhooks
WHERE webhook_id = @webhook_id;

-- DeleteWebhooksOf deletes the webhooks of a user.
-- name: DeleteWebhooksOf :exec
DELETE FROM webhooks
WHERE user_id = @user_id AND identity_provider_id = @identity_provider_id;

-- MoveWebhooksOf hands the webhooks of a user to its identity at another identity provider.
-- name: MoveWebhooksOf :exec
UPDATE webhooks
SET identity_provider_id = @target
WHERE user_id = @user_id AND identity_provider_id = @source;

-- TakeDueWebhooks finds webhooks for which an event waits, and notes that they are called now: each comes again only if
-- its workflow has not looked after ten seconds.
-- name: TakeDueWebhooks :many
WITH due AS (
    SELECT w.webhook_id
    FROM webhooks AS w
    WHERE
        w.paused = '' AND w.call_after <= sqlc.arg(now)::timestamptz AND (
            'completion' = ANY(w.kinds) AND EXISTS (
                SELECT 1
                FROM completion_parties AS cp
                WHERE
                    cp.identity_provider_id = w.identity_provider_id AND cp.user_id = w.user_id AND cp.party = w.party
                    AND cp.ledger_offset >= w.next_offset
            ) OR 'update' = ANY(w.kinds) AND EXISTS (
                SELECT 1
                FROM update_parties AS up
                WHERE up.party = w.party AND up.ledger_offset >= w.next_offset
            ) OR 'wallet' = ANY(w.kinds) AND EXISTS (
                SELECT 1
                FROM update_parties AS up
                WHERE up.party = w.party AND up.ledger_offset >= w.next_offset AND up.in_history
            ) OR 'alarm' = ANY(w.kinds) AND EXISTS (
                SELECT 1
                FROM alarm_changes AS a
                WHERE a.number >= w.next_alarm
            )
        )
    ORDER BY w.call_after, w.webhook_id
    LIMIT @count_max
    FOR UPDATE SKIP LOCKED
)
UPDATE webhooks AS w
SET call_after = sqlc.arg(now)::timestamptz + interval '10 seconds'
FROM due
WHERE w.webhook_id = due.webhook_id
RETURNING w.webhook_id;

-- SettleWebhooks moves running webhooks for which nothing waits behind the head that the caller read before, so that a
-- prune takes nothing from them.
-- name: SettleWebhooks :exec
UPDATE webhooks AS w
SET next_offset = @behind::bigint, next_index = 0
WHERE
    w.paused = '' AND w.next_offset < @behind::bigint AND w.tries = 0
    AND NOT EXISTS (
        SELECT 1
        FROM completion_parties AS cp
        WHERE
            cp.identity_provider_id = w.identity_provider_id AND cp.user_id = w.user_id AND cp.party = w.party
            AND cp.ledger_offset >= w.next_offset
    ) AND NOT EXISTS (
        SELECT 1
        FROM update_parties AS up
        WHERE up.party = w.party AND up.ledger_offset >= w.next_offset
    );

-- HasWebhooks tells whether any webhook runs, and whether any has alarms.
-- name: HasWebhooks :one
SELECT
    EXISTS (SELECT 1 FROM webhooks AS w WHERE w.paused = '') AS running,
    EXISTS (SELECT 1 FROM webhooks AS w WHERE w.paused = '' AND 'alarm' = ANY(w.kinds)) AS alarms;

-- FailingWebhook finds the running webhook that has failed longest: with a message that was tried some times, or with
-- dead letters. It has the last failure in its log, the number of such webhooks, and whether nothing but alarms of a
-- kind fails.
-- name: FailingWebhook :one
WITH failing AS (
    SELECT
        w.webhook_id, w.tries, letters.dead_letters,
        least(CASE WHEN w.tries > 0 THEN w.failing_since END, letters.died_at)::timestamptz AS since,
        letters.dead_letters = 0 AND 'alarm' = ANY(w.kinds) AND coalesce((
            SELECT a.name = sqlc.arg(alarm)::text
            FROM alarm_changes AS a
            WHERE a.number >= w.next_alarm
            ORDER BY a.number
            LIMIT 1
        ), false) AS is_alarm
    FROM webhooks AS w
    CROSS JOIN LATERAL (
        SELECT count(*) AS dead_letters, min(d.died_at) AS died_at
        FROM webhook_dead_letters AS d
        WHERE d.webhook_id = w.webhook_id
    ) AS letters
    WHERE w.paused = '' AND (w.tries >= @fewest_tries OR letters.dead_letters > 0)
)
SELECT
    f.webhook_id, f.tries, f.dead_letters, f.since,
    coalesce(last.state, '')::text AS last_state, coalesce(last.status, 0)::integer AS last_status,
    (SELECT count(*) FROM failing) AS failing_count,
    (SELECT bool_and(every.is_alarm) FROM failing AS every)::boolean AS only_alarms
FROM failing AS f
LEFT JOIN LATERAL (
    SELECT a.state, a.status
    FROM webhook_attempts AS a
    WHERE
        a.webhook_id = f.webhook_id
        AND (a.state IN ('failed', 'unreachable') OR a.state = 'unknown' AND a.took > 0) -- an open attempt took nothing yet
    ORDER BY a.number DESC
    LIMIT 1
) AS last ON true
ORDER BY f.since, f.webhook_id
LIMIT 1;

-- InsertWebhookAttempt notes an attempt, before its request.
-- name: InsertWebhookAttempt :one
INSERT INTO webhook_attempts (webhook_id, message_id, kind, started_at, state, error)
VALUES (@webhook_id, @message_id, @kind, @started_at, @state, @error)
RETURNING number;

-- EndWebhookAttempt notes what became of an attempt.
-- name: EndWebhookAttempt :execrows
UPDATE webhook_attempts
SET state = @state, status = @status, error = @error, took = @took
WHERE webhook_id = @webhook_id AND number = @number;

-- ListWebhookAttempts pages through the attempts of a webhook, the newest first.
-- name: ListWebhookAttempts :many
SELECT *
FROM webhook_attempts
WHERE webhook_id = @webhook_id AND number < @before
ORDER BY number DESC
LIMIT @count_max;

-- TrimWebhookAttempts deletes all attempts of a webhook but the newest.
-- name: TrimWebhookAttempts :exec
DELETE FROM webhook_attempts AS old
WHERE
    old.webhook_id = @webhook_id AND old.number <= (
        SELECT newer.number
        FROM webhook_attempts AS newer
        WHERE newer.webhook_id = @webhook_id
        ORDER BY newer.number DESC
        LIMIT 1 OFFSET @keep
    );

-- InsertDeadLetter keeps a message that the receiver did not take.
-- name: InsertDeadLetter :exec
INSERT INTO webhook_dead_letters (webhook_id, message_id, kind, body, error, died_at)
VALUES (@webhook_id, @message_id, @kind, @body, @error, @died_at)
ON CONFLICT (webhook_id, message_id) DO UPDATE SET error = @error, died_at = @died_at;

-- ListDeadLetters lists the dead letters of a webhook, the oldest first. There are few.
-- name: ListDeadLetters :many
SELECT *
FROM webhook_dead_letters
WHERE webhook_id = @webhook_id
ORDER BY died_at, message_id;

-- GetDeadLetter finds a dead letter.
-- name: GetDeadLetter :one
SELECT *
FROM webhook_dead_letters
WHERE webhook_id = @webhook_id AND message_id = @message_id;

-- DeleteDeadLetter deletes a dead letter.
-- name: DeleteDeadLetter :execrows
DELETE FROM webhook_dead_letters
WHERE webhook_id = @webhook_id AND message_id = @message_id;

-- TrimDeadLetters deletes all dead letters of a webhook but the newest.
-- name: TrimDeadLetters :exec
DELETE FROM webhook_dead_letters AS old
WHERE
    old.webhook_id = @webhook_id AND old.message_id IN (
        SELECT older.message_id
        FROM webhook_dead_letters AS older
        WHERE older.webhook_id = @webhook_id
        ORDER BY older.died_at DESC, older.message_id
        OFFSET @keep
    );

-- InsertAlarmChange notes that a part of the node went wrong or right again, unless the last change says the same.
-- name: InsertAlarmChange :exec
INSERT INTO alarm_changes (changed_at, host, name, raised, cause)
SELECT @changed_at, @host, @name, @raised, @cause
WHERE @raised::boolean IS DISTINCT FROM coalesce((
    SELECT last.raised
    FROM alarm_changes AS last
    WHERE last.host = @host AND last.name = @name
    ORDER BY last.number DESC
    LIMIT 1
), false);

-- ListAlarmChanges lists the changes from a number on.
-- name: ListAlarmChanges :many
SELECT *
FROM alarm_changes
WHERE number >= @first
ORDER BY number
LIMIT @count_max;

-- LastTrimmedAlarmChange is the number up to which changes are deleted.
-- name: LastTrimmedAlarmChange :one
SELECT (coalesce(max(number), 0) - @keep::bigint)::bigint AS number
FROM alarm_changes;

-- TrimAlarmChanges deletes all changes but the newest.
-- name: TrimAlarmChanges :exec
DELETE FROM alarm_changes
WHERE number <= (SELECT max(newest.number) - @keep::bigint FROM alarm_changes AS newest);
