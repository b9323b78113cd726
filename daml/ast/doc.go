// Package ast is the abstract syntax of Daml-LF 2: packages, definitions, kinds, types and expressions, with the names
// of the language specification.
//
// # How to read the tree
//
// Kinds, types, patterns, data constructors and expressions are closed interfaces; a type switch over the types of
// this package covers them. Nodes are pointers. A tree does not change after it is built: packages and goroutines share
// parts of it. Do not write to a tree, and do not take two equal pointers for one place in the source.
//
// Where the specification applies, abstracts or binds one thing at a time, the tree may hold several: [ExpApp] with
// arguments e₁ … eₙ is ((e e₁) …) eₙ, and the same holds for [ExpTyApp], [ExpAbs], [ExpTyAbs], [ExpLet], [ExpListCons]
// and [UpdateBlock]. Such lists are never empty, but a node may be nested directly in one of its own kind: both forms
// mean the same.
//
// Types are in one form only, so that equal types look equal: the function of a [TyApp] is never a TyApp itself, a
// [TyForall] binds one variable, the fields of a [TyStruct] are in ascending order of names without duplicates.
// Synonyms are not expanded, and bound variables keep their names.
//
// Updates are expressions: the tree has no wrapper around them. [ExpLocation] gives an expression its place in the
// source; it has no other meaning, and any expression may be in one.
//
// Names of definitions are full: package, module, and the name within the module. Package check checks that references
// resolve and have the right type. Package archive guarantees: identifiers are well-formed, literals are in their
// range, no module defines a name twice, every tree is at most [MaxDepth] deep, and a walk over a package meets a
// limited number of nodes. So a recursive walk is safe.
//
// The package is pure.
package ast

// MaxDepth limits the depth of a tree: expressions, types and kinds inside one another.
const MaxDepth = 4000
