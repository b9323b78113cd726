-- ListHeld lists a holder's active contracts of a template, by descending rank.
-- name: ListHeld :many
SELECT *
FROM contracts
WHERE
    archived_offset IS NULL AND in_network AND template_id = @template_id
    AND contract_holder(template_id, payload) = @holder::text
ORDER BY contract_rank(template_id, payload) DESC, created_offset, created_node_id
LIMIT @count_max;

-- ListHeldLeastFirst lists them in reverse order.
-- name: ListHeldLeastFirst :many
SELECT *
FROM contracts
WHERE
    archived_offset IS NULL AND in_network AND template_id = @template_id
    AND contract_holder(template_id, payload) = @holder::text
ORDER BY contract_rank(template_id, payload), created_offset DESC, created_node_id DESC
LIMIT @count_max;

-- ListNewestHeld lists the newest active contract of a template of each holder, for a limited number of holders. It
-- goes from one holder to the next, however many contracts each has.
-- name: ListNewestHeld :many
WITH RECURSIVE holders AS (
    (
        SELECT contract_holder(c.template_id, c.payload) AS holder
        FROM contracts AS c
        WHERE c.archived_offset IS NULL AND c.in_network AND c.template_id = @template_id
        ORDER BY contract_holder(c.template_id, c.payload)
        LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT contract_holder(c.template_id, c.payload)
        FROM contracts AS c
        WHERE
            c.archived_offset IS NULL AND c.in_network AND c.template_id = @template_id
            AND contract_holder(c.template_id, c.payload) > h.holder
        ORDER BY contract_holder(c.template_id, c.payload)
        LIMIT 1
    )
    FROM holders AS h
    WHERE h.holder IS NOT NULL
), listed AS (
    SELECT h.holder
    FROM holders AS h
    WHERE h.holder IS NOT NULL
    LIMIT @count_max
)
SELECT newest.*
FROM listed
CROSS JOIN LATERAL (
    SELECT *
    FROM contracts AS c
    WHERE
        c.archived_offset IS NULL AND c.in_network AND c.template_id = @template_id
        AND contract_holder(c.template_id, c.payload) = listed.holder
    ORDER BY contract_rank(c.template_id, c.payload), c.created_offset DESC, c.created_node_id DESC
    LIMIT 1
) AS newest
ORDER BY newest.created_offset, newest.created_node_id;

-- SumHeld adds up the amounts of a holder's active contracts of a template whose rank is their amount.
-- name: SumHeld :one
SELECT coalesce(sum(contract_rank(template_id, payload)), 0)::text AS total
FROM contracts
WHERE
    archived_offset IS NULL AND in_network AND template_id = @template_id
    AND contract_holder(template_id, payload) = @holder::text;

-- ListOffered pages through the active offers of a template from one party to another, the oldest first.
-- name: ListOffered :many
SELECT *
FROM contracts
WHERE
    archived_offset IS NULL AND in_network AND template_id = @template_id
    AND contract_receiver(template_id, payload) IS NOT NULL
    AND contract_receiver(template_id, payload) = @receiver::text
    AND contract_holder(template_id, payload) = @sender::text
    AND (created_offset, created_node_id) > (@after_offset::bigint, @after_node_id::integer)
ORDER BY created_offset, created_node_id
LIMIT @count_max;

-- ListMergeDelegations lists active delegations, or proposals of such, by an owner to an operator, the oldest first.
-- name: ListMergeDelegations :many
SELECT *
FROM contracts
WHERE
    archived_offset IS NULL AND in_network AND template_id = @template_id
    AND template_id LIKE '%:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation%'
    AND merge_delegation_parties(payload) = ARRAY[@owner::text, @operator::text]
ORDER BY created_offset, created_node_id
LIMIT @count_max;
