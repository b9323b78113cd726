package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// scratchSchema holds copies of the node's tables while PostgreSQL is measured alone.
const scratchSchema = "florin_bench"

// recordTables are the tables that a commit writes, each with the column that holds the commit's offset.
func recordTables() map[string]string {
	return map[string]string{
		"contracts": "created_offset", "active_contracts": "created_offset", "updates": "ledger_offset",
		"update_parties": "ledger_offset", "completions": "ledger_offset", "completion_parties": "ledger_offset",
	}
}

// barePostgres measures PostgreSQL without the node: it repeats the rows that the node wrote for real submissions, in
// tables with the same columns, constraints and indexes. Each commit is one round trip.
type barePostgres struct {
	pool *pgxpool.Pool
	// lock is the session that locks the scratch schema.
	lock   *pgxpool.Conn
	tables map[string]table
	offset int64
	// old are the contracts of the last commit, for the next one to archive.
	old []string
}

// table is a copy of one of the node's tables.
type table struct {
	columns []column
	insert  string // with one list of texts for each column
}

type column struct{ name, kind string }

// footprint is the rows of one submission for each table, as texts, and the number of archived contracts.
type footprint struct {
	rows     map[string][][]*string
	archived int
}

// scratchLock is the advisory lock that allows one bench at a time on the schema and the machine.
const scratchLock = 0x62656e6368 // "bench"

// openScratch takes the lock and creates the copies.
func openScratch(ctx context.Context, pool *pgxpool.Pool) (*barePostgres, error) {
	p := &barePostgres{pool: pool, tables: map[string]table{}}
	var err error
	if p.lock, err = pool.Acquire(ctx); err != nil {
		return nil, fmt.Errorf("cannot reach the database: %w", err)
	}
	if err := p.prepare(ctx); err != nil {
		return nil, errors.Join(err, p.close(ctx))
	}
	return p, nil
}

func (p *barePostgres) prepare(ctx context.Context) error {
	var mine bool
	if err := p.lock.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", scratchLock).Scan(&mine); err != nil {
		return fmt.Errorf("lock the scratch schema: %w", err)
	}
	if !mine {
		p.lock.Release()
		p.lock = nil // the schema is not ours to drop
		return errors.New("another bench measures this database: wait until it has ended")
	}
	// A killed bench may have left its copies.
	statements := []string{dropScratch, "CREATE SCHEMA " + scratchSchema, copyOf("ledger_head")}
	for name := range recordTables() {
		statements = append(statements, copyOf(name))
	}
	statements = append(statements, "INSERT INTO "+scratchSchema+".ledger_head DEFAULT VALUES")
	for _, statement := range statements {
		if _, err := p.pool.Exec(ctx, statement); err != nil {
			return fmt.Errorf("create copies of the node's tables: %s: %w", statement, err)
		}
	}
	for name := range recordTables() {
		columns, err := columnsOf(ctx, p.pool, name)
		if err != nil {
			return err
		}
		p.tables[name] = table{columns: columns, insert: insertInto(name, columns)}
	}
	return nil
}

func copyOf(name string) string {
	return fmt.Sprintf("CREATE TABLE %s.%s (LIKE %s INCLUDING ALL)", scratchSchema, name, name)
}

const dropScratch = "DROP SCHEMA IF EXISTS " + scratchSchema + " CASCADE"

// close removes the copies and releases the lock.
func (p *barePostgres) close(ctx context.Context) error {
	if p.lock == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	_, err := p.lock.Exec(ctx, dropScratch)
	// The lock ends with its session.
	err = errors.Join(err, p.lock.Conn().Close(ctx))
	p.lock.Release()
	return err
}

