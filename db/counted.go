package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/internal/budget"
)

// countedDB charges the rows of queries to the budget of their context, one by one and before they are decoded. When
// the budget is used up, the query ends with its refusal: memory holds at most one row beyond the budget.
type countedDB struct{ dbgen.DBTX }

// Query implements [dbgen.DBTX].
func (c countedDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := c.DBTX.Query(ctx, sql, args...)
	if b := budget.Of(ctx); b != nil && err == nil {
		rows = &countedRows{Rows: rows, budget: b}
	}
	return rows, err
}

// QueryRow implements [dbgen.DBTX].
func (c countedDB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if budget.Of(ctx) == nil {
		return c.DBTX.QueryRow(ctx, sql, args...)
	}
	rows, err := c.Query(ctx, sql, args...)
	return countedRow{rows, err}
}

// rowBytes is the size of a row without its values.
const rowBytes = 64

type countedRows struct {
	pgx.Rows
	budget  *budget.Budget
	refusal error
}

// Next implements [pgx.Rows].
func (r *countedRows) Next() bool {
	if r.refusal != nil || !r.Rows.Next() {
		return false
	}
	bytes := int64(rowBytes)
	for _, value := range r.RawValues() {
		bytes += int64(len(value))
	}
	if r.refusal = r.budget.TakeRow(bytes); r.refusal != nil {
		r.Close()
		return false
	}
	return true
}

// Err implements [pgx.Rows].
func (r *countedRows) Err() error {
	if r.refusal != nil {
		return r.refusal
	}
	return r.Rows.Err()
}

// countedRow is the first row of a query.
type countedRow struct {
	rows pgx.Rows
	err  error
}

// Scan implements [pgx.Row].
func (r countedRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(into...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}
