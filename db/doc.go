// Package db keeps the record of the node in PostgreSQL (14 or newer): updates, contracts, completions, users and
// parties. Domain types of package ledger go in and come out; nobody else knows SQL or the generated package dbgen.
//
// A [DB] is a pool of connections. Its [Reader] part reads what is committed. Commands change the record in one
// transaction ([DB.InTx]): [Tx.Load] locks the head and reads what a commit needs in one round trip, [Tx.Append] writes
// everything that a commit produces in another. Because the head is locked from Load to the end of the transaction,
// offsets have no gaps and become visible in order. A [Watcher] tells readers that the head moved.
//
// Errors: a refusal that the caller may pass on is a *fault.Fault (such as USER_ALREADY_EXISTS, or SERVICE_NOT_RUNNING
// while the database is away); [ErrConflict] asks to run the transaction again, which InTx does by itself; everything
// else is a wrapped driver error.
package db
