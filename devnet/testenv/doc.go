// Package testenv gives tests the services they need: a PostgreSQL and a Temporal server of their own, started once
// and thrown away. A command that runs a whole test suite starts them for all its processes; a test process that
// finds none starts its own. Whatever is left of processes that were killed is cleared by the next one.
package testenv
