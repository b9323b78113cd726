// Package archive reads Daml archives: DAR files, and the packages in Daml-LF 2 in them, into the syntax trees of
// package ast.
//
// A reader of an archive trusts nothing in it. A package is what its hash says, or it is refused; tables are checked at
// each use; what is unknown to this version of the reader is refused rather than passed over. The [Limits] bound what
// an archive costs in memory and time before it is paid: a first pass over the bytes of a package counts what is in it,
// and trees that share their parts count as often as a walk meets them.
//
// Faults: ZIP_BOMB above the limits, INVALID_DAR for an archive that lacks parts, DAR_PARSE_ERROR for what cannot be
// read, DAR_VALIDATION_ERROR for packages that do not belong together.
//
// The package is pure.
package archive
