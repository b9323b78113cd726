package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinledger/florin/devnet/freeport"
	"github.com/florinledger/florin/devnet/process"
	"github.com/florinledger/florin/internal/wait"
)

const (
	loopback = "127.0.0.1"
	// startTimeout bounds a start without an earlier deadline. Recovery after a crash replays at most max_wal_size, which
	// takes seconds.
	startTimeout = 2 * time.Minute
	// stopGrace is the time of a shutdown before a harder one.
	stopGrace = 20 * time.Second
	// maxSocketPath is the longest path of a Unix socket on every system.
	maxSocketPath = 103
	// startAttempts limits the tries of a start.
	startAttempts = 20
)

// Options configure the server.
type Options struct {
	// Dir is the data directory, which must exist. The caller has locked it (package datadir). The cluster is in its
	// sub-directory postgres.
	Dir string
	// Port on 127.0.0.1; 0 chooses a free one.
	Port int
	// Ephemeral is for tests: no data survives a crash of the machine, many connections, an odd time zone.
	Ephemeral bool
	// Log receives the server's log; nil discards it.
	Log io.Writer
	// Progress gets one line about each slow or surprising step; nil discards it.
	Progress func(string)
	// MayInstall reports whether florin may install a missing PostgreSQL; nil: it may.
	MayInstall func(command string) bool
}

// Server is a running PostgreSQL.
type Server struct {
	process   *process.Process
	tail      *process.Tail
	password  string
	port      int
	socketDir string
	ephemeral bool
}

// Start finds or installs PostgreSQL, makes a missing cluster, stops a server of a killed florin, starts the server,
// and returns when it accepts connections. Errors have the next step.
func Start(ctx context.Context, options Options) (*Server, error) {
	if options.Log == nil {
		options.Log = io.Discard
	}
	if options.Progress == nil {
		options.Progress = func(string) {}
	}
	if options.MayInstall == nil {
		options.MayInstall = func(string) bool { return true }
	}
	c, password, err := prepare(ctx, options)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errors.New("it did not accept connections in time"))
	defer cancel()
	if err := c.stopOrphan(ctx, options.Progress); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		server, err := c.start(ctx, options, password)
		if err == nil || attempt == startAttempts || !mayStartLater(err, options.Port) {
			return server, err
		}
		if wait.For(ctx, 100*time.Millisecond) != nil {
			return nil, err
		}
	}
}

// mayStartLater reports whether another try may help: another program took the chosen port, or the last processes of a
// killed server still run.
func mayStartLater(err error, port int) bool {
	text := err.Error()
	return port == 0 && strings.Contains(text, "Address already in use") ||
		strings.Contains(text, "pre-existing shared memory block")
}

// prepare makes or finds the cluster.
func prepare(ctx context.Context, options Options) (cluster, string, error) {
	none := cluster{}
	dataDir, err := filepath.Abs(options.Dir)
	if err == nil {
		dataDir, err = filepath.EvalSymlinks(dataDir)
	}
	if err != nil {
		return none, "", explain(err, "")
	}
	dir := filepath.Join(dataDir, clusterName)
	major, err := clusterMajor(dir)
	if err != nil {
		return none, "", explain(err, "")
	}
	b, err := locateOrInstall(ctx, major, options)
	if err != nil {
		return none, "", err
	}
	as, err := serverAccount(dir)
	if err != nil {
		return none, "", err
	}
	place := placement{dataDir: dataDir, elsewhere: elsewhere, account: as, progress: options.Progress}
	if dir, err = place.decide(ctx, b); err != nil {
		return none, "", explain(err, "")
	}
	c := cluster{dir: dir, account: as, binaries: b, ephemeral: options.Ephemeral}
	password, err := loadPassword(dataDir, major != 0)
	if err != nil {
		return none, "", explain(err, "")
	}
	if major == 0 {
		options.Progress(fmt.Sprintf("making a PostgreSQL %d database", b.major))
		err = c.create(ctx, password)
	}
	return c, password, explain(err, "")
}

func locateOrInstall(ctx context.Context, major int, options Options) (binaries, error) {
	b, err := locate(ctx, major)
	if !errors.Is(err, errNotInstalled) {
		return b, err
	}
	if err := newInstaller(options).install(ctx); err != nil {
		return binaries{}, err
	}
	return locate(ctx, major)
}

