-- TouchLifecycles notes that contracts of lifecycles were created or archived: each lifecycle becomes due at once. It
-- makes a missing lifecycle if contracts were created for it. A submission by the node itself does not change the
-- account of a lifecycle. The elements of created and parties are array literals. It locks rows in order, so that no
-- two calls deadlock. At most @together_max contracts share a lifecycle: each further one has its own, so that one more
-- contract costs the same, however many have a name that users chose.
-- name: TouchLifecycles :exec
WITH touched AS (
    SELECT
        unnest(@workflow_ids::text[]) AS workflow_id, unnest(@kinds::text[]) AS kind,
        unnest(@parties::text[])::text[] AS parties, unnest(@created::text[])::text[] AS created,
        unnest(@accounts::text[]) AS account, unnest(@by_node::boolean[]) AS by_node
), locked AS (
    SELECT there.workflow_id, there.contract_ids
    FROM lifecycles AS there
    WHERE there.workflow_id = ANY(@workflow_ids::text[])
    ORDER BY there.workflow_id
    FOR UPDATE
), apart AS (
    SELECT touched.kind, touched.parties, touched.account, one.contract_id
    FROM touched
    LEFT JOIN locked ON locked.workflow_id = touched.workflow_id
    CROSS JOIN LATERAL unnest(touched.created) AS one (contract_id)
    WHERE
        coalesce(cardinality(locked.contract_ids), 0) + cardinality(touched.created) > @together_max::integer
        AND (one.contract_id = ANY(locked.contract_ids)) IS NOT TRUE
), changed AS (
    UPDATE lifecycles AS l
    SET
        contract_ids = CASE
            WHEN cardinality(l.contract_ids) + cardinality(touched.created) > @together_max::integer THEN l.contract_ids
            ELSE l.contract_ids || touched.created
        END,
        version = l.version + 1, due_at = 'epoch',
        due_since = now(), call_after = 'epoch', calls = 0, refusal = '',
        account = CASE WHEN touched.by_node AND l.account <> '' THEN l.account ELSE touched.account END
    FROM locked
    INNER JOIN touched ON touched.workflow_id = locked.workflow_id
    WHERE l.workflow_id = locked.workflow_id
    RETURNING l.workflow_id
), added AS (
    INSERT INTO lifecycles (workflow_id, kind, parties, contract_ids, account)
    SELECT touched.workflow_id, touched.kind, touched.parties, touched.created, touched.account
    FROM touched
    WHERE
        cardinality(touched.created) BETWEEN 1 AND @together_max::integer
        AND touched.workflow_id NOT IN (SELECT changed.workflow_id FROM changed)
    UNION ALL
    SELECT @apart_prefix::text || apart.contract_id, apart.kind, apart.parties, ARRAY[apart.contract_id], apart.account
    FROM apart
    ON CONFLICT (workflow_id) DO NOTHING
)
SELECT pg_notify('florin_lifecycles', '');

-- GetLifecycle finds a lifecycle.
-- name: GetLifecycle :one
SELECT *
FROM lifecycles
WHERE workflow_id = @workflow_id;

-- SettleLifecycle stores what a lifecycle waits for, or why no decision was possible, unless its contracts changed
-- meanwhile.
-- name: SettleLifecycle :execrows
UPDATE lifecycles
SET
    contract_ids = @contract_ids::text[], due_at = @due_at, waits_for = @waits_for, call_after = 'epoch', calls = 0,
    refusal = '', tries = @tries, trouble = @trouble
WHERE workflow_id = @workflow_id AND version = @version;

-- EndLifecycle deletes a lifecycle without contracts, unless new ones came after the decision was made.
-- name: EndLifecycle :execrows
DELETE FROM lifecycles
WHERE workflow_id = @workflow_id AND version = @version;

-- AwaitTime makes a workflow without contracts due at a time.
-- name: AwaitTime :exec
INSERT INTO lifecycles (workflow_id, kind, parties, contract_ids, due_at, waits_for, account)
VALUES (@workflow_id, @kind, @parties::text[], '{}', @due_at, @waits_for, @account)
ON CONFLICT (workflow_id) DO UPDATE SET due_at = @due_at, call_after = 'epoch', calls = 0, refusal = ''
WHERE lifecycles.contract_ids = '{}';

-- DropLifecycle deletes the lifecycle of a workflow without contracts. Others end with their contracts.
-- name: DropLifecycle :exec
DELETE FROM lifecycles
WHERE workflow_id = @workflow_id AND contract_ids = '{}';

-- NoteRefusal notes why Temporal refused the call of a workflow.
-- name: NoteRefusal :exec
UPDATE lifecycles
SET refusal = @refusal
WHERE workflow_id = @workflow_id;

