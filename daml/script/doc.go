// Package script runs the tests that users write in Daml Script.
//
// A script is a value of a package that evaluates to a question and what to go on with once it is answered: submit
// these commands, allocate a party, set the time. [Suite.Run] answers the questions from a ledger in memory, which a
// run has to itself, or from that of a [Node].
//
// In memory it interprets commands by package engine and keeps to the rules of authorization and visibility of package
// ledger. Two runs of a script with the same seed are the same, to the last contract id. [Find] lists the scripts of a
// package.
//
// The package is pure: whoever runs a script brings the way to the node.
package script
