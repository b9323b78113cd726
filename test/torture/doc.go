// Package torture checks histories: the requests of clients, their answers, the states that readers saw, and the record
// of the ledger. [Check] finds everything in a history that a correct ledger cannot produce, like Jepsen's bank test.
// It does not depend on the way in which a test recorded the history.
package torture
