-- The four lists below page through contracts that are active now and were created at an offset or before, in order of
-- creation. What was active at that offset and has been archived since comes from ListArchivedSince.

-- ListActive pages through all, by the index of active contracts.
-- name: ListActive :many
SELECT *
FROM contracts
WHERE
    archived_offset IS NULL AND created_offset <= @up_to
    AND (created_offset, created_node_id) > (@after_offset::bigint, @after_node_id::integer)
ORDER BY created_offset, created_node_id
LIMIT @count_max;

-- ListActiveOfTemplates pages through those of some templates, in the network, outside of it or both: each pair is a
-- range of the index by template.
-- name: ListActiveOfTemplates :many
SELECT c.*
FROM unnest(@template_ids::text[]) AS wanted (template_id)
CROSS JOIN unnest(@in_networks::boolean[]) AS scope (in_network)
CROSS JOIN LATERAL (
    SELECT *
    FROM contracts
    WHERE
        archived_offset IS NULL AND contracts.template_id = wanted.template_id
        AND contracts.in_network = scope.in_network AND created_offset <= @up_to
        AND (created_offset, created_node_id) > (@after_offset::bigint, @after_node_id::integer)
    ORDER BY created_offset, created_node_id
    LIMIT @count_max
) AS c
ORDER BY c.created_offset, c.created_node_id
LIMIT @count_max;

-- ListActiveOfParties pages through those of some stakeholders, each a range of the primary key of active_contracts.
-- name: ListActiveOfParties :many
SELECT c.*
FROM contracts AS c
WHERE c.contract_id IN (
    SELECT page.contract_id
    FROM (
        SELECT DISTINCT own.created_offset, own.created_node_id, own.contract_id
        FROM unnest(@parties::text[]) AS wanted (party)
        CROSS JOIN LATERAL (
            SELECT a.created_offset, a.created_node_id, a.contract_id
            FROM active_contracts AS a
            WHERE
                a.party = wanted.party AND a.created_offset <= @up_to
                AND (a.created_offset, a.created_node_id) > (@after_offset::bigint, @after_node_id::integer)
            ORDER BY a.created_offset, a.created_node_id
            LIMIT @count_max
        ) AS own
        ORDER BY own.created_offset, own.created_node_id
        LIMIT @count_max
    ) AS page
)
ORDER BY c.created_offset, c.created_node_id;

-- ListActiveOfPartiesAndTemplates pages through those of some stakeholders and templates, in the network, outside of it
-- or both: each triple is a range of the index by template of active_contracts.
-- name: ListActiveOfPartiesAndTemplates :many
SELECT c.*
FROM contracts AS c
WHERE c.contract_id IN (
    SELECT page.contract_id
    FROM (
        SELECT DISTINCT own.created_offset, own.created_node_id, own.contract_id
        FROM unnest(@parties::text[]) AS wanted (party)
        CROSS JOIN unnest(@template_ids::text[]) AS kind (template_id)
        CROSS JOIN unnest(@in_networks::boolean[]) AS scope (in_network)
        CROSS JOIN LATERAL (
            SELECT a.created_offset, a.created_node_id, a.contract_id
            FROM active_contracts AS a
            WHERE
                a.party = wanted.party AND a.template_id = kind.template_id AND a.in_network = scope.in_network
                AND a.created_offset <= @up_to
                AND (a.created_offset, a.created_node_id) > (@after_offset::bigint, @after_node_id::integer)
            ORDER BY a.created_offset, a.created_node_id
            LIMIT @count_max
        ) AS own
        ORDER BY own.created_offset, own.created_node_id
        LIMIT @count_max
    ) AS page
)
ORDER BY c.created_offset, c.created_node_id;

-- ListArchivedSince pages through the contracts that were active at an offset and are archived now, in order of
-- creation. It reads everything that was archived after the offset (index of archived contracts), which is little unless
-- the offset is far back. Null parties or templates stand for all.
-- name: ListArchivedSince :many
SELECT *
FROM contracts
WHERE
    archived_offset > @at::bigint AND created_offset <= @at::bigint AND in_network = ANY(@in_networks::boolean[])
    AND (created_offset, created_node_id) > (@after_offset::bigint, @after_node_id::integer)
    AND (sqlc.narg(parties)::text[] IS NULL OR signatories && sqlc.narg(parties) OR observers && sqlc.narg(parties))
    AND (sqlc.narg(template_ids)::text[] IS NULL OR template_id = ANY(sqlc.narg(template_ids)))
ORDER BY created_offset, created_node_id
LIMIT @count_max;
