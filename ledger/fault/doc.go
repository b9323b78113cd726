// Package fault has the error type of the project. An error has a cause, a category, the resources that it is about,
// and a hint with the next step.
//
// A [Code] names one kind of refusal; the codes are those of the ledger's public API and each is a variable of this
// package (files codes_*.go). A [Fault] is one occurrence:
//
//	return fault.ContractNotFound.New("Contract could not be found with id %s", id).WithResource("CONTRACT_ID", id)
//
// The [Category] of a code decides the gRPC code, the HTTP status, whether a client may retry, and whether the node
// hides the details from the client. Completions store refusals of commands as Faults, so a Fault survives JSON. The
// internal error of [Fault.Wrap] does not: it is for the log only.
//
// The package is pure: it imports the standard library only, and knows neither HTTP nor SQL nor a logger.
package fault
