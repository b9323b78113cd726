// Package changes is what all endpoints under /v0 that change something have in common, beside what they do: clients
// may name a change with an Idempotency-Key, so that it is made once however often it is asked for, and may ask with
// dry_run what a change would do. Both are around the endpoints, which only have to make their changes with the command
// ids of [Attempt.Next], and answer what they would come to with a [Preview].
package changes
