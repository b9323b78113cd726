// Package archive reads Daml archives: DAR files, and the packages in Daml-LF 2 in them, into the syntax trees of
// package ast.
//
// A reader trusts nothing in an archive. It refuses a package with a wrong hash, checks tables at each use, and refuses
// unknown parts instead of ignoring them. The [Limits] bound memory and time in advance: a first pass over the bytes of
// a package counts its parts, and a shared part of a tree counts at each use.
//
// Faults: ZIP_BOMB above the limits, INVALID_DAR for an incomplete archive, DAR_PARSE_ERROR for unreadable content,
// DAR_VALIDATION_ERROR for packages that do not belong together.
//
// The package is pure.
package archive
