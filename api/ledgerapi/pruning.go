package ledgerapi

import (
	"context"
	"errors"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// PruningRecord forgets the beginning of the record.
type PruningRecord interface {
	// Prune forgets the record up to an offset. What is active stays, and so does what deduplication needs.
	Prune(ctx context.Context, upTo ledger.Offset) (db.Pruned, error)
}

// PruneRequest asks to forget the record up to an offset. It has the fields of upstream's gRPC service; upstream's JSON
// API has no such endpoint.
type PruneRequest struct {
	PruneUpTo                 int64  `json:"pruneUpTo" required:"true" doc:"Last offset to forget"`
	SubmissionID              string `json:"submissionId" doc:"Has no effect"`
	PruneAllDivulgedContracts bool   `json:"pruneAllDivulgedContracts" doc:"Has no effect: none are kept"`
}

// PruneResponse is {}.
type PruneResponse struct{}

type pruneRequest struct {
	Body PruneRequest `body:"json"`
}

func (a *API) prune(ctx context.Context, req pruneRequest) (PruneResponse, error) {
	_, err := a.record.Prune(ctx, ledger.Offset(req.Body.PruneUpTo))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = &endpoint.TimeoutError{Advice: "What was deleted so far stays deleted. Send the request again to go on, " +
			"or run `florin prune`, which takes as long as it needs."}
	}
	return PruneResponse{}, err
}
