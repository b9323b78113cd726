-- AddMemberTraffic adds the traffic of created contracts, and subtracts that of archived ones. Contracts that stand for
-- no traffic of the network do not count.
-- name: AddMemberTraffic :exec
INSERT INTO member_traffic AS known (account, counted, purchased)
SELECT said.account, sum(said.counts), sum(said.counts * said.purchased)
FROM (
    SELECT
        moved.counts,
        traffic_account(plain_field(c.payload, 'memberId'), plain_field(c.payload, 'synchronizerId')) AS account,
        plain_field(c.payload, 'totalPurchased')::numeric AS purchased
    FROM (
        SELECT unnest(@created::text[]) AS contract_id, 1 AS counts
        UNION ALL
        SELECT unnest(@archived::text[]) AS contract_id, -1 AS counts
    ) AS moved
    INNER JOIN contracts AS c ON c.contract_id = moved.contract_id
    WHERE c.in_network AND c.template_id LIKE '%:Splice.DecentralizedSynchronizer:MemberTraffic'
) AS said
WHERE said.account IS NOT NULL
GROUP BY said.account
ORDER BY said.account
ON CONFLICT (account) DO UPDATE
SET counted = known.counted + excluded.counted, purchased = known.purchased + excluded.purchased;

-- GetMemberTraffic reads the traffic that was bought for a member, up to the largest integer.
-- name: GetMemberTraffic :one
SELECT least(purchased, 9223372036854775807)::bigint AS purchased
FROM member_traffic
WHERE account = traffic_account(@member::text, @synchronizer::text) AND counted > 0;

-- ListMiscountedTraffic compares the stored sums of members with the sums of their contracts.
-- name: ListMiscountedTraffic :many
SELECT
    coalesce(encode(kept.account, 'hex'), encode(said.account, 'hex'))::text AS account,
    coalesce(kept.counted, 0)::bigint AS kept_contracts, coalesce(kept.purchased, 0)::text AS kept_purchased,
    coalesce(said.counted, 0)::bigint AS said_contracts, coalesce(said.purchased, 0)::text AS said_purchased
FROM (
    SELECT each.account, count(*) AS counted, sum(each.purchased) AS purchased
    FROM (
        SELECT
            traffic_account(plain_field(c.payload, 'memberId'), plain_field(c.payload, 'synchronizerId')) AS account,
            plain_field(c.payload, 'totalPurchased')::numeric AS purchased
        FROM contracts AS c
        WHERE
            c.archived_offset IS NULL AND c.in_network
            AND c.template_id LIKE '%:Splice.DecentralizedSynchronizer:MemberTraffic'
    ) AS each
    WHERE each.account IS NOT NULL
    GROUP BY each.account
) AS said
FULL JOIN member_traffic AS kept ON kept.account = said.account
WHERE
    coalesce(kept.counted, 0) <> coalesce(said.counted, 0)
    OR coalesce(kept.purchased, 0) <> coalesce(said.purchased, 0)
ORDER BY coalesce(kept.account, said.account)
LIMIT @count_max;
