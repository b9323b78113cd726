package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
)

// Pruner deletes the beginning of the record.
type Pruner interface {
	// Prune audits the record up to an offset and deletes it. Active contracts and the data for deduplication stay.
	Prune(ctx context.Context, upTo ledger.Offset) (db.Pruned, error)
}

// PruneRequest asks to prune the record up to an offset. It has the fields of upstream's gRPC service; upstream's JSON
// API has no such endpoint.
type PruneRequest struct {
	PruneUpTo                 int64  `json:"pruneUpTo" required:"true" doc:"Last offset to prune"`
	SubmissionID              string `json:"submissionId" doc:"No effect"`
	PruneAllDivulgedContracts bool   `json:"pruneAllDivulgedContracts" doc:"No effect: the node keeps none"`
}

// PruneResponse is {}.
type PruneResponse struct{}

type pruneRequest struct {
	Body PruneRequest `body:"json"`
}

func (a *API) prune(ctx context.Context, req pruneRequest) (PruneResponse, error) {
	_, err := a.pruner.Prune(budget.Unbounded(ctx), ledger.Offset(req.Body.PruneUpTo))
	if endpoint.OutOfTime(ctx) {
		err = &endpoint.TimeoutError{Advice: "The node audits the record before it prunes. The finished part stays " +
			"finished. Send the request again to continue, or run `florin prune`, which has no time limit."}
	}
	return PruneResponse{}, err
}
