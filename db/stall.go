package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// stallAfter is how long a session waits for a lock before a watcher looks for the reason.
	stallAfter = 3 * time.Second
	// stallGap is how long a session counts as in the way after the last long wait for it, if its transaction is still
	// open: those that wait give up and come again.
	stallGap = 30 * time.Second
	// heartbeatTimeout is the silence of its watcher after which a process counts as gone. It is several times the poll
	// interval of a watcher.
	heartbeatTimeout = 6 * time.Second
)

// Stall names the session for which sessions of the ledger wait longer than they should.
type Stall struct {
	// Waits is the longest wait, or how long this session has made others wait, one after the other.
	Waits time.Duration
	// Session is the number of the session that holds what they wait for, Holder names its program, and State is what the
	// server knows of it.
	Session       int
	Holder, State string
	// Began is when the transaction of the session began.
	Began time.Time
	// Ended means that the sessions of the process were ended, because it is gone or stands still.
	Ended bool
}

// String says how long commits have waited, and for which session.
func (s *Stall) String() string {
	holder := s.Holder
	if holder == "" {
		holder = "a program without a name"
	}
	return fmt.Sprintf("commits have waited %s for the session %d of %s, which is %s",
		s.Waits.Round(time.Second), s.Session, holder, s.State)
}

// isOpen reports whether the transaction that was in the way is still open.
func (s *Stall) isOpen(ctx context.Context, conn *pgx.Conn) (open bool, err error) {
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND xact_start = $2)",
		s.Session, s.Began).Scan(&open)
	return open, err
}

// after adds the time since an earlier stall, if the same transaction is in the way again.
func (s *Stall) after(before *Stall, passed time.Duration) {
	if before != nil && before.Session == s.Session && before.Began.Equal(s.Began) {
		s.Waits = max(s.Waits, before.Waits+passed)
	}
}

// findStall finds a session that blocks sessions of this ledger and does not wait itself. It prefers a session whose
// process is gone, because nobody else ends it; otherwise it takes the session that blocks others longest. A process is
// gone when its session is idle in a transaction and its watcher, which asks every other second, has been silent.
// Sessions of others, such as an operator's, and processes that wait for the schema do not count as waiting.
const findStall = `
WITH blocked AS (
	SELECT l.pid, extract(EPOCH FROM clock_timestamp() - min(l.waitstart))::float8 AS waits
	FROM pg_locks AS l
	INNER JOIN pg_stat_activity AS s ON s.pid = l.pid
	WHERE
		NOT l.granted AND s.datname = current_database() AND s.application_name ~ $3
		AND NOT (l.locktype = 'advisory' AND (l.classid::bigint << 32) + l.objid::bigint = $4)
	GROUP BY l.pid
	HAVING min(l.waitstart) < clock_timestamp() - make_interval(secs => $1)
)
SELECT
	blocked.waits, h.pid, h.application_name, coalesce(h.state, 'not visible to this role'), coalesce(h.xact_start, 'epoch'),
	coalesce(h.state LIKE 'idle in transaction%' AND h.state_change < clock_timestamp() - make_interval(secs => $1)
	AND h.application_name ~ $3 AND (
		SELECT max(beat.state_change) < clock_timestamp() - make_interval(secs => $2)
		FROM pg_stat_activity AS beat
		WHERE beat.datname = h.datname AND beat.application_name = h.application_name || ' watcher'
	), false) AS gone
FROM blocked
CROSS JOIN LATERAL unnest(pg_blocking_pids(blocked.pid)) AS holder (pid)
INNER JOIN pg_stat_activity AS h ON h.pid = holder.pid
WHERE h.datname = current_database() AND NOT EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = h.pid AND NOT l.granted)
ORDER BY gone DESC, blocked.waits DESC
LIMIT 1`

// ofProcess matches the name of a process: it ends with the [processID].
const ofProcess = `/[0-9a-z]{12}$`

// endProcess ends all sessions of a process that are in a transaction, also those that wait for a lock of another one:
// they would hold it next.
const endProcess = `
SELECT pg_terminate_backend(pid)
FROM pg_stat_activity
WHERE datname = current_database() AND application_name = $1 AND xact_start IS NOT NULL`

// endStalled finds the session that has blocked others for longer than a time, and ends the sessions of its process if
// that process is gone. The server rolls back all of their open transactions: a process that comes back finds that its
// commit failed, and tries again.
func endStalled(ctx context.Context, conn *pgx.Conn, after time.Duration) (*Stall, error) {
	var stall Stall
	var waits float64
	err := conn.QueryRow(ctx, findStall, after.Seconds(), heartbeatTimeout.Seconds(), ofProcess, int64(schemaLock)).
		Scan(&waits, &stall.Session, &stall.Holder, &stall.State, &stall.Began, &stall.Ended)
	if isNoRows(err) {
		return nil, nil // nobody waits
	}
	if err != nil {
		return nil, err
	}
	stall.Waits = seconds(waits)
	if stall.Ended {
		if _, err := conn.Exec(ctx, endProcess, stall.Holder); err != nil {
			return nil, err
		}
	}
	return &stall, nil
}

// realTime is the time in which sessions wait.
func realTime() time.Time { return time.Now() } //nolint:forbidigo // PostgreSQL waits in real time

// lookForStall ends the sessions that block others and whose process is gone, and remembers the stall. It uses the
// watcher's connection: those of the pool may all wait.
func (w *Watcher) lookForStall(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	stall, err := endStalled(ctx, conn, stallAfter)
	if err != nil {
		return err
	}
	if stall != nil && stall.Ended {
		w.options.Log.WarnContext(ctx, "ended the sessions of a process that stands still: others waited for it",
			"process", stall.Holder, "waited", stall.Waits.String())
	}
	seen := realTime()
	w.mu.Lock()
	before, beforeSeen := w.stall, w.stallSeen
	w.mu.Unlock()
	if stall != nil {
		stall.after(before, seen.Sub(beforeSeen))
	} else if before != nil && seen.Sub(beforeSeen) < stallGap {
		open, err := before.isOpen(ctx, conn)
		if err != nil {
			return err
		}
		if open {
			stall, seen = before, beforeSeen
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stall, w.stallSeen = stall, seen
	return nil
}

// Stalled names the session for which commits have waited longer than a limit; nil if there is none. It notices no wait
// below three seconds.
func (w *Watcher) Stalled(limit time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stall == nil {
		return nil
	}
	stall := *w.stall
	if stall.Waits += realTime().Sub(w.stallSeen); stall.Waits <= limit {
		return nil
	}
	return errors.New(stall.String())
}
