// Package engine evaluates Daml-LF 2.
//
// A [Program] holds packages and compiles a definition at its first use. Expressions become trees of code: variables
// are slots, fields are indices, and types are gone: they have no meaning at run time. A machine runs code with its own
// stacks: a function of a package never recurses on Go's stack, and a tail call takes no room. [Limits] bound the
// steps, memory and depth of a run.
//
// Evaluation is strict, in the order of the language specification: the function of an application, then its arguments
// from left to right. A function runs as soon as it has enough arguments. A value of a package is evaluated at its
// first use, and once for a program.
//
// Programs read the ledger through a [Host]. The package is pure.
package engine
