// Package ast is the abstract syntax of Daml-LF 2: packages, definitions, kinds, types and expressions, named as the
// language specification names them, so that each of its rules is found here by its name.
//
// # How to read the tree
//
// Kinds, types, patterns, data constructors and expressions are closed interfaces; a type switch over the types of
// this package covers them. Nodes are pointers. A tree is never changed once it is made. Parts of it are shared, within
// a package and between goroutines, so whoever walks it must not write to it, nor take two equal pointers for one place
// in the source.
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
// Updates are expressions: the tree has no wrapper around them. [ExpLocation] says where the expression in it stands in
// the source; it has no other meaning, and any expression may be in one.
//
// Names of definitions are full: package, module, and the name within the module. A reference need not resolve; what
// resolves, and has the right type, is for package check to say. What a reader of archives guarantees is in package
// archive: identifiers are well-formed, literals are in their range, no module defines a name twice, every tree is at
// most [MaxDepth] deep, and the number of nodes to be met on a walk over a package is bounded, so that a recursive walk
// is safe.
//
// The package is pure.
package ast

// MaxDepth bounds how deep trees are nested: how many expressions, types and kinds contain one another.
const MaxDepth = 4000
