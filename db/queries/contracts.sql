-- InsertContracts stores new contracts and lists the stakeholders of those that stay active. The elements of
-- signatories, observers and maintainers are array literals; archived offset 0, an empty key value and an empty key
-- hash mean none. For each stakeholder it notes who made the contract, by a digest of the first signatory that is
-- neither that stakeholder nor the DSO; but not for the network's contracts that all stakeholders signed, as coin is.
-- name: InsertContracts :exec
WITH inserted AS (
    INSERT INTO contracts (
        contract_id, created_offset, created_node_id, archived_offset, template_id, package_name, payload, signatories,
        observers, key_value, key_hash, maintainers, created_at, in_network
    )
    SELECT
        unnest(@contract_ids::text[]), unnest(@created_offsets::bigint[]), unnest(@created_node_ids::integer[]),
        nullif(unnest(@archived_offsets::bigint[]), 0), unnest(@template_ids::text[]), unnest(@package_names::text[]),
        unnest(@payloads::text[])::json, unnest(@signatories::text[])::text[], unnest(@observers::text[])::text[],
        nullif(unnest(@key_values::text[]), '')::json, nullif(unnest(@key_hashes::text[]), ''),
        unnest(@maintainers::text[])::text[], unnest(@created_ats::timestamptz[]), unnest(@in_networks::boolean[])
    RETURNING
        contract_id, created_offset, created_node_id, archived_offset, template_id, signatories, observers, in_network
)
INSERT INTO active_contracts (party, created_offset, created_node_id, template_id, contract_id, in_network, maker)
SELECT
    own.party, i.created_offset, i.created_node_id, i.template_id, i.contract_id, i.in_network,
    CASE
        WHEN NOT i.in_network OR cardinality(i.observers) > 0 THEN (
            SELECT coalesce(substr(sha256(convert_to(min(s.party COLLATE "C"), 'UTF8')), 1, 16), '')
            FROM unnest(i.signatories) AS s (party)
            WHERE s.party COLLATE "C" NOT IN (own.party, coalesce((SELECT n.dso FROM node AS n), '') COLLATE "C")
        )
    END
FROM inserted AS i
CROSS JOIN LATERAL unnest(i.signatories || i.observers) AS own (party)
WHERE i.archived_offset IS NULL;

-- ArchiveContracts archives those of the contracts that are active, and removes them from the lists of their
-- stakeholders. Its command tag counts them. (The coalesce keeps the planner from the indexes of active contracts: by
-- the primary key is the only good way.)
-- name: ArchiveContracts :exec
WITH wanted AS (
    SELECT unnest(@contract_ids::text[]) AS contract_id, unnest(@archived_offsets::bigint[]) AS archived_offset
), archived AS (
    UPDATE contracts AS c
    SET archived_offset = wanted.archived_offset
    FROM wanted
    WHERE c.contract_id = wanted.contract_id AND coalesce(c.archived_offset, 0) = 0
    RETURNING c.created_offset, c.created_node_id, c.signatories || c.observers AS stakeholders
), gone AS (
    DELETE FROM active_contracts AS a
    USING (SELECT unnest(stakeholders) AS party, created_offset, created_node_id FROM archived) AS row
    WHERE
        a.party = row.party AND a.created_offset = row.created_offset AND a.created_node_id = row.created_node_id
)
SELECT created_offset FROM archived;

-- ListContracts finds contracts, active or archived.
-- name: ListContracts :many
SELECT *
FROM contracts
WHERE contract_id = ANY(@contract_ids::text[]);

-- ListActiveIDs finds which of some contracts are active.
-- name: ListActiveIDs :many
SELECT contract_id
FROM contracts
WHERE contract_id = ANY(@contract_ids::text[]) AND archived_offset IS NULL;

-- ListContractsByKey finds the active contracts that have a key, each by the unique index of active keys.
-- name: ListContractsByKey :many
SELECT c.*
FROM unnest(@key_hashes::text[]) AS wanted (key_hash)
INNER JOIN contracts AS c ON c.key_hash = wanted.key_hash AND c.archived_offset IS NULL;

-- ListMembers finds the contracts that are the network's.
-- name: ListMembers :many
SELECT contract_id
FROM contracts
WHERE contract_id = ANY(@contract_ids::text[]) AND in_network;
