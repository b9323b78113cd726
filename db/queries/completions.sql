-- InsertCompletions stores completions and indexes them by acting party. The elements of act_as and read_as are array
-- literals; an empty read_as, refusal, update id or external hash and a deduplication offset or duration of -1 are none.
-- name: InsertCompletions :exec
WITH inserted AS (
    INSERT INTO completions (
        ledger_offset, submission_key, change_id, identity_provider_id, user_id, command_id, submission_id, act_as,
        refusal, update_id, dedup_offset, dedup_duration, traceparent, tracestate, record_time, paid_traffic_cost,
        external_hash, read_as, digest, hash
    )
    SELECT
        unnest(@ledger_offsets::bigint[]), unnest(@submission_keys::text[]), unnest(@change_ids::text[]),
        unnest(@identity_provider_ids::text[]), unnest(@user_ids::text[]), unnest(@command_ids::text[]),
        unnest(@submission_ids::text[]),
        unnest(@act_as::text[])::text[], nullif(unnest(@refusals::text[]), '')::json,
        nullif(unnest(@update_ids::text[]), ''), nullif(unnest(@dedup_offsets::bigint[]), -1),
        nullif(unnest(@dedup_durations::bigint[]), -1),
        unnest(@traceparents::text[]), unnest(@tracestates::text[]), unnest(@record_times::timestamptz[]),
        unnest(@paid_traffic_costs::bigint[]), nullif(unnest(@external_hashes::text[]), ''),
        nullif(unnest(@read_as::text[]), '{}')::text[], unnest(@digests::bytea[]), unnest(@hashes::bytea[])
    RETURNING identity_provider_id, user_id, act_as, ledger_offset
)
INSERT INTO completion_parties (identity_provider_id, user_id, party, ledger_offset)
SELECT identity_provider_id, user_id, unnest(act_as), ledger_offset
FROM inserted;

-- ListCompletions pages through the completions of a user and any of the parties. Each party's part is a range of the
-- primary key of completion_parties. The planner cannot take the index by party alone, which is only for queries with
-- "ledger_offset > 0". (A comparison of whole rows would read to the end of the index.)
-- name: ListCompletions :many
SELECT c.*
FROM completions AS c
WHERE c.ledger_offset IN (
    SELECT DISTINCT page.ledger_offset
    FROM unnest(@parties::text[]) AS wanted (party)
    CROSS JOIN LATERAL (
        SELECT cp.ledger_offset
        FROM completion_parties AS cp
        WHERE
            cp.identity_provider_id = @identity_provider_id AND cp.user_id = @user_id AND cp.party = wanted.party
            AND cp.ledger_offset > @after AND cp.ledger_offset <= @up_to
        ORDER BY cp.ledger_offset
        LIMIT @count_max
    ) AS page
    ORDER BY page.ledger_offset
    LIMIT @count_max
)
ORDER BY c.ledger_offset;

-- ListCompletionsOfParties pages through the completions of any of the parties, of all users. Each party's part is a
-- range of the index by party.
-- name: ListCompletionsOfParties :many
SELECT c.*
FROM completions AS c
WHERE c.ledger_offset IN (
    SELECT DISTINCT page.ledger_offset
    FROM unnest(@parties::text[]) AS wanted (party)
    CROSS JOIN LATERAL (
        SELECT cp.ledger_offset
        FROM completion_parties AS cp
        WHERE
            cp.party = wanted.party AND cp.ledger_offset > 0
            AND cp.ledger_offset > @after AND cp.ledger_offset <= @up_to
        ORDER BY cp.ledger_offset
        LIMIT @count_max
    ) AS page
    ORDER BY page.ledger_offset
    LIMIT @count_max
)
ORDER BY c.ledger_offset;

-- ListAllCompletions pages through all completions upwards, by the primary key.
-- name: ListAllCompletions :many
SELECT *
FROM completions
WHERE ledger_offset > @after AND ledger_offset <= @up_to
ORDER BY ledger_offset
LIMIT @count_max;

-- ListCompletionsByKey finds the completions of submissions, by the unique index of the submission key.
-- name: ListCompletionsByKey :many
SELECT *
FROM completions
WHERE submission_key = ANY(@submission_keys::text[]);

-- ListKeyed finds the accepted submissions of a user for requests with an idempotency key, by two indexes: their
-- submission id begins with the name, or their command id is the name. The user may submit any number of other things
-- under the same names, so it returns only those with one of the submission keys. The order makes the planner take the
-- index of the submission ids.
-- name: ListKeyed :many
(
    SELECT begun.*
    FROM completions AS begun
    WHERE
        begun.submission_id BETWEEN @name::text AND @name::text || '~'
        AND begun.submission_id LIKE 'idempotency-key:%' AND begun.refusal IS NULL
        AND begun.identity_provider_id = @identity_provider_id AND begun.user_id = @user_id
        AND begun.submission_key = ANY(@submission_keys::text[])
    ORDER BY begun.submission_id
)
UNION ALL
SELECT named.*
FROM completions AS named
WHERE
    named.command_id = @name::text AND named.command_id LIKE 'idempotency-key:%' AND named.refusal IS NULL
    AND named.identity_provider_id = @identity_provider_id AND named.user_id = @user_id
    AND named.submission_key = ANY(@submission_keys::text[]);

-- ListChanges finds the last accepted submission of each change, by the index of accepted changes.
-- name: ListChanges :many
SELECT wanted.change_id::text AS change_id, latest.ledger_offset, latest.record_time, latest.submission_id
FROM unnest(@change_ids::text[]) AS wanted (change_id)
CROSS JOIN LATERAL (
    SELECT c.ledger_offset, c.record_time, c.submission_id
    FROM completions AS c
    WHERE c.change_id = wanted.change_id AND c.refusal IS NULL
    ORDER BY c.ledger_offset DESC
    LIMIT 1
) AS latest;

-- ListCompletionsByHash finds the accepted completion of a transaction that was signed outside the node, and the newest
-- refused ones, the newest first, by the index of hashes; of some acting parties, or of any for null. One transaction is
-- accepted once at most.
-- name: ListCompletionsByHash :many
(
    SELECT *
    FROM completions
    WHERE
        external_hash = @external_hash::text AND refusal IS NULL
        AND (sqlc.narg(parties)::text[] IS NULL OR act_as && sqlc.narg(parties))
    LIMIT 1
)
UNION ALL
(
    SELECT *
    FROM completions
    WHERE
        external_hash = @external_hash::text AND refusal IS NOT NULL
        AND (sqlc.narg(parties)::text[] IS NULL OR act_as && sqlc.narg(parties))
    ORDER BY ledger_offset DESC
    LIMIT @count_max
);

-- ListSubmittersAt finds who made the submissions at some offsets, and the first party that each acted as.
-- name: ListSubmittersAt :many
SELECT ledger_offset, identity_provider_id, user_id, act_as[1]::text AS party
FROM completions
WHERE ledger_offset = ANY(@offsets::bigint[]);
