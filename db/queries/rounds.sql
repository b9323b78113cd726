-- ListOpenRounds pages through the open rounds that were created before a position in the record, also closed ones, the
-- newest first, by their own index.
-- name: ListOpenRounds :many
SELECT *
FROM contracts
WHERE
    in_network AND template_id LIKE '%:Splice.Round:OpenMiningRound'
    AND (created_offset, created_node_id) < (@before_offset::bigint, @before_node::integer)
ORDER BY created_offset DESC, created_node_id DESC
LIMIT @count_max;
