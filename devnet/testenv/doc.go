// Package testenv starts a PostgreSQL and a Temporal server for tests, and deletes them afterwards. `florin testenv`
// starts them once for all processes of a test suite; a test process without them starts its own. Each start cleans up
// after killed processes.
package testenv
