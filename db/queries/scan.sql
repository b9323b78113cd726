-- ListSpentCoin pages through the network's coin of an owner that was spent after an offset, in order of spending. The
-- index orders it by offset; what was spent at the offset of the last coin is sorted here.
-- name: ListSpentCoin :many
SELECT *
FROM (
    SELECT *
    FROM contracts
    WHERE
        archived_offset IS NOT NULL AND in_network AND template_id LIKE '%:Splice.Amulet:%Amulet'
        AND plain_field(payload, 'owner') = @owner::text
        AND (archived_offset, contract_id) > (@after_offset::bigint, @after_id::text)
    ORDER BY archived_offset
    FETCH FIRST (@count_max::bigint) ROWS WITH TIES
) AS spent
ORDER BY archived_offset, contract_id
LIMIT @count_max;

-- ListTransferCommands lists the newest of the network's transfer commands of a sender with a nonce, active or not.
-- name: ListTransferCommands :many
SELECT *
FROM contracts
WHERE
    in_network AND template_id LIKE '%:Splice.ExternalPartyAmuletRules:TransferCommand'
    AND plain_field(payload, 'sender') = @sender::text AND plain_field(payload, 'nonce') = @nonce::text
ORDER BY created_offset DESC
LIMIT @count_max;
