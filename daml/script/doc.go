// Package script knows the tests that users write in Daml Script: a script is a value of a package that evaluates to a
// question and what to go on with once it is answered. [Find] lists them.
//
// The package is pure.
package script
