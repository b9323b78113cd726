// Package visibility drops the indexes of Temporal's visibility store that neither its UI nor Florin uses, and makes
// the others smaller: the server writes each index twice for each workflow, and together they are most of a workflow's
// disk cost. It records dropped and changed indexes, so that one command restores them.
package visibility

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Database is the name of `florin up`'s visibility store.
const Database = "temporal_visibility"

// baseIndexes always stay: they serve the order of all lists, the filters of the UI, and its pages of a workflow and of
// a Schedule.
func baseIndexes() []string {
	return []string{
		"default_idx", "by_workflow_id", "by_workflow_type", "by_status", "by_parent_workflow_id", "by_root_workflow_id",
		"by_temporal_scheduled_by_id", "by_temporal_namespace_division",
	}
}

const (
	// table has a row for each workflow.
	table = "executions_visibility"
	// absentTable has the definitions of the dropped and changed indexes.
	absentTable = "florin_absent_indexes"
	// wantsAll is the comment of the table after All.
	wantsAll = "florin: all indexes"
)

// Conn is a connection to the store, or a transaction in it.
type Conn interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row
}

// Index is an index of the store.
type Index struct {
	Name string `json:"name"`
	// Present is true if the store has it now.
	Present bool `json:"present"`
	// Bytes is its size on disk.
	Bytes int64 `json:"bytes"`
}

