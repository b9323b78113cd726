// Package ledgerapi is the JSON Ledger API, version 2: the endpoints under /v2.
//
// There is one file for each resource, with its wire types, its endpoint functions and its conversions (FromAPI… and
// ToAPI…). The rules of the ledger are not here: endpoints check the form and the sender of a request, then pass a
// submission to the [Submitter] or read from the record.
package ledgerapi
