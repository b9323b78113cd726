// Package upload decides which packages an archive adds to those that a ledger has, or why it adds none: each is
// well-formed, follows the versions of its name that are there, and leaves the names of built-in packages alone.
//
// What an upload may cost is bounded by [Limits], however few bytes it has.
//
// The package is pure.
package upload
