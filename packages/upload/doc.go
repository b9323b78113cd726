// Package upload decides which packages an archive adds to a ledger, or returns why it adds none. Each package must be
// well-formed, must be a valid upgrade of the other versions of its name, and must not take the name of a built-in
// package.
//
// [Limits] bounds the cost of an upload, because a small archive can be expensive.
//
// The package is pure.
package upload
