package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
)

// submitsOnce is a submitter whose submissions are not made again by a request that is served again.
type submitsOnce struct{ Submitter }

// Submit implements [Submitter].
func (s submitsOnce) Submit(ctx context.Context, submission ledger.Submission) error {
	_, err := endpoint.Submitting(ctx, func() (struct{}, error) {
		return struct{}{}, s.Submitter.Submit(ctx, submission)
	})
	return err
}

// SubmitAndWait implements [Submitter].
func (s submitsOnce) SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	return endpoint.Submitting(ctx, func() (ledger.Completion, error) {
		return s.Submitter.SubmitAndWait(ctx, submission)
	})
}
