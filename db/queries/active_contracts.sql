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

-- CountMade counts the active contracts of a stakeholder and of some templates that have a maker, up to a number: a
-- range of the index by maker for each pair of a template and a scope.
-- name: CountMade :one
SELECT count(*)
FROM (
    SELECT own.created_offset
    FROM unnest(@template_ids::text[]) AS kind (template_id)
    CROSS JOIN unnest(@in_networks::boolean[]) AS scope (in_network)
    CROSS JOIN LATERAL (
        SELECT a.created_offset
        FROM active_contracts AS a
        WHERE
            a.party = @party AND a.template_id = kind.template_id AND a.in_network = scope.in_network
            AND a.maker IS NOT NULL
        LIMIT @count_max
    ) AS own
    LIMIT @count_max
) AS counted;

-- ListMakers lists who made active contracts of a stakeholder and of some templates, up to a number: it finds each
-- after the one before in the index by maker, and skips what lies between.
-- name: ListMakers :many
WITH RECURSIVE makers (template_id, in_network, maker) AS (
    SELECT kind.template_id, scope.in_network, least.maker
    FROM unnest(@template_ids::text[]) AS kind (template_id)
    CROSS JOIN unnest(@in_networks::boolean[]) AS scope (in_network)
    CROSS JOIN LATERAL (
        SELECT a.maker
        FROM active_contracts AS a
        WHERE
            a.party = @party AND a.template_id = kind.template_id AND a.in_network = scope.in_network
            AND a.maker IS NOT NULL
        ORDER BY a.maker
        LIMIT 1
    ) AS least
    UNION ALL
    SELECT m.template_id, m.in_network, following.maker
    FROM makers AS m
    CROSS JOIN LATERAL (
        SELECT a.maker
        FROM active_contracts AS a
        WHERE
            a.party = @party AND a.template_id = m.template_id AND a.in_network = m.in_network
            AND a.maker > m.maker
        ORDER BY a.maker
        LIMIT 1
    ) AS following
)
SELECT template_id::text AS template_id, in_network::boolean AS in_network, maker::bytea AS maker
FROM makers
LIMIT @count_max;

-- ListNewestOfMakers lists the newest active contracts of a stakeholder that each of some makers made, in order of
-- creation, with a limit for each maker.
-- name: ListNewestOfMakers :many
SELECT newest.contract_id
FROM (
    SELECT
        unnest(@template_ids::text[]) AS template_id, unnest(@in_networks::boolean[]) AS in_network,
        unnest(@makers::bytea[]) AS maker
) AS m
CROSS JOIN LATERAL (
    SELECT a.contract_id, a.created_offset, a.created_node_id
    FROM active_contracts AS a
    WHERE a.party = @party AND a.template_id = m.template_id AND a.in_network = m.in_network AND a.maker = m.maker
    ORDER BY a.created_offset DESC, a.created_node_id DESC
    LIMIT @per_maker
) AS newest
ORDER BY newest.created_offset, newest.created_node_id;

-- ListArchivedSince pages through the contracts that were active at an offset and have been archived since, in order of
-- creation. For each b it reads the contracts that lived less than 2^b updates, but at least half as many, and were
-- created less than 2^b updates before the offset. Those of them that were archived before the offset cost an index
-- entry each; they were all active at the same time, 2^(b-1) updates before the offset. So the cost grows with what was
-- active, not with what was archived since. (Positions are not compared as pairs, because PostgreSQL would begin in the
-- index at the pair, not at the greater bound.) Null parties or templates stand for all.
-- name: ListArchivedSince :many
SELECT c.*
FROM (SELECT max(archived_offset) AS last_offset FROM contracts) AS archival
CROSS JOIN LATERAL generate_series(1, lifetime_bits(0, archival.last_offset)) AS lived (bits)
CROSS JOIN LATERAL (
    SELECT *
    FROM contracts
    WHERE
        archived_offset > created_offset
        AND lifetime_bits(created_offset, archived_offset) = lived.bits
        AND created_offset >= greatest(@after_offset::bigint, 1 + sqlc.arg(at)::bigint - (1::bigint << lived.bits))
        AND created_offset <= @at::bigint AND archived_offset > @at::bigint AND in_network = ANY(@in_networks::boolean[])
        AND (created_offset > @after_offset::bigint OR created_node_id > @after_node_id::integer)
        AND (sqlc.narg(parties)::text[] IS NULL OR signatories && sqlc.narg(parties) OR observers && sqlc.narg(parties))
        AND (sqlc.narg(template_ids)::text[] IS NULL OR template_id = ANY(sqlc.narg(template_ids)))
    ORDER BY created_offset, created_node_id
    LIMIT @count_max
) AS c
WHERE archival.last_offset > @at::bigint
ORDER BY c.created_offset, c.created_node_id
LIMIT @count_max;
