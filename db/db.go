package db

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/florinledger/florin/db/dbgen"
)

// oldestServer is the oldest major version of PostgreSQL that is supported.
const oldestServer = 14

// Options say how to connect. The zero value is good for a node.
type Options struct {
	// MaxConns is the most connections that the pool opens; 0 takes the URL's pool_max_conns, or pgxpool's default of
	// 4 or the number of processors, whichever is greater.
	MaxConns int32
	// Tracer sees every query; nil for none.
	Tracer pgx.QueryTracer
}

// DB is the record of the node. It is safe for concurrent use.
type DB struct {
	Reader
	pool   *pgxpool.Pool
	writes writes
	seals  seals
	turns  lastTurns
	// credentials are nil while those of the URL are in use.
	credentials atomic.Pointer[credentials]

	mu       sync.Mutex
	watchers []*Watcher
}

// userChanged tells the watchers of this process about a change that it has committed, before the caller gets the
// answer: the change takes effect with the next request of the user. Other processes get a notification.
func (d *DB) userChanged(id string) {
	for _, watcher := range d.allWatchers() {
		watcher.userChanged(id)
	}
}

func (d *DB) allWatchers() []*Watcher {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.watchers)
}

func (d *DB) addWatcher(w *Watcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watchers = append(d.watchers, w)
}

func (d *DB) removeWatcher(w *Watcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watchers = slices.DeleteFunc(d.watchers, func(other *Watcher) bool { return other == w })
}

// Open connects to the database and checks that the server can serve. The schema is not checked: see
// [DB.CheckSchema]. The error says what to do.
func Open(ctx context.Context, url string, options Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not usable: %w", err)
	}
	if options.MaxConns > 0 {
		config.MaxConns = options.MaxConns
	}
	config.ConnConfig.Tracer = options.Tracer
	configure(config.ConnConfig)
	nameProcess(config.ConnConfig)
	config.AfterConnect = readTimesAsUTC
	opened := &DB{}
	config.BeforeConnect = opened.logIn
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("cannot create the database connection pool: %w", err)
	}
	opened.Reader, opened.pool = Reader{queries: dbgen.New(countedDB{pool})}, pool
	if err := opened.checkServer(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return opened, nil
}

// PoolState is the state of a pool of connections.
type PoolState struct {
	Idle, InUse, Max int32
	// Waits counts the requests that found all connections in use, and Waited is their total waiting time.
	Waits  int64
	Waited time.Duration
}

// Pool is the state of the pool now.
func (d *DB) Pool() PoolState {
	now := d.pool.Stat()
	return PoolState{
		Idle: now.IdleConns(), InUse: now.AcquiredConns(), Max: now.MaxConns(),
		Waits: now.EmptyAcquireCount(), Waited: now.EmptyAcquireWaitTime(),
	}
}

// Close closes all connections, waiting for those in use.
func (d *DB) Close() { d.pool.Close() }

// Ping returns an error unless the database answers and can store something. It stores nothing: it reports the last
// failed write.
func (d *DB) Ping(ctx context.Context) error {
	var readOnly bool
	err := d.pool.QueryRow(ctx, "SELECT current_setting('transaction_read_only')::boolean").Scan(&readOnly)
	switch {
	case err != nil:
		return failed("asking the database", err)
	case readOnly:
		d.pool.Reset() // a session that began read-only stays read-only
		return errReadOnly
	default:
		return failed("the last write", d.writes.last())
	}
}

// errReadOnly says that the database takes no changes.
var errReadOnly = errors.New("the database is read-only: a standby, or default_transaction_read_only is on")

// checkServer refuses servers on which statements would fail later with errors that are harder to understand.
func (d *DB) checkServer(ctx context.Context) error {
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return unreachable(err)
	}
	defer conn.Release()
	server := conn.Conn().PgConn()
	version := server.ParameterStatus("server_version")
	digits, _, _ := strings.Cut(version, ".")
	// A version that is not a number is a pre-release of a newer one, such as "19beta1".
	if major, err := strconv.Atoi(digits); err == nil && major < oldestServer {
		return fmt.Errorf("PostgreSQL %s is too old: use version %d or newer", version, oldestServer)
	}
	if encoding := server.ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("the database stores text as %s: make one with ENCODING 'UTF8'", encoding)
	}
	return nil
}

// configure prepares the connections of the pool and of watchers. What the URL sets stays.
func configure(config *pgx.ConnConfig) {
	nameConnection(config)
	for _, setting := range sessionSettings() {
		if config.RuntimeParams[setting.name] == "" {
			config.RuntimeParams[setting.name] = setting.value
		}
	}
}

// nameConnection is for the operator who lists connections.
func nameConnection(config *pgx.ConnConfig) {
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "florin"
	}
}

// nameProcess adds the id of the process to the name. The server keeps only the first 63 bytes of the name.
func nameProcess(config *pgx.ConnConfig) {
	const kept, ending = 63, "/abcdefghijkl watcher"
	name := config.RuntimeParams["application_name"]
	config.RuntimeParams["application_name"] = name[:min(len(name), kept-len(ending))] + "/" + processID()
}

// processID distinguishes the connections of one opened record from those of others.
func processID() string { return strings.ToLower(rand.Text()[:12]) }

type setting struct{ name, value string }

// sessionSettings make plans that do not depend on statistics. Every query of this package reads a few rows by an
// index. While the tables are small, PostgreSQL would make and cache plans that scan them, and use these until it
// analyzes the tables a minute later; in that minute a young node under load commits a hundred thousand rows. So the
// settings make scans too expensive to choose. A query that looks expensive for that reason, or for a large page, must
// not start compilation or parallel workers, which take longer than the query.
//
// The timeouts end sessions whose process is gone, so that others can commit: the server notices within seconds that
// the other end of the network is gone, and after a minute that a transaction does not go on. Before that, a [Watcher]
// ends the sessions of a process that stands still.
func sessionSettings() []setting {
	return []setting{
		{"enable_seqscan", "off"},
		{"enable_hashjoin", "off"},
		{"enable_mergejoin", "off"},
		{"plan_cache_mode", "force_generic_plan"},
		{"jit", "off"},
		{"max_parallel_workers_per_gather", "0"},
		{"idle_in_transaction_session_timeout", "60s"},
		{"tcp_keepalives_idle", "5"},
		{"tcp_keepalives_interval", "2"},
		{"tcp_keepalives_count", "3"},
		{"tcp_user_timeout", "10000"},
	}
}

// readTimesAsUTC decodes times as UTC, independent of the time zones of server and machine.
func readTimesAsUTC(_ context.Context, conn *pgx.Conn) error {
	types := conn.TypeMap()
	codec := &pgtype.TimestamptzCodec{ScanLocation: time.UTC}
	types.RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: codec})
	return nil
}

// isNoRows reports whether a query for one row found none.
func isNoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }
