// Package check checks that packages in Daml-LF 2 are well-formed, so that the evaluator never meets an ill-typed term.
// It checks kinds, types, serializability, templates, interfaces, exceptions, keys, names and references by the rules
// of the language specification. Each rule that a package can break is a [Rule] of the same name, and the function that
// checks it names it.
//
// Upstream's checker differs from the specification in some places. There the package accepts what compilers write and
// keeps the evaluator safe: methods of interfaces do not collide with other names, before 2.dev Any holds only values
// of type constructors, AnyException is not serializable, and a type variable that is bound again within its own scope
// is another variable.
//
// [Limits] bound the cost of a check: its depth and its steps. Steps bound memory too, because a step makes at most one
// node. Several goroutines may check packages at a time.
//
// Faults: DAR_VALIDATION_ERROR with an [Error] in it.
//
// The package is pure.
package check
