-- GetNode reads the identity of the node; no row before the bootstrap.
-- name: GetNode :one
SELECT participant_id, synchronizer_id, namespace, dso, operator, operator_user, private_key
FROM node;

-- InsertNode stores the identity of the node unless there is one: of several processes that start on an empty database,
-- one wins.
-- name: InsertNode :execrows
INSERT INTO node (participant_id, synchronizer_id, namespace, dso, operator, operator_user, private_key)
VALUES (@participant_id, @synchronizer_id, @namespace, @dso, @operator, @operator_user, @private_key)
ON CONFLICT DO NOTHING;
