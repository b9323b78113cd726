// Package temporal runs a Temporal server with its Web UI in this process, on PostgreSQL, for development: all four
// services, on loopback, tuned for one small machine. It links the whole server; only the hidden command that package
// temporalchild starts may import it.
package temporal
