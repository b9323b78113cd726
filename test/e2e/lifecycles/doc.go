// Package lifecycles tests the workflows that look after contracts, on a real PostgreSQL and a real Temporal, while the
// ledger's clock is advanced by days and months. The parts of a node run in the test's process, so that a test can stop
// some of them, give them another Temporal, and look at the record.
package lifecycles
