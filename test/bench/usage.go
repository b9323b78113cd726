package main

import (
	"context"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/florinledger/florin/devnet/runfile"
)

const procDir = "/proc"

// CPU is CPU time per submission in milliseconds; unknown parts are nil.
type CPU struct {
	Node     *float64 `json:"node"`
	Temporal *float64 `json:"temporal"`
	// Postgres is the whole server. PostgresRecord and PostgresTemporal are its sessions in the node's database and in
	// Temporal's; the rest is background work such as writing WAL and vacuuming.
	Postgres         *float64 `json:"postgres"`
	PostgresRecord   *float64 `json:"postgresRecord"`
	PostgresTemporal *float64 `json:"postgresTemporal"`
	// Bench is the load generator itself, which runs on the same machine.
	Bench *float64 `json:"bench"`
	// WALBytes is the write-ahead log per submission, Commits the transactions per submission, including Temporal's.
	WALBytes *float64 `json:"walBytes"`
	Commits  *float64 `json:"commits"`
}

// total is the CPU time of all parts; nil if one is unknown.
func (c CPU) total() *float64 { return sum(c.Node, c.Temporal, c.Postgres, c.Bench) }

// sum is nil if a part is unknown.
func sum(parts ...*float64) *float64 {
	var total float64
	for _, part := range parts {
		if part == nil {
			return nil
		}
		total += *part
	}
	return &total
}

// mean is the mean of two measurements; a part that one of them lacks is nil.
func (c CPU) mean(other CPU) CPU {
	half := func(a, b *float64) *float64 {
		if a == nil || b == nil {
			return nil
		}
		mean := (*a + *b) / 2
		return &mean
	}
	return CPU{
		Node: half(c.Node, other.Node), Temporal: half(c.Temporal, other.Temporal),
		Postgres:       half(c.Postgres, other.Postgres),
		PostgresRecord: half(c.PostgresRecord, other.PostgresRecord), Bench: half(c.Bench, other.Bench),
		PostgresTemporal: half(c.PostgresTemporal, other.PostgresTemporal),
		WALBytes:         half(c.WALBytes, other.WALBytes), Commits: half(c.Commits, other.Commits),
	}
}

// Memory is the memory of the processes in MB; unknown parts are nil.
type Memory struct {
	NodeRSS     *float64 `json:"nodeRss"`
	TemporalRSS *float64 `json:"temporalRss"`
	// PostgresPSS counts shared memory once.
	PostgresPSS *float64 `json:"postgresPss"`
}

// total is the memory of all processes; nil if a part is unknown.
func (m Memory) total() *float64 { return sum(m.NodeRSS, m.TemporalRSS, m.PostgresPSS) }

// meter reads the resource usage of a node's processes.
type meter struct {
	pids     runfile.PIDs
	database *pgxpool.Pool // of the node; nil if it is unknown
}

// reading is one look at the meters.
type reading struct {
	node, temporal, bench *time.Duration
	postgres              map[int]stat
	sessions              map[int]string // database by process id
	record                string         // name of the node's database
	wal, commits          *float64
}

func (m *meter) read(ctx context.Context) reading {
	r := reading{node: processTime(m.pids.Node), temporal: processTime(m.pids.Temporal), bench: processTime(os.Getpid())}
	if m.pids.Postgres > 0 {
		if family, err := tree(procDir, m.pids.Postgres); err == nil {
			r.postgres = family
		}
	}
	if m.database != nil {
		m.readDatabase(ctx, &r)
	}
	return r
}

// readDatabase asks PostgreSQL; unknown values stay empty.
func (m *meter) readDatabase(ctx context.Context, r *reading) {
	var wal, commits float64
	row := m.database.QueryRow(ctx, `SELECT current_database(),
		pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8,
		(SELECT sum(xact_commit) FROM pg_stat_database)::float8`)
	if row.Scan(&r.record, &wal, &commits) == nil {
		r.wal, r.commits = &wal, &commits
	}
	rows, err := m.database.Query(ctx, "SELECT pid, datname FROM pg_stat_activity WHERE datname IS NOT NULL")
	if err != nil {
		return
	}
	defer rows.Close()
	r.sessions = map[int]string{}
	for rows.Next() {
		var pid int
		var name string
		if rows.Scan(&pid, &name) == nil {
			r.sessions[pid] = name
		}
	}
}

