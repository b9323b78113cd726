// Package coinplay plays random sequences of what people do with coin against the write path of a node: submissions are
// decided and committed in PostgreSQL as a worker does, on a clock that the play moves. After each move every balance
// in the database must be what a model says that knows nothing of the coin's code, and the audit must find nothing.
package coinplay
