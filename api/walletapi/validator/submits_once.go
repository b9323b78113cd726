package validator

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
)

// submitsOnce is a submitter whose submissions are not made again by a request that is served again.
type submitsOnce struct{ Submitter }

// SubmitsOnce is the submitter with which endpoints submit: a request that has submitted something is not served again
// from its start.
func SubmitsOnce(submitter Submitter) Submitter { return submitsOnce{submitter} }

// SubmitAndTrace implements [Submitter].
func (s submitsOnce) SubmitAndTrace(
	ctx context.Context, submission ledger.Submission,
) (completion ledger.Completion, workflowID string, err error) {
	completion, err = endpoint.Submitting(ctx, func() (ledger.Completion, error) {
		var err error
		completion, workflowID, err = s.Submitter.SubmitAndTrace(ctx, submission)
		return completion, err
	})
	return completion, workflowID, err
}
