// Package sqlite stands in for the driver of SQLite, which Temporal's server can store in and Florin never does. It
// registers no driver, so opening a database of that kind is refused by database/sql.
package sqlite

// Error is what the driver would return. Nothing makes one.
type Error struct{}

// Error implements error.
func (*Error) Error() string { return "this build has no SQLite" }

// Code is none of SQLite's codes.
func (*Error) Code() int { return 0 }
