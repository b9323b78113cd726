// Package check says whether packages in Daml-LF 2 are well-formed, so that the evaluator never meets a term that is
// ill-typed: kinds, types, serializability, templates, interfaces, exceptions, keys, names and references, as the
// language specification has them. Each of its rules that a package can break is a [Rule] of the same name, and the
// function that checks it names it.
//
// Where upstream's checker is known to be narrower or wider than the specification, the package follows what keeps
// compiled packages accepted and the evaluator safe: methods of interfaces do not collide with other names, values of
// Any hold only values of type constructors before 2.dev, AnyException is not serializable, and a type variable that
// is bound again within its own scope is another variable.
//
// What a check costs is bounded by [Limits]: steps, which bound memory too, because a step makes at most one node, and
// depth. A package may be checked beside others, on several goroutines.
//
// Faults: DAR_VALIDATION_ERROR with an [Error] in it.
//
// The package is pure.
package check
