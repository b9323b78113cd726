package db

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
)

// The channels that the queries MoveHead, NotifyUser, SetClock, TouchLifecycles and InsertPackageChange write to.
const (
	headChannel       = "florin_head"
	usersChannel      = "florin_users"
	clockChannel      = "florin_clock"
	lifecyclesChannel = "florin_lifecycles"
	packagesChannel   = "florin_packages"
)

const (
	defaultPoll = 2 * time.Second
	// answerTimeout is how long the listening connection may take to answer before it counts as dead.
	answerTimeout = 10 * time.Second
	// reconnectPause is between two attempts to connect.
	reconnectPause = 500 * time.Millisecond
)

// errLoginChanged ends a connection whose login has changed.
var errLoginChanged = errors.New("the login of the database has changed")

// ErrWatcherClosed ends a wait on a closed [Watcher].
var ErrWatcherClosed = errors.New("the watcher of the record is closed")

// WatcherOptions tune a [Watcher]. The zero value is good for a node.
type WatcherOptions struct {
	// Poll is the silence after which the watcher reads the head; 0 means 2 seconds.
	Poll time.Duration
	// Log gets a line about each lost connection; nil for none.
	Log *slog.Logger
}

// Watcher knows the head of the record and wakes those who wait for it to move. It listens on one connection of its
// own, for any number of waiters. It is safe for concurrent use.
type Watcher struct {
	db      *DB
	options WatcherOptions
	cancel  context.CancelFunc
	closed  chan struct{} // closed when the watcher has stopped

	// loginChanged makes the watcher connect again.
	loginChanged atomic.Bool

	mu    sync.Mutex
	head  ledger.Offset
	moved chan struct{} // closed, and replaced, when the head moves
	users []func(id string)
	clock ClockState
	// ticks are called at each change of the clock.
	ticks []func(ClockState)
	// due are called when lifecycles may have become due.
	due []func()
	// packages are called when packages were uploaded or vetted.
	packages []func()
	// stall is what sessions wait for, nil for nothing; stallSeen is when they were last seen to wait.
	stall     *Stall
	stallSeen time.Time
}

// Watch starts a watcher and returns when it listens. It runs until [Watcher.Close] or the end of ctx. When it loses
// its connection, it connects again and misses nothing.
func (d *DB) Watch(ctx context.Context, options WatcherOptions) (*Watcher, error) {
	if options.Poll == 0 {
		options.Poll = defaultPoll
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &Watcher{
		db: d, options: options, cancel: cancel, closed: make(chan struct{}), moved: make(chan struct{}),
	}
	conn, err := w.connect(ctx)
	if err != nil {
		cancel()
		return nil, failed("watching the record", err)
	}
	d.addWatcher(w)
	go w.run(ctx, conn)
	return w, nil
}

// Close stops the watcher and returns when it has stopped.
func (w *Watcher) Close() {
	w.cancel()
	<-w.closed
}

// Head is the last offset that the watcher knows of. It never decreases; the record may be a moment ahead.
func (w *Watcher) Head() ledger.Offset {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head
}

// WaitAfter returns the head as soon as it is after the offset, or the head as it is with the error of ctx or
// [ErrWatcherClosed]. If ctx has ended or the watcher is closed, it returns the error even if the head is after the
// offset: so a loop of waits always ends.
func (w *Watcher) WaitAfter(ctx context.Context, offset ledger.Offset) (ledger.Offset, error) {
	for {
		w.mu.Lock()
		head, moved := w.head, w.moved
		w.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return head, ctx.Err()
		case w.isClosed():
			return head, ErrWatcherClosed
		case head > offset:
			return head, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
		case <-w.closed:
		}
	}
}

func (w *Watcher) isClosed() bool {
	select {
	case <-w.closed:
		return true
	default:
		return false
	}
}