// start runs the server on a port and waits until it accepts connections.
func (c cluster) start(ctx context.Context, options Options, password string) (*Server, error) {
	port := options.Port
	if port == 0 {
		var err error
		if port, err = freeport.Find(ctx, loopback); err != nil {
			return nil, err
		}
	}
	socketDir, err := c.socketDirectory(port)
	if err != nil {
		return nil, explain(err, "")
	}
	if err := c.configure(ctx, port, socketDir); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), c.binaries.postgres(), "-D", c.dir)
	cmd.Dir, cmd.Env = c.dir, environment()
	c.account.apply(cmd)
	tail := process.NewTail(options.Log, 15)
	cmd.Stdout, cmd.Stderr = tail, tail
	server := &Server{tail: tail, password: password, port: port, socketDir: socketDir, ephemeral: c.ephemeral}
	if server.process, err = process.Start(cmd, server.shutdownSignal()); err != nil {
		return nil, explain(fmt.Errorf("cannot start %s: %w", c.binaries.postgres(), err), "")
	}
	if err := server.waitReady(ctx); err != nil {
		_ = server.process.Stop(context.WithoutCancel(ctx), syscall.SIGINT, syscall.SIGQUIT, stopGrace)
		return nil, explain(fmt.Errorf("PostgreSQL on port %d did not start: %w", port, err), tail.String())
	}
	return server, nil
}

// socketDirectory returns the cluster's own directory, or a short one if the socket's path would be too long for the
// kernel.
func (c cluster) socketDirectory(port int) (string, error) {
	if len(filepath.Join(c.dir, ".s.PGSQL."+strconv.Itoa(port))) <= maxSocketPath {
		return c.dir, nil
	}
	hash := sha256.Sum256([]byte(c.dir))
	short := filepath.Join("/tmp", "florin-"+hex.EncodeToString(hash[:8]))
	if err := os.Mkdir(short, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	if err := c.ownedDirectory(short); err != nil {
		return "", nil //nolint:nilerr // somebody else's directory: the server does without a Unix socket
	}
	return short, c.account.own(short)
}

// ownedDirectory checks that a directory in a world-writable place belongs to us.
func (c cluster) ownedDirectory(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	mine := ok && (int(stat.Uid) == os.Geteuid() || c.account != nil && stat.Uid == c.account.uid)
	if !info.IsDir() || !mine {
		return fmt.Errorf("%s belongs to another user", path)
	}
	return nil
}

// errEnded says that the server ended during the wait.
var errEnded = errors.New("it ended by itself")

// waitReady connects until the server answers and still runs: if another program has its port, that one may answer.
func (s *Server) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-s.Done():
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code != "57P03" { // cannot_connect_now: it is starting up
			return err
		}
		if wait.For(ctx, 10*time.Millisecond) != nil {
			return context.Cause(ctx)
		}
	}
}

// URL is the connection URL of a database, over TCP.
func (s *Server) URL(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, s.password),
		Host: net.JoinHostPort(loopback, strconv.Itoa(s.port)), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// SocketURL is the connection URL of a database over the Unix socket, which is faster than TCP. Without a Unix socket
// it is URL.
func (s *Server) SocketURL(database string) string {
	if s.socketDir == "" {
		return s.URL(database)
	}
	query := url.Values{"host": {s.socketDir}, "port": {strconv.Itoa(s.port)}, "sslmode": {"disable"}}
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, s.password),
		Path: "/" + database, RawQuery: query.Encode(),
	}
	return u.String()
}

// Port is the port on 127.0.0.1.
func (s *Server) Port() int { return s.port }

// PID is the process id of the server.
func (s *Server) PID() int { return s.process.PID() }

// Done is closed when the server has ended for any reason.
func (s *Server) Done() <-chan struct{} { return s.process.Done() }

// Err returns the error of a server that has ended, with its last output and the next step; nil after a normal end.
func (s *Server) Err() error {
	if err := s.process.Err(); err != nil {
		return explain(fmt.Errorf("PostgreSQL (pid %d) ended: %w", s.PID(), err), s.tail.String())
	}
	return nil
}

// EnsureDatabase creates a database unless it exists.
func (s *Server) EnsureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return fmt.Errorf("create database %q: %w", name, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var exists bool
	query := "select exists (select from pg_database where datname = $1)"
	if err := conn.QueryRow(ctx, query, name).Scan(&exists); err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize())
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == "42P04" || refused.Code == "23505") {
		return nil // another process created it
	}
	return explain(err, "")
}

// shutdownSignal is a fast shutdown, which needs no recovery; for an ephemeral server an immediate one.
func (s *Server) shutdownSignal() syscall.Signal {
	if s.ephemeral {
		return syscall.SIGQUIT
	}
	return syscall.SIGINT
}

// Stop ends all sessions, writes all data and ends the server. It forces a shutdown that exceeds its grace or ctx; the
// next start recovers, and the error says so.
func (s *Server) Stop(ctx context.Context) error {
	return s.process.Stop(ctx, s.shutdownSignal(), syscall.SIGQUIT, stopGrace)
}
