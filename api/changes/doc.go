// Package changes adds two features to all endpoints under /v0 that change something: an Idempotency-Key, with which
// the node makes a change once however often a client sends it, and dry_run, which previews a change. Both wrap the
// endpoints. An endpoint only has to take its command ids from [Attempt.Next], and to return a [Preview].
package changes
