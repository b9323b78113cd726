// Package coinplay runs random sequences of coin actions against the write path of a node, which commits in PostgreSQL
// as a worker does, on a clock of the test. After each move every balance in the database must equal the balance in a
// model that does not use the coin's code, and the audit must find nothing.
package coinplay
