// Package upload decides which packages an archive adds to those that a ledger has, or why it adds none: each is
// well-formed and follows the versions of its name that are there, and the names of built-in packages stay theirs.
//
// What an upload may cost is bounded by [Limits], however few bytes it has.
//
// The package is pure.
package upload