-- TakeDueLifecycles finds lifecycles that are due, and notes that they are called now: each comes again only if its
-- workflow has not looked after a while, which doubles with each call, up to an hour. Those whose submissions made them
-- due take turns, from the one after @after on in order of their names; within an account the longest due comes first.
-- Each account, and all together, have a limit of lifecycles under way: called once, lately, and not looked yet. Rows
-- that someone holds wait for the next time. It searches for lifecycles that were never called and for others
-- separately, and as in TakeTasks reads no more than it may take: if more are due, by accounts, without those that have
-- reached their limit. Each row reports whether due lifecycles were held back; if it takes none, one row without an id
-- does.
-- name: TakeDueLifecycles :many
WITH under_way AS (
    SELECT called.account, count(*) AS calls
    FROM lifecycles AS called
    WHERE
        called.calls > 0 AND called.call_after > sqlc.arg(now)::timestamptz
        AND called.call_after <= sqlc.arg(now)::timestamptz + interval '10 seconds'
        AND called.due_at <= @due_by AND called.calls = 1 AND called.refusal = ''
        AND called.kind <> 'SubmitCommands' -- these take turns of their own once they are called
    GROUP BY called.account
), oldest AS (
    (
        SELECT due.workflow_id, due.account, due.due_at
        FROM lifecycles AS due
        WHERE due.calls = 0 AND due.due_at <= @due_by
        ORDER BY due.due_at, due.workflow_id
        LIMIT sqlc.arg(count_more)::bigint
    )
    UNION ALL
    (
        SELECT due.workflow_id, due.account, due.due_at
        FROM lifecycles AS due
        WHERE due.calls > 0 AND due.call_after <= sqlc.arg(now)::timestamptz AND due.due_at <= @due_by
        ORDER BY due.call_after, due.workflow_id
        LIMIT sqlc.arg(count_more)::bigint
    )
), turns AS (
    SELECT found.account
    FROM accounts_with_lifecycles_due(
        @due_by, sqlc.arg(now)::timestamptz, @after,
        CASE
            WHEN (SELECT count(*) FROM oldest) >= sqlc.arg(count_more)::bigint THEN 2 * sqlc.arg(count_max)::bigint
            ELSE 0
        END::integer
    ) AS found (account)
), shares AS (
    SELECT due.workflow_id, due.account, due.due_at
    FROM turns
    CROSS JOIN LATERAL (
        (
            SELECT l.workflow_id, l.account, l.due_at
            FROM lifecycles AS l
            WHERE l.calls = 0 AND l.account = turns.account AND l.due_at <= @due_by
            ORDER BY l.due_at, l.workflow_id
            LIMIT 1 + 2 * sqlc.arg(count_max)::bigint / (SELECT count(*) FROM turns)
        )
        UNION ALL
        (
            SELECT l.workflow_id, l.account, l.due_at
            FROM lifecycles AS l
            WHERE l.calls > 0 AND l.account = turns.account AND l.call_after <= sqlc.arg(now)::timestamptz AND l.due_at <= @due_by
            ORDER BY l.call_after, l.workflow_id
            LIMIT 1 + 2 * sqlc.arg(count_max)::bigint / (SELECT count(*) FROM turns)
        )
    ) AS due
), ranked AS (
    SELECT
        found.workflow_id, found.account,
        row_number() OVER (PARTITION BY found.account ORDER BY found.due_at, found.workflow_id) AS turn,
        coalesce(under_way.calls, 0) AS before
    FROM (
        SELECT shares.*
        FROM shares
        UNION
        SELECT oldest.*
        FROM oldest
    ) AS found
    LEFT JOIN under_way ON under_way.account = found.account
), taken AS (
    SELECT due.workflow_id, due.calls, ranked.turn, ranked.account
    FROM ranked
    INNER JOIN lifecycles AS due ON due.workflow_id = ranked.workflow_id
    WHERE
        due.due_at <= @due_by AND due.call_after <= sqlc.arg(now)::timestamptz
        AND ranked.turn + ranked.before <= sqlc.arg(account_max)::bigint
    ORDER BY ranked.turn, ranked.account <= sqlc.arg(after)::text, ranked.account
    LIMIT greatest(0, sqlc.arg(count_max)::bigint - (SELECT coalesce(sum(under_way.calls), 0) FROM under_way))
    FOR UPDATE OF due SKIP LOCKED
), lease AS (
    SELECT
        taken.workflow_id, taken.calls + 1 AS calls, taken.turn, taken.account,
        sqlc.arg(now)::timestamptz + make_interval(secs => least(10 * 2 ^ least(taken.calls, 16), 3600)) AS call_after
    FROM taken
), called AS (
    UPDATE lifecycles AS l
    SET calls = lease.calls, call_after = lease.call_after
    FROM lease
    WHERE l.workflow_id = lease.workflow_id
    RETURNING l.workflow_id, l.kind, l.parties, lease.turn, lease.account
)
SELECT
    coalesce(called.workflow_id, '')::text AS workflow_id, coalesce(called.kind, '')::text AS kind,
    coalesce(called.parties, '{}')::text[] AS parties, coalesce(called.account, '')::text AS account,
    held.back::boolean AS held_back
