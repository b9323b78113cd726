// Package v2 has what the parts of the JSON Ledger API share: the form of errors, page tokens, field masks,
// annotations, and the small types that several resources have.
package v2
