-- MovePruned sets the pruned offset, its record time and its hash, forward only, under the lock of the head.
-- name: MovePruned :exec
UPDATE ledger_head
SET
    pruned_offset = greatest(pruned_offset, @pruned_offset::bigint),
    pruned_hash = CASE
        WHEN @pruned_offset::bigint > pruned_offset THEN coalesce(
            (SELECT u.hash FROM updates AS u WHERE u.ledger_offset = @pruned_offset::bigint),
            (SELECT c.hash FROM completions AS c WHERE c.ledger_offset = @pruned_offset::bigint),
            pruned_hash
        )
        ELSE pruned_hash
    END,
    pruned_time = greatest(
        pruned_time,
        (SELECT u.record_time FROM updates AS u WHERE u.ledger_offset = @pruned_offset::bigint),
        (SELECT c.record_time FROM completions AS c WHERE c.ledger_offset = @pruned_offset::bigint)
    );

-- PruneUpdates deletes the oldest updates up to an offset, each with its rows in the index by witness, which it finds
-- by primary key from the witnesses in the update. It returns the last offset that it deleted, 0 when nothing was left.
-- name: PruneUpdates :one
WITH gone AS (
    DELETE FROM updates
    WHERE ledger_offset IN (
        SELECT oldest.ledger_offset
        FROM updates AS oldest
        WHERE oldest.ledger_offset > @after AND oldest.ledger_offset <= @up_to
        ORDER BY oldest.ledger_offset
        LIMIT @count_max
    )
    RETURNING updates.ledger_offset, updates.events, updates.topology
), witnesses AS (
    SELECT gone.ledger_offset, witness.party
    FROM gone
    CROSS JOIN LATERAL json_array_elements(gone.events) AS event (node)
    CROSS JOIN LATERAL json_array_elements_text(event.node -> 'witnesses') AS witness (party)
    UNION
    SELECT gone.ledger_offset, hosting.entry ->> 'party'
    FROM gone
    CROSS JOIN LATERAL json_array_elements(gone.topology) AS hosting (entry)
), unlisted AS (
    DELETE FROM update_parties
    USING witnesses
    WHERE update_parties.party = witnesses.party AND update_parties.ledger_offset = witnesses.ledger_offset
)
SELECT coalesce(max(gone.ledger_offset), 0)::bigint AS last
FROM gone;

-- PruneCompletions removes the oldest completions up to an offset from the index by acting party, and deletes them
-- unless they are needed: the last accepted submission of each change stays for deduplication, and recent ones for
-- submissions under way. It returns the last offset that it looked at, 0 when nothing was left.
-- name: PruneCompletions :one
WITH oldest AS (
    SELECT
        c.ledger_offset, c.identity_provider_id, c.user_id, c.act_as, c.change_id, c.refusal IS NULL AS accepted,
        c.record_time < @recorded_before AS is_old
    FROM completions AS c
    WHERE c.ledger_offset > @after AND c.ledger_offset <= @up_to
    ORDER BY c.ledger_offset
    LIMIT @count_max
), gone AS (
    DELETE FROM completions
    WHERE ledger_offset IN (
        SELECT oldest.ledger_offset
        FROM oldest
        WHERE
            oldest.is_old
            AND (
                NOT oldest.accepted
                OR EXISTS (
                    SELECT FROM completions AS later
                    WHERE
                        later.change_id = oldest.change_id AND later.refusal IS NULL
                        AND later.ledger_offset > oldest.ledger_offset
                )
            )
    )
), unlisted AS (
    DELETE FROM completion_parties
    USING (
        SELECT o.identity_provider_id, o.user_id, unnest(o.act_as) AS party, o.ledger_offset
        FROM oldest AS o
    ) AS acting
    WHERE
        completion_parties.identity_provider_id = acting.identity_provider_id
        AND completion_parties.user_id = acting.user_id AND completion_parties.party = acting.party
        AND completion_parties.ledger_offset = acting.ledger_offset
)
SELECT coalesce(max(oldest.ledger_offset), 0)::bigint AS last
FROM oldest;

-- PruneContracts deletes contracts that were archived up to an offset, oldest archival first. It returns how many.
-- name: PruneContracts :execrows
DELETE FROM contracts
WHERE contract_id IN (
    SELECT oldest.contract_id
    FROM contracts AS oldest
    WHERE oldest.archived_offset <= @up_to::bigint
    ORDER BY oldest.archived_offset
    LIMIT @count_max
);
