// Package gocql replaces the driver of Cassandra, where Temporal's server can store. Florin's Temporal stores in
// PostgreSQL. A cluster makes no session here, so nothing calls the methods of a session.
package gocql

import (
	"context"
	"errors"
	"time"
)

var errLeftOut = errors.New("this build of Florin has no Cassandra: run your own Temporal server to store there")

type Session struct{}

func (*Session) Query(string, ...any) *Query { return &Query{} }

func (*Session) NewBatch(BatchType) *Batch { return &Batch{} }

func (*Session) ExecuteBatch(*Batch) error { return errLeftOut }

func (*Session) MapExecuteBatchCAS(*Batch, map[string]any) (bool, *Iter, error) {
	return false, nil, errLeftOut
}

func (*Session) AwaitSchemaAgreement(context.Context) error { return errLeftOut }

func (*Session) Close() {}

type BatchType byte

const (
	LoggedBatch BatchType = iota
	UnloggedBatch
	CounterBatch
)

type Batch struct{}

func (*Batch) Query(string, ...any) {}

func (b *Batch) WithContext(context.Context) *Batch { return b }

func (b *Batch) WithTimestamp(int64) *Batch { return b }

type Query struct{}

func (q *Query) Bind(...any) *Query { return q }

func (q *Query) Consistency(Consistency) *Query { return q }

func (q *Query) Idempotent(bool) *Query { return q }

func (q *Query) PageSize(int) *Query { return q }

func (q *Query) PageState([]byte) *Query { return q }

func (q *Query) SetSpeculativeExecutionPolicy(SpeculativeExecutionPolicy) *Query { return q }

func (q *Query) WithContext(context.Context) *Query { return q }

func (q *Query) WithTimestamp(int64) *Query { return q }

func (*Query) Exec() error { return errLeftOut }

func (*Query) Iter() *Iter { return &Iter{} }

func (*Query) MapScan(map[string]any) error { return errLeftOut }

func (*Query) MapScanCAS(map[string]any) (bool, error) { return false, errLeftOut }

func (*Query) Scan(...any) error { return errLeftOut }

func (*Query) ScanCAS(...any) (bool, error) { return false, errLeftOut }

type SpeculativeExecutionPolicy interface {
	Attempts() int
	Delay() time.Duration
}

type Iter struct{}

func (*Iter) Close() error { return errLeftOut }

func (*Iter) MapScan(map[string]any) bool { return false }

func (*Iter) PageState() []byte { return nil }

func (*Iter) Scan(...any) bool { return false }

type UUID [16]byte

func (UUID) String() string { return "" }
