-- Operators: adds one small table, with a row for each member for which traffic was ever bought. It is filled from the
-- active contracts, which are read once: about a second for a million.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION traffic_account(member text, synchronizer text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(convert_to(length(member) || ':' || member || synchronizer, 'UTF8'));

CREATE TABLE member_traffic (
    -- The ids of members are what buyers write: their digest fits into an index, whatever that is.
    account   bytea   NOT NULL,
    counted   bigint  NOT NULL,
    purchased numeric NOT NULL,
    CONSTRAINT member_traffic_one_per_account PRIMARY KEY (account)
);
COMMENT ON TABLE member_traffic IS 'What the network''s active MemberTraffic contracts of each member add up to.';
COMMENT ON COLUMN member_traffic.counted IS 'How many contracts they are.';

INSERT INTO member_traffic (account, counted, purchased)
SELECT bought.account, count(*), sum(bought.purchased)
FROM (
    SELECT
        traffic_account(plain_field(payload, 'memberId'), plain_field(payload, 'synchronizerId')) AS account,
        plain_field(payload, 'totalPurchased')::numeric                                           AS purchased
    FROM contracts
    WHERE
        archived_offset IS NULL AND in_network
        AND template_id LIKE '%:Splice.DecentralizedSynchronizer:MemberTraffic'
) AS bought
WHERE bought.account IS NOT NULL
GROUP BY bought.account;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DROP TABLE member_traffic;
DROP FUNCTION traffic_account;
-- +goose StatementEnd
