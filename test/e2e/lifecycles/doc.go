// Package lifecycles tests the workflows of contracts, on a real PostgreSQL and a real Temporal, and advances the
// ledger's clock by days and months. The parts of a node run in the test's process, so that a test can stop some of
// them, connect them to another Temporal, and read the record.
package lifecycles
