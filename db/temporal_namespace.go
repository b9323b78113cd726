package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/florinledger/florin/db/dbgen"
)

// TemporalNamespace is the namespace of Temporal in which a ledger works.
type TemporalNamespace struct {
	// Name is that of the setting. ID is Temporal's: another one in another Temporal, or after it was made anew.
	Name, ID string
	// Server is the id of the Temporal that has it; "" where that is not known.
	Server string
	// Database is the id of the ledger's database, as [DB.DatabaseID] gives it. What a copy has of another one does not
	// count for it.
	Database string
}

// is reports whether both are the same namespace. One that several Temporals keep together has one id in all of them.
func (n TemporalNamespace) is(other TemporalNamespace) bool {
	return n.Name == other.Name && n.ID == other.ID && n.Database == other.Database
}

// elsewhere reports whether another Temporal has the other namespace.
func (n TemporalNamespace) elsewhere(other TemporalNamespace) bool {
	return n.ID != "" && n.ID != other.ID && n.Server != "" && other.Server != "" && n.Server != other.Server
}

// OtherNamespaceError refuses a process that would work in another namespace than the ledger: nobody there does what is
// submitted here.
type OtherNamespaceError struct {
	// Given is the namespace of this process, Ledgers that of the ledger.
	Given, Ledgers TemporalNamespace
	// Processes are those that run in the ledger's, where both have the same name. None of them runs where it is refused
	// because another Temporal has it.
	Processes []RunningProcess
}

// Error names both, and says what to do.
func (e *OtherNamespaceError) Error() string {
	if e.Given.Name != e.Ledgers.Name {
		return fmt.Sprintf("this ledger works in Temporal namespace %[1]q, and this process was given %[2]q, where nobody "+
			"does the ledger's work: start it with --temporal-namespace=%[1]s (FLORIN_TEMPORAL_NAMESPACE). To move the "+
			"ledger, stop all of its processes and call `florin move-namespace %[2]s`", e.Ledgers.Name, e.Given.Name)
	}
	if len(e.Processes) == 0 {
		return fmt.Sprintf("this ledger works in namespace %[1]q of the Temporal %[2]s, and this process was given a "+
			"namespace of the same name in the Temporal %[3]s, which knows nothing of the ledger's work: name the Temporal of "+
			"before (--temporal-address, FLORIN_TEMPORAL_ADDRESS). To move the ledger, or where that one is lost, stop all of "+
			"its processes and call `florin move-namespace %[1]s`", e.Given.Name, e.Ledgers.Server, e.Given.Server)
	}
	return fmt.Sprintf("processes of this ledger run in a Temporal namespace %q that is not the one that this process "+
		"was given, but one of another Temporal, or one that was deleted since (%s): name the same Temporal "+
		"(--temporal-address), or stop them first", e.Given.Name, namesOf(e.Processes))
}

// InUseError refuses what needs all processes of the ledger to be stopped.
type InUseError struct{ Processes []RunningProcess }

// Error names them.
func (e *InUseError) Error() string {
	return fmt.Sprintf("processes of this ledger still run (%s): stop them all, and call this again",
		namesOf(e.Processes))
}

func namesOf(processes []RunningProcess) string {
	names := make([]string, len(processes))
	for i, process := range processes {
		names[i] = process.String()
	}
	return strings.Join(names, "; ")
}

// TemporalNamespace reads in which namespace the ledger works; false before its first process has started.
func (r Reader) TemporalNamespace(ctx context.Context) (TemporalNamespace, bool, error) {
	row, err := r.queries.GetTemporalNamespace(ctx)
	if isNoRows(err) {
		return TemporalNamespace{}, false, nil
	}
	return TemporalNamespace{
		Name: row.Name, ID: row.NamespaceID, Server: row.ServerID, Database: row.DatabaseID,
	}, err == nil, failed("reading the ledger's Temporal namespace", err)
}

// CheckTemporalNamespace fails with an [OtherNamespaceError] when the ledger works in another namespace than the given
// one. It changes nothing.
func (d *DB) CheckTemporalNamespace(ctx context.Context, given TemporalNamespace) error {
	noted, isNoted, err := d.TemporalNamespace(ctx)
	if err != nil || !isNoted {
		return err
	}
	return d.requireNamespace(ctx, given, noted)
}

// requireNamespace refuses another namespace than the noted one. One of the same name takes its place when nobody
// works in that any more: it was made anew in the same Temporal. Into another Temporal nothing moves by itself, for its
// address may be a mistake.
func (r Reader) requireNamespace(ctx context.Context, given, noted TemporalNamespace) error {
	switch {
	case noted.Database != given.Database, noted.is(given):
		return nil
	case noted.Name != given.Name:
		return &OtherNamespaceError{Given: given, Ledgers: noted}
	}
	rows, err := r.queries.ListProcessesElsewhere(ctx, dbgen.ListProcessesElsewhereParams{
		NamespaceID: given.ID, Silence: ProcessSilence.Seconds(),
	})
	if err != nil || len(rows) == 0 && !noted.elsewhere(given) {
		return failed("looking for processes in another Temporal namespace", err)
	}
	found := make([]RunningProcess, len(rows))
	for i, row := range rows {
		found[i] = RunningProcess{
			Name: row.Process, Role: row.Role, Host: row.Host, Version: row.Version, SchemaVersion: row.SchemaVersion,
		}
	}
	return &OtherNamespaceError{Given: given, Ledgers: noted, Processes: found}
}

