// Package script runs the tests that users write in Daml Script.
//
// A script is a value that evaluates to a question, such as "submit these commands", "allocate a party" or "set the
// time", and a function that continues with the answer. [Suite.Run] answers the questions from a ledger in memory, one
// for each run, or from the ledger of a [Node].
//
// In memory it interprets commands with package engine, and follows the authorization and visibility rules of package
// ledger. Two runs of a script with the same seed are equal, down to contract ids. [Find] lists the scripts of a
// package.
//
// The package is pure: the caller provides the connection to the node.
package script
