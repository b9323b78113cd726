package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Fingerprint reports whether two databases hold the same rows. It has a count and a hash of the rows of every table;
// the order of rows does not matter. It finds accidents, not forgeries: rows are added up, not chained.
type Fingerprint struct {
	// Offset, Hash and RecordTime of the head of the record.
	Offset     ledger.Offset `json:"offset"`
	Hash       Hash          `json:"hash"`
	RecordTime time.Time     `json:"recordTime"`
	// Tables by name, the one of the schema's version included.
	Tables map[string]TableFingerprint `json:"tables"`
}

// TableFingerprint is the part of one table.
type TableFingerprint struct {
	Rows int64 `json:"rows"`
	// Hash is the sum of the first 60 bits of the SHA-256 of each row's text, as a decimal number.
	Hash string `json:"hash"`
}

// Rows counts the rows of all tables.
func (f Fingerprint) Rows() (rows int64) {
	for _, table := range f.Tables {
		rows += table.Rows
	}
	return rows
}

// Difference says in words where two fingerprints differ; "" when they do not.
func (f Fingerprint) Difference(other Fingerprint) string {
	if f.Offset != other.Offset {
		return fmt.Sprintf("the record ends at offset %d here and at %d there", f.Offset, other.Offset)
	}
	if f.Hash != other.Hash {
		return fmt.Sprintf("the entry at offset %d has the hash %s here and %s there", f.Offset, f.Hash, other.Hash)
	}
	for name, table := range f.Tables {
		if there, ok := other.Tables[name]; !ok || there != table {
			return fmt.Sprintf("table %s has %d rows with hash %s here, and %d rows with hash %s there",
				name, table.Rows, table.Hash, there.Rows, there.Hash)
		}
	}
	for name := range other.Tables {
		if _, ok := f.Tables[name]; !ok {
			return "table " + name + " is missing here"
		}
	}
	return ""
}

// Snapshot is a state of the database that stays visible while others commit.
type Snapshot struct {
	// ID is what pg_dump takes as --snapshot.
	ID string
	// ServerMajor is the major version of the server.
	ServerMajor int
	tx          pgx.Tx
}

// InSnapshot calls the function with the state of the database at this moment. All reads of the function through the
// snapshot see this state, and so do reads of others with the snapshot's id, until the function returns.
func (d *DB) InSnapshot(ctx context.Context, body func(Snapshot) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	var bodyErr error
	err := pgx.BeginTxFunc(ctx, d.pool, options, func(tx pgx.Tx) error {
		snapshot := Snapshot{tx: tx}
		// The session may have to wait for a long dump, and reads all rows, which is fastest by scans.
		for _, setting := range []string{
			"idle_in_transaction_session_timeout = 0", "enable_seqscan = on", "timezone = 'UTC'", "datestyle = 'ISO'",
			"bytea_output = 'hex'", "intervalstyle = 'postgres'", "extra_float_digits = 3",
		} {
			if _, err := tx.Exec(ctx, "SET LOCAL "+setting); err != nil {
				return err
			}
		}
		err := tx.QueryRow(ctx, "SELECT pg_export_snapshot(), current_setting('server_version_num')::int / 10000").
			Scan(&snapshot.ID, &snapshot.ServerMajor)
		if err == nil {
			bodyErr = body(snapshot)
			err = bodyErr
		}
		return err
	})
	if bodyErr != nil {
		return bodyErr
	}
	return failed("reading a state of the database", err)
}

// Table is a table with its size on the disk, as PostgreSQL has last counted it: an exact size would wait for locks.
type Table struct {
	Name  string
	Bytes int64
}

// Tables lists the tables by name.
func (s Snapshot) Tables(ctx context.Context) ([]Table, error) {
	rows, err := s.tx.Query(ctx, `SELECT relname::text, relpages::bigint * 8192 FROM pg_class
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname`)
	if err != nil {
		return nil, failed("listing the tables", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Table])
	return tables, failed("listing the tables", err)
}

// Fingerprint reads every table once. It tells how many of how many bytes it has read.
func (s Snapshot) Fingerprint(ctx context.Context, tell func(done, total int64)) (Fingerprint, error) {
	found := Fingerprint{Tables: map[string]TableFingerprint{}}
	tables, err := s.Tables(ctx)
	if err != nil {
		return found, err
	}
	var done, total int64
	for _, table := range tables {
		total += table.Bytes
	}
	for _, one := range tables {
		name := one.Name
		tell(done, total)
		done += one.Bytes
		// A row's text depends on nothing but the row and the settings of the session.
		query := `SELECT count(*), coalesce(sum(
			('x0' || left(encode(sha256(convert_to(t::text, 'UTF8')), 'hex'), 15))::bit(64)::bigint::numeric), 0)::text
			FROM ` + pgx.Identifier{name}.Sanitize() + " AS t"
		var table TableFingerprint
		if err := s.tx.QueryRow(ctx, query).Scan(&table.Rows, &table.Hash); err != nil {
			return found, failed("reading table "+name, err)
		}
		found.Tables[name] = table
	}
	head, err := Reader{queries: dbgen.New(s.tx)}.Head(ctx)
	found.Offset, found.Hash, found.RecordTime = head.Offset, head.Hash, head.RecordTime
	return found, err
}

// Occupant says why nobody can restore into a database: its tables and the connections of nodes.
type Occupant struct {
	Tables int
	// Nodes counts the connections of nodes.
	Nodes int
}

// Occupants looks at a database with any schema.
func Occupants(ctx context.Context, url string) (Occupant, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return Occupant{}, unreachable(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return occupants(ctx, conn)
}

func occupants(ctx context.Context, database interface {
	QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row
},
) (occupant Occupant, err error) {
	err = database.QueryRow(ctx, `SELECT (SELECT count(*) FROM pg_tables WHERE schemaname = 'public'),
		(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
		 AND application_name LIKE 'florin%')`).Scan(&occupant.Tables, &occupant.Nodes)
	return occupant, failed("looking at the database", err)
}
