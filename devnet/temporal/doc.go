// Package temporal runs a Temporal server with its Web UI in this process, on PostgreSQL, for development: all four
// services, on loopback, for one small machine. It links the whole server; only the hidden command of package
// temporalchild may import it.
package temporal
