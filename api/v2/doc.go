// Package v2 has the common parts of the JSON Ledger API: the form of errors, page tokens, field masks, annotations,
// and small types of several resources.
package v2
