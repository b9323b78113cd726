// Package upgrade says whether a package in Daml-LF 2 may follow another as a newer version of it. Contracts of the
// older version are then read as the newer one's, so that a value of every serializable type of the older version must
// be one of the newer, missing optional fields aside.
//
// Packages are versions of one another when they have the same name; the version orders them. Utility packages, which
// define nothing that a value on the ledger is of, are not: their versions need not fit together.
//
// Interfaces and exceptions may stand in both versions, as upstream has it. Of them only the views of interfaces are
// compared.
//
// Faults: NOT_VALID_UPGRADE_PACKAGE with an [Error] in it, KNOWN_PACKAGE_VERSION.
//
// The package is pure.
package upgrade
