-- EnterAutomations enters new kinds of automation. They look only at contracts that end from now on.
-- name: EnterAutomations :exec
INSERT INTO automations (kind, seen_end_offset)
SELECT unnest(@kinds::text[]), coalesce((SELECT ledger_offset FROM ledger_head), 0)
ON CONFLICT (kind) DO NOTHING;

-- ListAutomations lists the kinds, each with the time at which it is due next, or never, and the number of its tasks in
-- trouble.
-- name: ListAutomations :many
SELECT
    a.*,
    coalesce((
        SELECT t.due_at
        FROM automation_tasks AS t
        WHERE t.kind = a.kind
        ORDER BY t.due_at
        LIMIT 1
    ), @never)::timestamptz AS next_at,
    (
        SELECT count(*)
        FROM automation_tasks AS t
        WHERE t.kind = a.kind AND t.tries > 0
    ) AS troubles
FROM automations AS a
ORDER BY a.kind;

-- LockAutomation reads up to where a kind has searched the record, and lets nobody else change that.
-- name: LockAutomation :one
SELECT seen_offset, seen_node_id, seen_end_offset
FROM automations
WHERE kind = @kind
FOR UPDATE;

-- SeeAutomation stores up to where a kind has searched the record.
-- name: SeeAutomation :exec
UPDATE automations
SET seen_offset = @seen_offset, seen_node_id = @seen_node_id, seen_end_offset = @seen_end_offset
WHERE kind = @kind;

-- ForgetAutomations makes kinds search the record again.
-- name: ForgetAutomations :exec
UPDATE automations
SET seen_offset = 0, seen_node_id = 0
WHERE kind = ANY(@kinds::text[]);

-- PauseAutomation stores whether a kind's Schedule is paused.
-- name: PauseAutomation :exec
UPDATE automations
SET is_paused = @is_paused
WHERE kind = @kind AND is_paused <> @is_paused;

-- CountAutomation counts the outcomes of a kind's submissions, and notes when it looked.
-- name: CountAutomation :exec
UPDATE automations
SET ran_at = @ran_at::timestamptz, done = done + @done, refused = refused + @refused
WHERE kind = @kind;

-- EnterTasks makes subjects due, or due earlier; those in trouble still wait for their next try. If a task names a
-- wallet, the wallet must be the party of a contract of the wallets' template; a task with if_set needs an effective
-- setting.
-- name: EnterTasks :exec
INSERT INTO automation_tasks AS t (kind, subject, due_at, is_deadline, account)
SELECT @kind, due.subject, due.due_at, due.is_deadline, due.account
FROM (
    SELECT
        unnest(@subjects::text[]) AS subject, unnest(@due_ats::timestamptz[]) AS due_at,
        unnest(@are_deadlines::boolean[]) AS is_deadline, unnest(@wallets::text[]) AS wallet,
        unnest(@are_if_set::boolean[]) AS if_set, unnest(@accounts::text[]) AS account
) AS due
WHERE
    (due.wallet = '' OR EXISTS (
        SELECT FROM active_contracts AS a
        WHERE a.party = due.wallet AND a.template_id = @wallet_template AND a.in_network
    ))
    AND (NOT due.if_set OR EXISTS (
        SELECT FROM automation_settings AS s
        WHERE s.kind = @kind AND s.party = due.subject AND s.value IS NOT NULL
    ))
ON CONFLICT (kind, subject) DO UPDATE
SET
    due_at = excluded.due_at, is_deadline = excluded.is_deadline, account = excluded.account, due_since = now()
WHERE t.tries = 0 AND t.due_at > excluded.due_at;

-- EnterTroubles notes subjects for which the node cannot tell what they make due. They wait for a nudge.
-- name: EnterTroubles :exec
INSERT INTO automation_tasks (kind, subject, due_at, waits_for, tries, refusal)
SELECT @kind, unnest(@subjects::text[]), @never::timestamptz, @waits_for, 1, unnest(@refusals::text[])
ON CONFLICT (kind, subject) DO UPDATE
SET tries = automation_tasks.tries + 1, refusal = excluded.refusal;

-- RetryTasks makes tasks in trouble due at a time that spend the coin of a payer who got some: up to a limit, the
-- longest due first, because they may have lacked something else.
-- name: RetryTasks :exec
WITH waiting AS (
    SELECT t.subject
    FROM automation_tasks AS t
    WHERE t.kind = @kind AND t.tries > 0 AND t.spends <> '' AND t.spends = ANY(@payers::text[]) AND t.due_at > @due_at
    ORDER BY t.due_since, t.subject
    LIMIT sqlc.arg(count_max)::bigint
)

