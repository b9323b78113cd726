-- Operators: an index with one entry for each coin that is held. It is built while the table is locked for writing.

-- +goose Up
-- +goose StatementBegin
-- The mining round from which a coin is dust; null for other contracts, and for coin that never is.
CREATE FUNCTION dust_round(template_id text, payload json) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN template_id LIKE '%:Splice.Amulet:Amulet' THEN
        (payload #>> '{amount,createdAt,number}')::numeric
        + ceil(
            (payload #>> '{amount,initialAmount}')::numeric / nullif((payload #>> '{amount,ratePerRound,rate}')::numeric, 0)
        )
    WHEN template_id LIKE '%:Splice.Amulet:LockedAmulet' THEN
        (payload #>> '{amulet,amount,createdAt,number}')::numeric
        + ceil(
            (payload #>> '{amulet,amount,initialAmount}')::numeric
            / nullif((payload #>> '{amulet,amount,ratePerRound,rate}')::numeric, 0)
        )
END;

CREATE INDEX contracts_dust ON contracts (dust_round(template_id, payload))
WHERE archived_offset IS NULL AND dust_round(template_id, payload) IS NOT NULL;
-- +goose StatementEnd

-- +goose Down
DROP INDEX contracts_dust;
DROP FUNCTION dust_round;
