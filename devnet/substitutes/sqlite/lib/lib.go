// Package lib has the codes of SQLite that Temporal's server compares errors with.
package lib

// The codes of violated constraints.
const (
	SQLITE_CONSTRAINT            = 19
	SQLITE_CONSTRAINT_PRIMARYKEY = 1555
	SQLITE_CONSTRAINT_UNIQUE     = 2067
)
