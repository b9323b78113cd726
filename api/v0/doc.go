// Package v0 is what the endpoints under /v0 have in common: the form of their errors, and the shapes in which they
// show contracts and numbers. They are those of the validator, wallet and scan of the public network, which differ from
// the JSON Ledger API's: names are in snake_case, errors have one text, and amounts always have ten digits after the
// point.
package v0