func processTime(pid int) *time.Duration {
	if pid <= 0 {
		return nil
	}
	s, err := readStat(procDir, pid)
	if err != nil {
		return nil
	}
	return &s.own
}

// perSubmission is the usage between two readings per submission.
func perSubmission(before, after reading, submissions int) CPU {
	if submissions == 0 {
		return CPU{}
	}
	n := float64(submissions)
	between := func(a, b *time.Duration) *float64 {
		if a == nil || b == nil {
			return nil
		}
		used := milliseconds(*b-*a) / n
		return &used
	}
	difference := func(a, b *float64) *float64 {
		if a == nil || b == nil {
			return nil
		}
		used := (*b - *a) / n
		return &used
	}
	cpu := CPU{
		Node: between(before.node, after.node), Temporal: between(before.temporal, after.temporal),
		Bench: between(before.bench, after.bench), WALBytes: difference(before.wal, after.wal),
		Commits: difference(before.commits, after.commits),
	}
	if before.postgres != nil && after.postgres != nil {
		cpu.Postgres = per(serverTime(after.postgres)-serverTime(before.postgres), n)
		if after.sessions != nil {
			record, others := sessionTimes(before, after)
			cpu.PostgresRecord, cpu.PostgresTemporal = per(record, n), per(others, n)
		}
	}
	return cpu
}

func per(used time.Duration, n float64) *float64 {
	each := milliseconds(used) / n
	return &each
}

// serverTime counts ended processes through their parents, so that it misses none between two readings.
func serverTime(family map[int]stat) time.Duration {
	var total time.Duration
	for _, s := range family {
		total += s.own + s.ended
	}
	return total
}

// sessionTimes is the usage of the sessions of the second reading, in the node's database and in others.
func sessionTimes(before, after reading) (record, others time.Duration) {
	for pid, name := range after.sessions {
		if _, alive := after.postgres[pid]; !alive {
			continue
		}
		used := after.postgres[pid].own - before.postgres[pid].own
		if name == after.record {
			record += used
		} else {
			others += used
		}
	}
	return record, others
}

// nodeMemory is the node's memory in MB. It is cheap enough for use during a measurement, unlike [meter.memory]: there
// the kernel counts the shared memory of PostgreSQL page by page.
func (m *meter) nodeMemory() *float64 {
	if m.pids.Node <= 0 {
		return nil
	}
	resident, err := readResident(procDir, m.pids.Node)
	if err != nil {
		return nil
	}
	return megabytes(resident)
}

func (m *meter) memory() Memory {
	resident := func(pid int) *float64 {
		if pid <= 0 {
			return nil
		}
		used, err := readMemory(procDir, pid)
		if err != nil {
			return nil
		}
		return megabytes(used.resident)
	}
	return Memory{
		NodeRSS: resident(m.pids.Node), TemporalRSS: resident(m.pids.Temporal), PostgresPSS: m.postgresPSS(),
	}
}

func (m *meter) postgresPSS() *float64 {
	if m.pids.Postgres <= 0 {
		return nil
	}
	family, err := tree(procDir, m.pids.Postgres)
	if err != nil {
		return nil
	}
	var total int64
	for pid := range family {
		used, err := readMemory(procDir, pid)
		if err != nil || used.proportional == 0 {
			continue // it has ended, or the permission is missing
		}
		total += used.proportional
	}
	if total == 0 {
		return nil
	}
	return megabytes(total)
}

func megabytes(bytes int64) *float64 {
	mb := float64(bytes) / (1 << 20)
	return &mb
}