UPDATE automation_tasks
SET due_at = @due_at, is_deadline = false, due_since = now()
FROM waiting
WHERE automation_tasks.kind = @kind AND automation_tasks.subject = waiting.subject;

-- TakeTasks takes tasks that are due. Those whose submissions made them due take turns, from the one after @after on in
-- order of their names; within an account the longest due comes first. Tasks that another run works on, or that
-- somebody holds, wait for the next time. If no more tasks are due than it takes, it reads only those; otherwise it
-- reads as many accounts as it takes tasks, a fair share of each, and the longest due tasks of all, if these are not
-- enough.
-- name: TakeTasks :many
WITH own AS (
    SELECT mine.subject, mine.account, mine.due_at
    FROM automation_tasks AS mine
    WHERE mine.kind = @kind AND mine.held_by = @run_id AND mine.held_by <> '' AND mine.due_at <= @due_by
), oldest AS (
    SELECT free.subject, free.account, free.due_at
    FROM automation_tasks AS free
    WHERE free.kind = @kind AND free.due_at <= @due_by AND free.held_until <= now() AND free.held_by <> @run_id
    ORDER BY free.due_at, free.subject
    LIMIT sqlc.arg(count_more)::bigint
), turns AS (
    SELECT found.account
    FROM accounts_with_tasks_due(
        @kind, @due_by, @after,
        CASE
            WHEN (SELECT count(*) FROM oldest) >= sqlc.arg(count_more)::bigint THEN sqlc.arg(count_max)::bigint
            ELSE 0
        END::integer
    ) AS found (account)
), shares AS (
    SELECT due.subject, due.account, due.due_at
    FROM turns
    CROSS JOIN LATERAL (
        SELECT t.subject, t.account, t.due_at
        FROM automation_tasks AS t
        WHERE
            t.kind = @kind AND t.account = turns.account AND t.due_at <= @due_by AND t.held_until <= now()
            AND t.held_by <> @run_id
        ORDER BY t.due_at, t.subject
        LIMIT 1 + 2 * sqlc.arg(count_max)::bigint / (SELECT count(*) FROM turns)
    ) AS due
), ranked AS (
    SELECT
        found.subject, found.account,
        row_number() OVER (PARTITION BY found.account ORDER BY found.is_free, found.due_at, found.subject) AS turn
    FROM (
        SELECT own.*, false AS is_free
        FROM own
        UNION ALL
        (
            SELECT shares.*, true AS is_free
            FROM shares
            UNION
            SELECT oldest.*, true AS is_free
            FROM oldest
        )
    ) AS found
)
SELECT t.*
FROM ranked
INNER JOIN automation_tasks AS t ON t.kind = @kind AND t.subject = ranked.subject
WHERE t.due_at <= @due_by AND (t.held_until <= now() OR t.held_by = @run_id)
ORDER BY ranked.turn, ranked.account <= sqlc.arg(after)::text, ranked.account
LIMIT sqlc.arg(count_max)::bigint
FOR UPDATE OF t SKIP LOCKED;

-- HoldsDueTasks reports whether a run holds tasks that are due.
-- name: HoldsDueTasks :one
SELECT exists(
    SELECT FROM automation_tasks
    WHERE kind = @kind AND held_by = @run_id AND held_by <> '' AND due_at <= @due_by AND held_until > now()
);

-- ListPlanned lists the submissions that are still the last ones that were planned for their tasks, and lately, and
-- lets nobody else plan again. It leaves out tasks that somebody is changing.
-- name: ListPlanned :many
SELECT submission_key
FROM automation_tasks
WHERE submission_key = ANY(@submission_keys::text[]) AND is_pending AND held_until > now()
FOR SHARE SKIP LOCKED;

-- SettleTasks stores what tasks wait for, or what was submitted for them. Other runs leave held tasks alone for a
-- while.
-- name: SettleTasks :exec
UPDATE automation_tasks AS t
SET
    due_at = s.due_at, is_deadline = s.is_deadline, waits_for = s.waits_for, command_id = s.command_id,
    submission_key = s.submission_key, is_pending = s.is_pending, tries = s.tries, refusal = s.refusal,
    held_by = s.held_by, spends = s.spends, wake_above = nullif(s.wake_above, '')::numeric,
    held_until = CASE s.held_by WHEN '' THEN 'epoch'::timestamptz ELSE now() + interval '30 seconds' END
