-- HoldSchema lets nobody apply contracting steps until the transaction ends.
-- name: HoldSchema :exec
SELECT pg_advisory_xact_lock_shared(@schema_lock);

-- SeeProcess notes that a process runs.
-- name: SeeProcess :exec
INSERT INTO processes (process, role, host, version, schema_version, works, seen_at)
VALUES (@process, @role, @host, @version, @schema_version, @works, now())
ON CONFLICT (process) DO UPDATE
SET works = excluded.works, seen_at = excluded.seen_at;

-- ForgetProcess forgets a process that has ended.
-- name: ForgetProcess :exec
DELETE FROM processes
WHERE process = @process;

-- ForgetSilentProcesses forgets those that ended long ago without a note.
-- name: ForgetSilentProcesses :exec
DELETE FROM processes
WHERE seen_at < now() - interval '1 day';

-- ListWorkers finds the processes with a worker that have lately reported that they run.
-- name: ListWorkers :many
SELECT process
FROM processes
WHERE works AND seen_at > now() - make_interval(secs => @silence::float8);

-- CountAPIs counts the processes with an API that have lately reported that they run.
-- name: CountAPIs :one
SELECT count(*)
FROM processes
WHERE role IN ('api', 'api and worker') AND seen_at > now() - make_interval(secs => @silence::float8);

-- HoldStarts lets no process start until the transaction ends.
-- name: HoldStarts :exec
SELECT pg_advisory_xact_lock(@schema_lock);
