-- GetTemporalNamespace reads in which Temporal namespace the ledger works; no row before its first process.
-- name: GetTemporalNamespace :one
SELECT database_id, name, namespace_id, server_id
FROM temporal_namespace;

-- NoteTemporalNamespace notes the namespace unless one is noted.
-- name: NoteTemporalNamespace :execrows
INSERT INTO temporal_namespace (database_id, name, namespace_id, server_id)
VALUES (@database_id, @name, @namespace_id, @server_id)
ON CONFLICT DO NOTHING;

-- HoldTemporalNamespace reads it and keeps others from changing it until the transaction ends.
-- name: HoldTemporalNamespace :one
SELECT database_id, name, namespace_id, server_id
FROM temporal_namespace
FOR UPDATE;

-- ChangeTemporalNamespace has the ledger work in another namespace.
-- name: ChangeTemporalNamespace :exec
UPDATE temporal_namespace
SET
    database_id = @database_id,
    name = @name,
    namespace_id = @namespace_id,
    server_id = @server_id,
    since = now();

-- WorkInNamespace notes in which namespace a process works.
-- name: WorkInNamespace :exec
UPDATE processes
SET namespace_id = @namespace_id
WHERE process = @process;

-- ListProcessesElsewhere finds the processes that have said lately that they run, and work in another namespace.
-- name: ListProcessesElsewhere :many
SELECT process, role, host, version, schema_version
FROM processes
WHERE
    namespace_id NOT IN ('', @namespace_id)
    AND seen_at > now() - make_interval(secs => @silence::float8)
ORDER BY process;