func columnsOf(ctx context.Context, pool *pgxpool.Pool, name string) ([]column, error) {
	rows, err := pool.Query(ctx, `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, name)
	if err != nil {
		return nil, fmt.Errorf("read the shape of table %s: %w", name, err)
	}
	columns, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (column, error) {
		var c column
		err := row.Scan(&c.name, &c.kind)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the shape of table %s: %w", name, err)
	}
	return columns, nil
}

func insertInto(name string, columns []column) string {
	names, values := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
		values[i] = fmt.Sprintf("unnest($%d::text[])::%s", i+1, c.kind)
	}
	return fmt.Sprintf("INSERT INTO %s.%s (%s) SELECT %s",
		scratchSchema, name, strings.Join(names, ", "), strings.Join(values, ", "))
}

// footprintOf reads the rows of the submission at an offset.
func (p *barePostgres) footprintOf(ctx context.Context, offset int64) (footprint, error) {
	f := footprint{rows: map[string][][]*string{}}
	for name, offsetColumn := range recordTables() {
		columns := p.tables[name].columns
		texts := make([]string, len(columns))
		for i, c := range columns {
			texts[i] = c.name + "::text"
			if c.name == "archived_offset" {
				texts[i] = "NULL"
			}
		}
		query := fmt.Sprintf("SELECT %s FROM %s WHERE %s = $1", strings.Join(texts, ", "), name, offsetColumn)
		rows, err := p.pool.Query(ctx, query, offset)
		if err != nil {
			return f, fmt.Errorf("read the node's rows of %s: %w", name, err)
		}
		f.rows[name], err = pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]*string, error) {
			values := make([]*string, len(columns))
			into := make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			return values, row.Scan(into...)
		})
		if err != nil {
			return f, fmt.Errorf("read the node's rows of %s: %w", name, err)
		}
	}
	if len(f.rows["completions"]) != 1 || len(f.rows["contracts"]) == 0 {
		return f, fmt.Errorf("the node wrote no submission at offset %d", offset)
	}
	row := p.pool.QueryRow(ctx, "SELECT count(*) FROM contracts WHERE archived_offset = $1", offset)
	return f, row.Scan(&f.archived)
}

// commit writes the footprints as submissions of one commit.
func (p *barePostgres) commit(ctx context.Context, footprints []footprint) error {
	lists := map[string][][]*string{} // by table and column
	for name, t := range p.tables {
		lists[name] = make([][]*string, len(t.columns))
	}
	var created []string
	archive := 0
	for _, f := range footprints {
		p.offset++
		for name, t := range p.tables {
			for _, row := range f.rows[name] {
				for i, c := range t.columns {
					value := p.value(c.name, row[i])
					lists[name][i] = append(lists[name][i], value)
					if name == "contracts" && c.name == "contract_id" {
						created = append(created, *value)
					}
				}
			}
		}
		archive += f.archived
	}
	batch := &pgx.Batch{}
	batch.Queue("BEGIN")
	batch.Queue("SELECT ledger_offset, record_time FROM " + scratchSchema + ".ledger_head FOR UPDATE")
	gone := p.old[:min(archive, len(p.old))]
	if len(gone) > 0 {
		batch.Queue(archiveStatement, gone, p.offset)
	}
	for name, t := range p.tables {
		arguments := make([]any, len(t.columns))
		for i := range arguments {
			arguments[i] = lists[name][i]
		}
		batch.Queue(t.insert, arguments...)
	}
	batch.Queue("UPDATE "+scratchSchema+".ledger_head SET ledger_offset = $1", p.offset)
	batch.Queue("SELECT pg_notify('florin_bench', $1::text)", strconv.FormatInt(p.offset, 10))
	batch.Queue("COMMIT")
	p.old = created
	return p.pool.SendBatch(ctx, batch).Close()
}

const archiveStatement = `WITH gone AS (
	UPDATE ` + scratchSchema + `.contracts SET archived_offset = $2 WHERE contract_id = ANY($1::text[])
	RETURNING created_offset, created_node_id, signatories || observers AS stakeholders
)
DELETE FROM ` + scratchSchema + `.active_contracts AS a
USING (SELECT unnest(stakeholders) AS party, created_offset, created_node_id FROM gone) AS g
WHERE a.party = g.party AND a.created_offset = g.created_offset AND a.created_node_id = g.created_node_id`

// value is a value of the original row, changed where a copy must differ: it lies at another offset, and names are
// unique.
func (p *barePostgres) value(column string, original *string) *string {
	const digits = 12
	switch {
	case original == nil:
		return nil
	case column == "ledger_offset" || column == "created_offset":
		text := strconv.FormatInt(p.offset, 10)
		return &text
	case slices.Contains(uniqueColumns(), column) && len(*original) > digits:
		text := (*original)[:len(*original)-digits] + fmt.Sprintf("%0*x", digits, p.offset)
		return &text
	default:
		return original
	}
}

func uniqueColumns() []string {
	return []string{"contract_id", "update_id", "submission_key", "change_id", "command_id", "submission_id"}
}