// OnUserChange calls the function for each user that any process created, changed or deleted, or whose rights it
// changed. The id "" stands for all users: the watcher may have missed changes while its connection was lost. For a
// change through the same [DB], the function runs before the change returns, and again at the notification. The
// function blocks the watcher or the change, so it must be quick; several goroutines may call it.
func (w *Watcher) OnUserChange(call func(id string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.users = append(w.users, call)
}

func (w *Watcher) run(ctx context.Context, conn *pgx.Conn) {
	defer close(w.closed)
	defer w.db.removeWatcher(w)
	for {
		err := w.listen(ctx, conn)
		if errors.Is(err, errLoginChanged) {
			conn, err = w.connect(ctx)
		}
		if err != nil && ctx.Err() == nil { // once, however long the reconnection takes
			w.options.Log.WarnContext(ctx, "lost the connection that watches the record", "error", err)
		}
		for err != nil && ctx.Err() == nil {
			if wait.For(ctx, reconnectPause) != nil {
				return
			}
			conn, err = w.connect(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		w.userChanged("")
		w.lifecyclesDue()
		w.packagesChanged()
	}
}

// connect returns a connection that listens, after it has read the head.
func (w *Watcher) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout) // a network may swallow everything without an error
	defer cancel()
	config := w.db.pool.Config().ConnConfig
	config.RuntimeParams["application_name"] += watcherSuffix
	if err := w.db.logIn(ctx, config); err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	queries := dbgen.New(conn)
	// The head is read last: a later commit sends a notification.
	err = errors.Join(queries.ListenHead(ctx), queries.ListenUsers(ctx), queries.ListenClock(ctx),
		queries.ListenLifecycles(ctx), queries.ListenPackages(ctx), w.readHead(ctx, queries))
	if err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return conn, nil
}

// listen serves until the connection fails or ctx ends.
func (w *Watcher) listen(ctx context.Context, conn *pgx.Conn) error {
	defer conn.Close(ctx)
	for {
		// The queries also show this process whether the connection lives, and show others that this process lives.
		for _, step := range []func(context.Context, *pgx.Conn) error{w.passOn, w.ask, w.lookForStall} {
			if err := step(ctx, conn); err != nil {
				return err
			}
		}
		if w.loginChanged.Swap(false) {
			return errLoginChanged
		}
	}
}

// passOn passes notifications on until it is time to ask.
func (w *Watcher) passOn(ctx context.Context, conn *pgx.Conn) error {
	quiet, cancel := context.WithTimeout(ctx, w.options.Poll)
	defer cancel()
	for {
		notification, err := w.hear(ctx, quiet, conn)
		switch {
		case err != nil || notification == nil:
			return err
		case notification.Channel == usersChannel:
			w.userChanged(notification.Payload)
		case notification.Channel == headChannel:
			err = w.headMoved(notification.Payload)
		case notification.Channel == clockChannel:
			err = w.readHead(ctx, dbgen.New(conn))
		case notification.Channel == lifecyclesChannel:
			w.lifecyclesDue()
		case notification.Channel == packagesChannel:
			w.packagesChanged()
		}
		if err != nil {
			return err
		}
	}
}

// hear waits for a notification; nil when it is time to ask, even if more notifications wait.
func (*Watcher) hear(ctx, quiet context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	notification, err := conn.WaitForNotification(quiet)
	if err != nil && quiet.Err() != nil && ctx.Err() == nil && !conn.IsClosed() {
		return nil, nil // Silence is neither a notification nor an error.
	}
	return notification, err
}

func (w *Watcher) ask(ctx context.Context, conn *pgx.Conn) error {
	return w.readHead(ctx, dbgen.New(conn))
}

// readHead reads the subjects of notifications: the head and the clock.
func (w *Watcher) readHead(ctx context.Context, queries *dbgen.Queries) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	head, err := queries.GetHead(ctx)
	if err != nil {
		return err
	}
	w.advance(head.LedgerOffset)
	clock, err := queries.GetClock(ctx)
	if err == nil {
		w.clockChanged(fromDBClock(clock))
	}
	return err
}

func (w *Watcher) headMoved(payload string) error {
	offset, err := strconv.ParseInt(payload, 10, 64)
	if err == nil {
		w.advance(ledger.Offset(offset))
	}
	return err
}

func (w *Watcher) advance(head ledger.Offset) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if head > w.head {
		w.head = head
		close(w.moved)
		w.moved = make(chan struct{})
	}
}

func (w *Watcher) userChanged(id string) {
	w.mu.Lock()
	calls := w.users
	w.mu.Unlock()
	for _, call := range calls {
		call(id)
	}
}

// OnClockChange calls the function with the state of the ledger's clock, at once and after each change by any process.
// It must be quick, and may be called from several goroutines.
func (w *Watcher) OnClockChange(call func(ClockState)) {
	w.mu.Lock()
	w.ticks = append(w.ticks, call)
	clock := w.clock
	w.mu.Unlock()
	call(clock)
}

// OnLifecyclesDue calls the function when contracts of lifecycles were created or archived, or may have been while the
// connection was lost. It must be quick.
func (w *Watcher) OnLifecyclesDue(call func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due = append(w.due, call)
}

// clockChanged takes over a newer state; an older one, which comes late, changes nothing.
func (w *Watcher) clockChanged(state ClockState) {
	w.mu.Lock()
	if state.Before(w.clock) || state == w.clock {
		w.mu.Unlock()
		return
	}
	w.clock = state
	calls := w.ticks
	w.mu.Unlock()
	for _, call := range calls {
		call(state)
	}
}

func (w *Watcher) lifecyclesDue() {
	w.mu.Lock()
	calls := w.due
	w.mu.Unlock()
	for _, call := range calls {
		call()
	}
}

// OnPackagesChange calls the function when packages were uploaded, vetted or unvetted by any process, or may have been
// while the connection was lost: before a later commit wakes anybody. It must be quick.
func (w *Watcher) OnPackagesChange(call func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.packages = append(w.packages, call)
}

func (w *Watcher) packagesChanged() {
	w.mu.Lock()
	calls := w.packages
	w.mu.Unlock()
	for _, call := range calls {
		call()
	}
}