// Trim drops unused indexes, unless somebody has called All. Indexes for columns of search attributes stay, or exist
// again. It is safe to run again.
func Trim(ctx context.Context, conn Conn, columns []string) error {
	var comment *string
	query := "select obj_description('" + table + "'::regclass, 'pg_class')"
	if err := conn.QueryRow(ctx, query).Scan(&comment); err != nil {
		return err
	}
	if comment != nil && *comment == wantsAll {
		return nil
	}
	if _, err := conn.Exec(ctx, "create table if not exists "+absentTable+
		" (name text primary key, definition text not null)"); err != nil {
		return err
	}
	changed, err := changedIndexes(ctx, conn)
	if err != nil {
		return err
	}
	there, err := present(ctx, conn)
	if err != nil {
		return err
	}
	for _, one := range changed {
		is := slices.ContainsFunc(there, one.hasNameOf)
		if wanted := slices.Contains(baseIndexes(), one.name) || one.isOf(columns); wanted == is {
			continue
		} else if !wanted {
			err = one.remove(ctx, conn)
		} else {
			err = one.replace(ctx, conn, one.slim())
		}
		if err != nil {
			return err
		}
	}
	for _, one := range there {
		if slices.ContainsFunc(changed, one.hasNameOf) {
			continue
		}
		if !slices.Contains(baseIndexes(), one.name) && !one.isOf(columns) {
			err = one.remove(ctx, conn)
		} else if slim := one.slim(); slim != one.definition {
			err = one.replace(ctx, conn, slim)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Few makes the next Trim drop unused indexes.
func Few(ctx context.Context, conn Conn) error { return note(ctx, conn, "null") }

// All makes all of the server's indexes while it runs; later starts keep them. progress gets each index before All
// makes it.
func All(ctx context.Context, conn Conn, progress func(name string)) error {
	if err := note(ctx, conn, "'"+wantsAll+"'"); err != nil {
		return err
	}
	changed, err := changedIndexes(ctx, conn)
	if err != nil {
		return err
	}
	for _, one := range changed {
		progress(one.name)
		if err := one.makeConcurrently(ctx, conn); err != nil {
			return fmt.Errorf("make index %s: %w", one.name, err)
		}
		if _, err := conn.Exec(ctx, "delete from "+absentTable+" where name = $1", one.name); err != nil {
			return err
		}
	}
	return nil
}

// Restore makes all of the server's indexes, for an upgrade of the schema, which may change any of them.
func Restore(ctx context.Context, conn Conn) error {
	changed, err := changedIndexes(ctx, conn)
	if err != nil {
		return err
	}
	for _, one := range changed {
		if err := one.restore(ctx, conn); err != nil {
			return err
		}
	}
	return nil
}

// List lists the indexes by name, dropped ones included.
func List(ctx context.Context, conn Conn) ([]Index, error) {
	there, err := present(ctx, conn)
	if err != nil {
		return nil, err
	}
	changed, err := changedIndexes(ctx, conn)
	if err != nil {
		return nil, err
	}
	var all []Index
	for _, one := range there {
		index := Index{Name: one.name, Present: true}
		if err := conn.QueryRow(ctx, "select pg_relation_size($1::regclass)", one.name).Scan(&index.Bytes); err != nil {
			return nil, err
		}
		all = append(all, index)
	}
	for _, one := range changed {
		if !slices.ContainsFunc(there, one.hasNameOf) {
			all = append(all, Index{Name: one.name})
		}
	}
	return all, nil
}

// note records on the table whether somebody wants all indexes.
func note(ctx context.Context, conn Conn, comment string) error {
	_, err := conn.Exec(ctx, "comment on table "+table+" is "+comment)
	if missing(err) {
		return errors.New("this is no visibility store of Temporal: it has no table " + table)
	}
	return err
}

// index is an index with its SQL statement.
type index struct{ name, definition string }

// isOf reports whether the index covers one of the columns.
func (i index) isOf(columns []string) bool {
	return slices.ContainsFunc(columns, func(column string) bool {
		return slices.Contains(words.FindAllString(i.definition, -1), strings.ToLower(column))
	})
}

// words are the names in a definition.
var words = regexp.MustCompile(`\w+`)

// hasNameOf reports whether two indexes have one name: the server's, and its replacement.
func (i index) hasNameOf(other index) bool { return i.name == other.name }

// sorted matches the server's definition of an index of one column: by namespace, newest first, and then by run.
var sorted = regexp.MustCompile(
	`^(CREATE INDEX .* USING btree \()namespace_id, (\w+, )?(COALESCE\(.*\) DESC, start_time DESC), run_id\)$`)

// slim returns a much smaller definition that serves the same queries: it leaves out the namespace and the run, which
// take 64 bytes each (our store has one namespace with workflows), and rows without a value in the column.
func (i index) slim() string {
	parts := sorted.FindStringSubmatch(i.definition)
	if parts == nil {
		return i.definition
	}
	slim := parts[1] + parts[2] + parts[3] + ")"
	if column := strings.TrimSuffix(parts[2], ", "); column != "" {
		slim += " WHERE " + column + " IS NOT NULL"
	}
	return slim
}

func (i index) remove(ctx context.Context, conn Conn) error { return i.replace(ctx, conn, "") }

// replace replaces this index by one with another definition, or by none for "". It first records this index: an
// interruption between the two steps leaves the record and the index, which does no harm.
func (i index) replace(ctx context.Context, conn Conn, definition string) error {
	if _, err := conn.Exec(ctx, "insert into "+absentTable+" values ($1, $2) on conflict (name) do nothing",
		i.name, i.definition); err != nil {
		return err
	}
	return i.define(ctx, conn, definition)
}

// restore makes the index in its original form.
func (i index) restore(ctx context.Context, conn Conn) error {
	if err := i.define(ctx, conn, i.definition); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "delete from "+absentTable+" where name = $1", i.name)
	return err
}

// define drops the index of this name, and makes it with a definition, if any.
func (i index) define(ctx context.Context, conn Conn, definition string) error {
	if _, err := conn.Exec(ctx, "drop index if exists "+pgx.Identifier{i.name}.Sanitize()); err != nil {
		return fmt.Errorf("drop index %s: %w", i.name, err)
	}
	if definition == "" {
		return nil
	}
	if _, err := conn.Exec(ctx, definition); err != nil {
		return fmt.Errorf("make index %s: %w", i.name, err)
	}
	return nil
}

// present lists the valid indexes of the table that are not unique.
func present(ctx context.Context, conn Conn) ([]index, error) {
	return indexes(ctx, conn, `select c.relname, pg_get_indexdef(i.indexrelid)
		from pg_index i join pg_class c on c.oid = i.indexrelid
		where i.indrelid = to_regclass('`+table+`') and not i.indisunique and i.indisvalid order by c.relname`)
}

// changedIndexes lists the server's definitions of dropped and changed indexes.
func changedIndexes(ctx context.Context, conn Conn) ([]index, error) {
	var known bool // ask first: a failed statement would end the transaction
	err := conn.QueryRow(ctx, "select to_regclass('"+absentTable+"') is not null").Scan(&known)
	if err != nil || !known {
		return nil, err
	}
	return indexes(ctx, conn, "select name, definition from "+absentTable+" order by name")
}

func indexes(ctx context.Context, conn Conn, query string) ([]index, error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (index, error) {
		var found index
		return found, row.Scan(&found.name, &found.definition)
	})
}

// makeConcurrently makes the index while workflows run. An interrupted run left an invalid index, which it drops first.
func (i index) makeConcurrently(ctx context.Context, conn Conn) error {
	if _, err := conn.Exec(ctx, "drop index concurrently if exists "+pgx.Identifier{i.name}.Sanitize()); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "create index concurrently"+i.definition[len("CREATE INDEX"):])
	return err
}

// missing reports whether a statement named a missing table.
func missing(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == "42P01" // undefined_table
}
