// Package activities does what workflows ask for: it opens the database transaction, calls the ledger's rules, stores
// what they decide, and tells who waits. One activity commits in one database transaction, and every activity may run
// twice.
//
// It may import db and the pure packages below it; never workflows, worker or api.
package activities
