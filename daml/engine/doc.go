// Package engine evaluates Daml-LF 2.
//
// A [Program] holds packages and compiles their definitions when they are first used: expressions become trees of code
// in which variables are slots, fields are indices and types are gone, as they have no meaning at run time. A machine
// runs code. Its stacks are its own: a function of a package never recurses on Go's, a call in tail position takes no
// room, and what a run may cost is bounded by [Limits] in steps, memory and depth.
//
// Evaluation is strict, and its order is that of the language specification: of an application the function, then its
// arguments from left to right, each function being entered as soon as it has the arguments that it wants. Values of
// packages are evaluated when they are first needed, and once for a program.
//
// What a package reads of the ledger it gets from a [Host]. The package is pure.
package engine
