-- InsertNamespaces stores who holds namespaces. Stored ones do not change.
-- name: InsertNamespaces :exec
INSERT INTO namespaces (namespace, shown_by, party)
SELECT unnest(@namespaces::text[]), unnest(@shown_by::text[])::json, @party
ON CONFLICT (namespace) DO NOTHING;

-- ListNamespaces finds who holds the namespaces. Unknown ones are absent.
-- name: ListNamespaces :many
SELECT namespace, shown_by
FROM namespaces
WHERE namespace = ANY(@namespaces::text[]);
