-- Operators: builds an index of who lets whom merge its holdings, or wants to, beside the writes.
-- +goose NO TRANSACTION
-- +goose Up
-- +goose StatementBegin
-- The owner and the operator of a delegation, or of a proposal of one. Text that PostgreSQL cannot read is replaced
-- first. It is in no name of a party.
CREATE OR REPLACE FUNCTION merge_delegation_parties(payload json) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    IF strpos(payload::text, '\u0000') > 0 THEN
        payload := replace(payload::text, '\u0000', '\ufffd')::json;
    END IF;
    payload := coalesce(payload -> 'delegation', payload);
    RETURN ARRAY[payload ->> 'owner', payload ->> 'operator'];
END
$$;
-- +goose StatementEnd
DROP INDEX CONCURRENTLY IF EXISTS contracts_merge_delegations;
CREATE INDEX CONCURRENTLY contracts_merge_delegations ON contracts (
    template_id, merge_delegation_parties(payload), created_offset, created_node_id
)
WHERE
    archived_offset IS NULL AND in_network
    AND template_id LIKE '%:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation%';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS contracts_merge_delegations;
DROP FUNCTION IF EXISTS merge_delegation_parties;
