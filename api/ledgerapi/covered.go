package ledgerapi

import (
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// visibleRefusal returns the part of a refusal that the caller may see; nil for an accepted submission. A refusal can
// contain data of the submission's parties: contracts, keys, amounts. A caller who may not read as all of them, such as
// a user who only submits what they signed, sees just the code.
func visibleRefusal(claims auth.Claims, completion ledger.Completion) *fault.Fault {
	refusal := completion.Refusal
	if refusal == nil || claims.RequireReadAs(completion.Readers()...) == nil {
		return refusal
	}
	switch refusal.Tells() {
	case fault.OfRequest, fault.OfNothing:
		return refusal
	default:
		return refusal.WithoutDetails("The transaction was refused",
			"The completion gives the reason to users who may read as all parties of the submission.")
	}
}
