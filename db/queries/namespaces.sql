-- InsertNamespaces keeps who holds namespaces. What is kept already stays as it is.
-- name: InsertNamespaces :exec
INSERT INTO namespaces (namespace, shown_by, party)
SELECT unnest(@namespaces::text[]), unnest(@shown_by::text[])::json, @party
ON CONFLICT (namespace) DO NOTHING;

-- ListNamespaces finds who holds those of the namespaces that are known.
-- name: ListNamespaces :many
SELECT namespace, shown_by
FROM namespaces
WHERE namespace = ANY(@namespaces::text[]);
