// Package v0 has the common parts of the endpoints under /v0: the form of errors, contracts and numbers. They follow
// the validator, wallet and scan of the public network, not the JSON Ledger API: names are in snake_case, errors have
// one text, and amounts always have ten digits after the point.
package v0
