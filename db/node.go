package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Reader reads the record. It is part of [DB] and of [Tx]; take a Reader to work with either.
type Reader struct {
	queries *dbgen.Queries
}

// Node reads the identity of the node; false before [DB.InsertNode].
func (r Reader) Node(ctx context.Context) (ledger.Node, bool, error) {
	row, err := r.queries.GetNode(ctx)
	if isNoRows(err) {
		return ledger.Node{}, false, nil
	}
	return fromDBNode(row), err == nil, failed("reading the node's identity", err)
}

// InsertNode stores the identity of the node unless there is one already, and reports whether it did. Of several
// processes that start on an empty database one wins; the others read what it stored with Node.
func (d *DB) InsertNode(ctx context.Context, node ledger.Node) (bool, error) {
	inserted, err := d.queries.InsertNode(ctx, toDBNode(node))
	return inserted == 1, failed("storing the node's identity", err)
}

// DatabaseID is the same for all connections to a database and its standbys. A copy of the rows has another one: a
// backup that was restored elsewhere, a database made from a template, a server upgrade that copies. A copy of the
// server's files has the same.
func (d *DB) DatabaseID(ctx context.Context) (string, error) {
	var id string
	err := d.pool.QueryRow(ctx, "SELECT (pg_control_system()).system_identifier::text || '/' || oid::text "+
		"FROM pg_database WHERE datname = current_database()").Scan(&id)
	return id, failed("asking which database this is", err)
}
