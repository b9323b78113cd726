package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Disk is the growth of the disk for each tap in bytes, at a rate like that of people.
type Disk struct {
	Submissions int     `json:"submissions"` // without the refused ones
	Refused     int     `json:"refused"`
	PerSecond   float64 `json:"perSecond"`
	Seconds     float64 `json:"seconds"`
	// Record, Temporal and Visibility are the growth of the databases, with indexes.
	Record     float64 `json:"record"`
	Temporal   float64 `json:"temporal"`
	Visibility float64 `json:"visibility"`
	// Kept is the growth of the write-ahead log on the disk. The log has a maximum size, so Kept goes down with more
	// submissions. Written is the bytes written to it.
	Kept    float64 `json:"logKept"`
	Written float64 `json:"logWritten"`
}

// Total is the growth of the disk in total.
func (d Disk) Total() float64 { return d.Record + d.Temporal + d.Visibility + d.Kept }

type diskUse struct{ record, temporal, visibility, kept, written int64 }

// readDisk reads the sizes from PostgreSQL, with the databases of Temporal if they are on the same server.
func readDisk(ctx context.Context, pool *pgxpool.Pool) (use diskUse, err error) {
	const query = `select pg_database_size(current_database()),
		(select coalesce(sum(pg_database_size(oid)), 0)::bigint from pg_database where datname = 'temporal'),
		(select coalesce(sum(pg_database_size(oid)), 0)::bigint from pg_database where datname = 'temporal_visibility'),
		(select coalesce(sum(size), 0)::bigint from pg_ls_waldir()),
		pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint`
	if err := pool.QueryRow(ctx, query).Scan(
		&use.record, &use.temporal, &use.visibility, &use.kept, &use.written); err != nil {
		return use, fmt.Errorf("read the sizes of the databases and of the log: %w", err)
	}
	return use, nil
}

// disk makes taps at a rate, and measures the growth of the disk.
func (r *run) disk(ctx context.Context) error {
	if r.meter.database == nil {
		return errors.New("--disk needs the database of the node: name it with --database-url")
	}
	wallets := r.wallets
	do, err := r.operation("disk", ScenarioTap, ModeWait, wallets)
	if err != nil {
		return err
	}
	before, err := readDisk(ctx, r.meter.database)
	if err != nil {
		return err
	}
	expected := time.Duration(float64(r.options.Count) / r.options.DiskRate * float64(time.Second))
	r.options.Progress(fmt.Sprintf("%d taps at %g a second, for %s", r.options.Count, r.options.DiskRate,
		expected.Round(time.Second)))
	made, err := r.tapFor(ctx, do)
	if err != nil {
		return err
	}
	if made.done == 0 {
		return fmt.Errorf("the node accepted no tap: %w", made.refusal)
	}
	if _, err := r.workflows(ctx, r.users); err != nil { // waits until all are closed, so that all writes of Temporal count
		return err
	}
	after, err := readDisk(ctx, r.meter.database)
	if err != nil {
		return err
	}
	each := func(before, after int64) float64 { return float64(after-before) / float64(made.done) }
	r.report.Disk = &Disk{
		Submissions: made.done, Refused: made.refused, PerSecond: made.perSecond(), Seconds: made.elapsed.Seconds(),
		Record: each(before.record, after.record), Temporal: each(before.temporal, after.temporal),
		Visibility: each(before.visibility, after.visibility), Kept: each(before.kept, after.kept),
		Written: each(before.written, after.written),
	}
	return nil
}

// roundUse is how long taps use one round. Every ten minutes the ledger archives the oldest one.
const roundUse = 5 * time.Second

// tapFor makes all taps at the rate, and finds the oldest open round anew for each [roundUse].
func (r *run) tapFor(ctx context.Context, do operation) (made load, err error) {
	each := max(1, int(r.options.DiskRate*roundUse.Seconds()))
	for left := r.options.Count; left > 0; left -= each {
		if r.coin, err = r.client.FindCoin(ctx, r.target.DSO); err != nil {
			return made, fmt.Errorf("find the contracts of the coin: %w", err)
		}
		part, err := openLoop(ctx, len(r.wallets), r.options.DiskRate, min(left, each), do)
		if err != nil {
			return made, err
		}
		made.done, made.refused, made.elapsed = made.done+part.done, made.refused+part.refused, made.elapsed+part.elapsed
		if part.refusal != nil {
			made.refusal = part.refusal
		}
	}
	return made, nil
}

func (r *Report) printDisk(w io.Writer, d *Disk) {
	writeText(w, "\nDisk: %d taps at %.1f a second, for %.0f s, and %d refused; bytes for each", d.Submissions, d.PerSecond,
		d.Seconds, d.Refused)
	line(w, "record", "Temporal", "visibility", "log, kept", "all", "log, written")
	line(w, bytesOf(d.Record), bytesOf(d.Temporal), bytesOf(d.Visibility), bytesOf(d.Kept), bytesOf(d.Total()),
		bytesOf(d.Written))
}

func bytesOf(value float64) string { return fmt.Sprintf("%.0f", value) }