// EnterTemporalNamespace notes that this process works in the given namespace, and so does the ledger. It fails with
// an [OtherNamespaceError] as [DB.CheckTemporalNamespace] does. It returns the namespace that was noted before; the
// same one when nothing has changed.
func (d *DB) EnterTemporalNamespace(ctx context.Context, given TemporalNamespace) (
	before TemporalNamespace, err error,
) {
	return d.workIn(ctx, given, Reader.requireNamespace)
}

// FollowTemporalNamespace is [DB.EnterTemporalNamespace] for a process that runs, and whose namespace was made anew:
// the others follow it in a moment. Where it is another Temporal's, that one is at the address of before.
func (d *DB) FollowTemporalNamespace(ctx context.Context, given TemporalNamespace) (
	before TemporalNamespace, err error,
) {
	return d.workIn(ctx, given, func(_ Reader, _ context.Context, given, noted TemporalNamespace) error {
		if noted.Name != given.Name {
			return &OtherNamespaceError{Given: given, Ledgers: noted}
		}
		return nil
	})
}

func (d *DB) workIn(
	ctx context.Context, given TemporalNamespace,
	require func(reader Reader, ctx context.Context, given, noted TemporalNamespace) error,
) (before TemporalNamespace, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		if before, err = tx.holdNamespace(ctx, given); err != nil {
			return err
		}
		if err := require(tx.Reader, ctx, given, before); err != nil {
			return err
		}
		if given.Server == "" && before.is(given) {
			given.Server = before.Server // what was known stays
		}
		if before != given {
			if err := tx.queries.ChangeTemporalNamespace(ctx, dbgen.ChangeTemporalNamespaceParams{
				DatabaseID: given.Database, Name: given.Name, NamespaceID: given.ID, ServerID: given.Server,
			}); err != nil {
				return failed("noting the ledger's Temporal namespace", err)
			}
		}
		return failed("noting in which Temporal namespace a process works", tx.queries.WorkInNamespace(ctx,
			dbgen.WorkInNamespaceParams{Process: d.Name(), NamespaceID: given.ID}))
	})
	return before, err
}

// holdNamespace reads the noted namespace, the given one if none is noted, and keeps others from changing it.
func (t *Tx) holdNamespace(ctx context.Context, given TemporalNamespace) (TemporalNamespace, error) {
	const doing = "noting the ledger's Temporal namespace"
	if _, err := t.queries.NoteTemporalNamespace(ctx, dbgen.NoteTemporalNamespaceParams{
		DatabaseID: given.Database, Name: given.Name, NamespaceID: given.ID, ServerID: given.Server,
	}); err != nil {
		return TemporalNamespace{}, failed(doing, err)
	}
	row, err := t.queries.HoldTemporalNamespace(ctx)
	return TemporalNamespace{
		Name: row.Name, ID: row.NamespaceID, Server: row.ServerID, Database: row.DatabaseID,
	}, failed(doing, err)
}

// MoveToTemporalNamespace has the ledger work in the namespace of this name from its next start on. It fails with an
// [InUseError] while a process of the ledger runs, and returns the namespace before; an empty one when none was noted.
func (d *DB) MoveToTemporalNamespace(ctx context.Context, name string) (before TemporalNamespace, err error) {
	database, err := d.DatabaseID(ctx)
	if err != nil {
		return before, err
	}
	moved := TemporalNamespace{Name: name, Database: database}
	err = d.InTx(ctx, func(tx *Tx) error {
		if err := tx.queries.HoldStarts(ctx, schemaLock); err != nil {
			return failed("keeping processes from starting", err)
		}
		running, err := tx.running(ctx)
		if err != nil {
			return err
		}
		if len(running) > 0 {
			return &InUseError{Processes: running}
		}
		if before, err = tx.holdNamespace(ctx, moved); err != nil || before == moved {
			return err
		}
		return failed("noting the ledger's Temporal namespace", tx.queries.ChangeTemporalNamespace(ctx,
			dbgen.ChangeTemporalNamespaceParams{DatabaseID: moved.Database, Name: moved.Name}))
	})
	return before, err
}

func (t *Tx) running(ctx context.Context) ([]RunningProcess, error) {
	rows, err := t.tx.Query(ctx, findRunning, watcherSuffix, ProcessSilence.Seconds())
	if err != nil {
		return nil, failed("looking for processes that run", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[RunningProcess])
	return found, failed("looking for processes that run", err)
}
