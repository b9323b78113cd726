package ledgerapi

import (
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// visibleRefusal is what a caller is told of the refusal of a submission; nil for an accepted one. A refusal may hold what the
// parties of the submission see: contracts, keys, amounts. Whoever may not read as all of them, such as a user who may
// only submit what they signed, learns the code alone.
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
