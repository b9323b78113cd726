// Package upgrade checks whether a package in Daml-LF 2 may follow another as a newer version. The newer version reads
// contracts of the older, so it must accept every value of the older version's serializable types. Optional fields may
// be missing.
//
// Packages with the same name are versions of one another, in the order of their version numbers. Utility packages,
// which define no type of a value on the ledger, are an exception: their versions need not fit together.
//
// As upstream, both versions may have interfaces and exceptions. The check compares only the views of interfaces.
//
// Faults: NOT_VALID_UPGRADE_PACKAGE with an [Error] in it, KNOWN_PACKAGE_VERSION.
//
// The package is pure.
package upgrade