FROM (
    SELECT
        unnest(@subjects::text[]) AS subject, unnest(@due_ats::timestamptz[]) AS due_at,
        unnest(@are_deadlines::boolean[]) AS is_deadline, unnest(@waits_fors::text[]) AS waits_for,
        unnest(@command_ids::text[]) AS command_id, unnest(@submission_keys::text[]) AS submission_key,
        unnest(@are_pending::boolean[]) AS is_pending, unnest(@tries::integer[]) AS tries,
        unnest(@refusals::text[]) AS refusal, unnest(@held_bys::text[]) AS held_by,
        unnest(@wake_aboves::text[]) AS wake_above, unnest(@spends::text[]) AS spends
) AS s
WHERE t.kind = @kind AND t.subject = s.subject;

-- WakeTasks makes the tasks of a kind due at once whose wake_above is below a price.
-- name: WakeTasks :exec
UPDATE automation_tasks
SET due_at = 'epoch', due_since = now(), wake_above = NULL
WHERE kind = @kind AND wake_above < cast(@price::text AS numeric);

-- EndTasks deletes tasks.
-- name: EndTasks :exec
DELETE FROM automation_tasks AS t
USING unnest(@subjects::text[]) AS ended (subject)
WHERE t.kind = @kind AND t.subject = ended.subject;

-- ListDueAutomations lists the kinds that have something to look at by a time, each with what it looks at first; paused
-- kinds only with even_paused. It asks for the earliest task, so that the planner takes the index of due tasks. For a
-- query whether a due task exists, the planner expects many, and would read all tasks of a kind to find none.
-- name: ListDueAutomations :many
SELECT a.kind, due.subject
FROM automations AS a
CROSS JOIN LATERAL (
    SELECT t.subject, t.due_at
    FROM automation_tasks AS t
    WHERE t.kind = a.kind
    ORDER BY t.due_at, t.subject
    LIMIT 1
) AS due
WHERE (@even_paused::boolean OR NOT a.is_paused) AND due_at <= @due_by::timestamptz
ORDER BY a.kind;

-- OldestTask tells for how many seconds the oldest due task has been due: of all tasks, and of those of accounts with
-- few due tasks whose kind has looked at nothing for some seconds. A task that became due by the clock is due since its
-- time, or since the clock was moved. Paused kinds, and tasks that a run works on, do not count.
-- name: OldestTask :one
SELECT
    coalesce(max(due.age), 0)::float8 AS oldest,
    coalesce(max(due.age) FILTER (WHERE due.idle > @idle_seconds::float8 AND due.of_account <= @few::bigint), 0)::float8
        AS stuck
FROM (
    SELECT
        count(*) OVER (PARTITION BY t.kind, t.account) AS of_account,
        least(
            extract(EPOCH FROM sqlc.arg(ledger_time)::timestamptz - coalesce(a.ran_at, 'epoch')), @moved_seconds::float8
        ) AS idle,
        CASE
            WHEN t.due_at = 'epoch' THEN extract(EPOCH FROM now() - t.due_since)
            ELSE least(extract(EPOCH FROM sqlc.arg(ledger_time)::timestamptz - t.due_at), @moved_seconds::float8)
        END AS age
    FROM (
        SELECT running.kind, running.ran_at
        FROM automations AS running
        WHERE NOT running.is_paused
        ORDER BY running.kind
    ) AS a
    CROSS JOIN LATERAL (
        SELECT waiting.kind, waiting.account, waiting.due_at, waiting.due_since
        FROM automation_tasks AS waiting
        WHERE
            waiting.kind = a.kind AND waiting.due_at <= @ledger_time::timestamptz AND waiting.held_until <= now()
        ORDER BY waiting.due_at, waiting.subject
    ) AS t
) AS due;

-- ListBehindAutomations lists the kinds that have not searched the record up to its end, each with its position; paused
-- kinds only with even_paused.
-- name: ListBehindAutomations :many
SELECT a.kind, a.seen_offset
FROM automations AS a
CROSS JOIN ledger_head AS h
WHERE
    ((a.seen_offset, a.seen_node_id) < (h.ledger_offset, 2147483647) OR a.seen_end_offset < h.ledger_offset)
    AND (@even_paused::boolean OR NOT a.is_paused)
ORDER BY a.kind;

