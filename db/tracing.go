package db

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinledger/florin/telemetry/tracing"
)

// QueryTracer makes a span of each round trip within another span. It notes the name of a query, never its text, which
// may hold text of users, and never its arguments.
type QueryTracer struct{}

type roundTripKey struct{}

// TraceQueryStart implements [pgx.QueryTracer].
func (QueryTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return begin(ctx, func() string { return queryName(data.SQL) })
}

// TraceQueryEnd implements [pgx.QueryTracer].
func (QueryTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	end(ctx, data.Err)
}

// TraceBatchStart implements [pgx.BatchTracer]: a batch is one round trip, by the name of its first query.
func (QueryTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	return begin(ctx, func() string {
		if data.Batch == nil || len(data.Batch.QueuedQueries) == 0 {
			return "batch"
		}
		return queryName(data.Batch.QueuedQueries[0].SQL)
	})
}

// TraceBatchQuery implements [pgx.BatchTracer].
func (QueryTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements [pgx.BatchTracer].
func (QueryTracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	end(ctx, data.Err)
}

// TraceCopyFromStart implements [pgx.CopyFromTracer].
func (QueryTracer) TraceCopyFromStart(
	ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromStartData,
) context.Context {
	return begin(ctx, func() string { return "copy " + strings.Join(data.TableName, ".") })
}

// TraceCopyFromEnd implements [pgx.CopyFromTracer].
func (QueryTracer) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromEndData) {
	end(ctx, data.Err)
}

func begin(ctx context.Context, name func() string) context.Context {
	ctx, span := tracing.Start(ctx, "database")
	if !span.Recorded() {
		return ctx
	}
	query := name()
	span.Name("database " + query)
	span.Note(tracing.Database(query)...)
	return context.WithValue(ctx, roundTripKey{}, span)
}

func end(ctx context.Context, err error) {
	span, _ := ctx.Value(roundTripKey{}).(tracing.Span)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		span.Fail()
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
			span.Note(tracing.SQLState(pgErr.Code))
		}
	}
	span.End()
}

// queryName is the name that a query has in this package, or the first word of a statement.
func queryName(sql string) string {
	if _, named, ok := strings.Cut(sql, "-- name: "); ok {
		sql = named
	}
	name, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	return name
}
