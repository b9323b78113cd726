-- Operators: notes beside the stakeholders of active contracts who made them, and builds an index of that beside the
-- writes. Coin that is active already has no entry in it. Contracts that are active already are gone through in pages of
-- 2,000. What a program of the version before makes while it runs beside this one counts as the stakeholder's own.
-- +goose NO TRANSACTION
-- +goose Up
-- The step gives way to sessions that use the table, and runs again.
SET lock_timeout = '300ms';
ALTER TABLE active_contracts ADD COLUMN IF NOT EXISTS maker bytea;
ALTER TABLE active_contracts ALTER COLUMN maker SET DEFAULT '';
RESET lock_timeout;
COMMENT ON COLUMN active_contracts.maker IS
'A digest of the first signatory that is neither the party nor the DSO; empty for none; null is not looked for.';

-- Rows that others have locked are those of contracts that end: they are left out, so that nobody waits in a circle.
-- +goose StatementBegin
DO $$
DECLARE
    last_party text COLLATE "C" := '';
    last_offset bigint := -1;
    last_node integer := -1;
BEGIN
    LOOP
        WITH page AS (
            SELECT a.party, a.created_offset, a.created_node_id, a.contract_id
            FROM active_contracts AS a
            WHERE (a.party, a.created_offset, a.created_node_id) > (last_party, last_offset, last_node)
            ORDER BY a.party, a.created_offset, a.created_node_id
            LIMIT 2000
        ), unmade AS (
            SELECT a.party, a.created_offset, a.created_node_id, c.signatories
            FROM page
            INNER JOIN contracts AS c ON page.contract_id = c.contract_id
            INNER JOIN active_contracts AS a
                ON
                    page.party = a.party AND page.created_offset = a.created_offset
                    AND page.created_node_id = a.created_node_id
            WHERE a.maker IS NULL AND NOT (c.in_network AND cardinality(c.observers) = 0)
            FOR UPDATE OF a SKIP LOCKED
        ), made AS (
            UPDATE active_contracts AS a
            SET maker = coalesce(m.maker, '')
            FROM unmade
            CROSS JOIN LATERAL (
                SELECT substr(sha256(convert_to(min(s.party COLLATE "C"), 'UTF8')), 1, 16) AS maker
                FROM unnest(unmade.signatories) AS s (party)
                WHERE s.party COLLATE "C" NOT IN (unmade.party, coalesce((SELECT n.dso FROM node AS n), '') COLLATE "C")
            ) AS m
            WHERE
                a.party = unmade.party AND a.created_offset = unmade.created_offset
                AND a.created_node_id = unmade.created_node_id
        )
        SELECT page.party, page.created_offset, page.created_node_id
        INTO last_party, last_offset, last_node
        FROM page
        ORDER BY page.party DESC, page.created_offset DESC, page.created_node_id DESC
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd

DROP INDEX CONCURRENTLY IF EXISTS active_contracts_by_maker;
CREATE INDEX CONCURRENTLY active_contracts_by_maker
ON active_contracts (party, template_id, in_network, maker, created_offset, created_node_id)
WHERE maker IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS active_contracts_by_maker;
ALTER TABLE active_contracts DROP COLUMN maker;