-- NextDeadline finds the first deadline of a task in a span; the epoch when there is none.
-- name: NextDeadline :one
SELECT coalesce(min(due.due_at), 'epoch')::timestamptz AS due_at
FROM (
    SELECT t.due_at
    FROM automation_tasks AS t
    WHERE t.is_deadline AND t.due_at > @after AND t.due_at <= @up_to
    ORDER BY t.due_at
    LIMIT 1
) AS due;

-- ListTroubles pages through the tasks of a kind that were refused.
-- name: ListTroubles :many
SELECT *
FROM automation_tasks
WHERE kind = @kind AND tries > 0 AND subject > @after
ORDER BY subject
LIMIT @count_max;

-- NudgeTasks makes the tasks of a kind due at once that are in trouble; of all subjects, or of one.
-- name: NudgeTasks :execrows
UPDATE automation_tasks
SET due_at = 'epoch', due_since = now()
WHERE kind = @kind AND tries > 0 AND (@subject::text = '' OR subject = @subject::text);

-- WakeTroubled makes the tasks of a kind due at once that are in trouble or that look at one of some subjects, or all
-- of the kind. It waits for tasks that somebody is planning, and wakes these too.
-- name: WakeTroubled :exec
UPDATE automation_tasks
SET due_at = 'epoch', is_deadline = false, due_since = now()
FROM (
    SELECT troubled.subject
    FROM automation_tasks AS troubled
    WHERE troubled.kind = @kind AND (@everything::boolean OR troubled.tries > 0 OR troubled.subject = any(@subjects::text[]))
    ORDER BY troubled.subject
    FOR UPDATE
) AS woken
WHERE automation_tasks.kind = @kind AND automation_tasks.subject = woken.subject;

-- CallAutomations wakes the callers of workflows.
-- name: CallAutomations :exec
SELECT pg_notify('florin_lifecycles', '');

-- SumActivity adds up the activity of a round: amounts and weights of the active contracts of some templates. Each
-- template's part is a range of the index of coupons by round.
-- name: SumActivity :many
SELECT wanted.template_id::text AS template_id, sums.*
FROM unnest(@template_ids::text[]) AS wanted (template_id)
CROSS JOIN LATERAL (
    SELECT
        coalesce((c.payload ->> 'featured')::boolean, false)::boolean AS featured, count(*) AS contracts,
        coalesce(sum((c.payload ->> 'amount')::numeric), 0)::text AS amount,
        coalesce(sum((c.payload ->> 'weight')::numeric), 0)::text AS weight
    FROM contracts AS c
    WHERE
        c.archived_offset IS NULL AND c.in_network AND c.template_id = wanted.template_id
        AND coupon_round(c.template_id, c.payload) IS NOT NULL
        AND coupon_round(c.template_id, c.payload) = @round_number::text
    GROUP BY 1
) AS sums;

-- ListOfRound lists active contracts of some templates that belong to a round, template by template. Each template's
-- part is a range of the index of coupons by round.
-- name: ListOfRound :many
SELECT c.*
FROM unnest(@template_ids::text[]) AS wanted (template_id)
CROSS JOIN LATERAL (
    SELECT *
    FROM contracts
    WHERE
        contracts.archived_offset IS NULL AND contracts.in_network AND contracts.template_id = wanted.template_id
        AND coupon_round(contracts.template_id, contracts.payload) IS NOT NULL
        AND coupon_round(contracts.template_id, contracts.payload) = @round_number::text
    ORDER BY contracts.created_offset, contracts.created_node_id
    LIMIT @count_max
) AS c
LIMIT @count_max;

-- ListDust lists coin that is dust in a mining round, in the order in which it became dust.
-- name: ListDust :many
SELECT *
FROM contracts
WHERE
    archived_offset IS NULL AND in_network AND dust_round(template_id, payload) IS NOT NULL
    AND dust_round(template_id, payload) <= @round_number::bigint
ORDER BY dust_round(template_id, payload)
LIMIT @count_max;

-- ListEndedOfTemplates lists the contracts of some templates that ended after an offset, up to another, in order: up to
-- a limit, and all that ended at the same offset as the last.
-- name: ListEndedOfTemplates :many
SELECT *
FROM contracts
WHERE
    archived_offset > @after_offset::bigint AND archived_offset <= @up_to::bigint AND in_network
    AND template_id = ANY(@template_ids::text[])
ORDER BY archived_offset
FETCH FIRST (sqlc.arg(count_max)::bigint) ROWS WITH TIES;
