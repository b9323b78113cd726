// Package activities has the activities of the workflows. An activity opens the database transaction, calls the
// ledger's rules, stores their decision, and publishes it. One activity commits in one database transaction, and every
// activity may run twice.
//
// It may import db and the pure packages below it; never workflows, worker or api.
package activities
