package ledgerapi

import (
	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// harmless are the refusals of a commit that hold nothing of a contract: times, and what was submitted before.
func harmless(refusal *fault.Fault) bool {
	for _, code := range []fault.Code{
		fault.DuplicateCommand, fault.DuplicateConfirmationRequestUUID, fault.LocalVerdictMaxRecordTimeExceeded,
		fault.LocalVerdictPreparationTimeOutOfBound, fault.LocalVerdictLedgerTimeOutOfBound,
	} {
		if code.Matches(refusal) {
			return true
		}
	}
	return false
}

// covered is what a caller is told of the refusal of a submission. A refusal may hold what the parties of the
// submission see: contracts, keys, amounts. Whoever may submit what they signed, but not read as them, learns the code
// alone.
func covered(claims auth.Claims, submission ledger.Submission, refusal *fault.Fault) *fault.Fault {
	readers := ledger.SortedParties(submission.ActAs, submission.ReadAs)
	if claims.RequireReadAs(readers...) == nil || harmless(refusal) {
		return refusal
	}
	return &fault.Fault{
		Code: refusal.Code, Category: refusal.Category, DefiniteAnswer: refusal.DefiniteAnswer,
		Cause: "The transaction was refused",
		Hint:  "The completion says why, to those who may read as the parties that signed.",
	}
}