FROM (SELECT (SELECT count(*) FROM ranked) > (SELECT count(*) FROM taken) AS back) AS held
LEFT JOIN called ON true
ORDER BY called.turn, called.account <= sqlc.arg(after)::text, called.account;

-- ListLifecycles pages through all lifecycles in order of their ids.
-- name: ListLifecycles :many
SELECT *
FROM lifecycles
WHERE workflow_id > @after
ORDER BY workflow_id
LIMIT @count_max;

-- ListFullHolders lists the parties that received contracts of a template after an offset and now have more than
-- @all_but_one of them.
-- name: ListFullHolders :many
WITH receivers AS (
    SELECT DISTINCT unnest(c.signatories || c.observers) AS party
    FROM contracts AS c
    WHERE
        c.archived_offset IS NULL AND c.template_id = @template_id AND c.in_network = ANY('{true}'::boolean[])
        AND c.created_offset > @after_offset::bigint AND c.created_offset <= @up_to
)
SELECT receivers.party::text AS party
FROM receivers
INNER JOIN active_contracts AS nth ON nth.ctid = (
    SELECT a.ctid
    FROM active_contracts AS a
    WHERE a.party = receivers.party AND a.template_id = @template_id AND a.in_network
    ORDER BY a.created_offset, a.created_node_id
    LIMIT 1 OFFSET @all_but_one
);

-- WakeLifecycles makes existing lifecycles due that wait for something. It locks them in order.
-- name: WakeLifecycles :execrows
WITH locked AS (
    SELECT there.workflow_id
    FROM lifecycles AS there
    WHERE there.workflow_id = ANY(@workflow_ids::text[]) AND there.due_at <> 'epoch'
    ORDER BY there.workflow_id
    FOR UPDATE
)
UPDATE lifecycles AS l
SET version = l.version + 1, due_at = 'epoch', due_since = now(), call_after = 'epoch', calls = 0, refusal = ''
FROM locked
WHERE l.workflow_id = locked.workflow_id AND l.due_at <> 'epoch';

-- TakeWakes reads the progress of waking lifecycles, and lets nobody else wake any until the transaction ends. No row:
-- somebody else does it.
-- name: TakeWakes :one
SELECT holders_offset, wallet_offset, wallet_node_id, waiting_offset, waiting_node_id
FROM lifecycle_wakes
FOR UPDATE SKIP LOCKED;

-- MoveWakes stores the progress of waking lifecycles.
-- name: MoveWakes :exec
UPDATE lifecycle_wakes
SET
    holders_offset = @holders_offset, wallet_offset = @wallet_offset, wallet_node_id = @wallet_node_id,
    waiting_offset = @waiting_offset, waiting_node_id = @waiting_node_id;

-- NextDue finds the first time in a span at which a lifecycle is due; the epoch when there is none. Those that Temporal
-- refuses do not count.
-- name: NextDue :one
SELECT coalesce(min(due.due_at), 'epoch')::timestamptz AS due_at
FROM (
    SELECT l.due_at
    FROM lifecycles AS l
    WHERE l.due_at > @after AND l.due_at <= @up_to AND l.refusal = ''
    ORDER BY l.due_at
    LIMIT 1
) AS due;

-- ListOverdue lists some of the lifecycles that are due by a time, without those that Temporal refuses.
-- name: ListOverdue :many
SELECT workflow_id
FROM lifecycles
WHERE due_at <= @due_by AND refusal = ''
ORDER BY due_at, workflow_id
LIMIT @count_max;

-- OldestLifecycle tells for how many seconds the oldest due lifecycle has been due: of all, and of those that were
-- called more than once while their account had few due. A lifecycle that became due by the clock is due since its
-- time, or since the clock was moved. Those that Temporal refuses do not count.
-- name: OldestLifecycle :one
SELECT
    coalesce(max(due.age), 0)::float8 AS oldest,
    coalesce(max(due.age) FILTER (WHERE due.calls > 1 AND due.of_account <= @few::bigint), 0)::float8 AS stuck
FROM (
    SELECT
        l.calls, count(*) OVER (PARTITION BY l.account) AS of_account,
        CASE
            WHEN l.due_at = 'epoch' THEN extract(EPOCH FROM now() - l.due_since)
            ELSE least(extract(EPOCH FROM sqlc.arg(ledger_time)::timestamptz - l.due_at), @moved_seconds::float8)
        END AS age
    FROM lifecycles AS l
    WHERE l.due_at <= @ledger_time::timestamptz AND l.refusal = ''
) AS due;

-- StuckLifecycle finds one of the lifecycles that cannot go on, with the reason, and counts them: no decision was
-- possible, or Temporal refuses the workflow.
-- name: StuckLifecycle :one
SELECT
    l.workflow_id, CASE WHEN l.refusal <> '' THEN l.refusal ELSE l.trouble END::text AS reason, count(*) OVER () AS total
FROM lifecycles AS l
WHERE l.trouble <> '' OR l.refusal <> ''
ORDER BY l.workflow_id
LIMIT 1;
