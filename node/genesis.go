package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/node/bootstrap"
)

// createCoin submits the genesis of a fresh ledger through a workflow, like every other submission, and waits for it.
// Without a worker in this process it waits for the worker of another one.
func (n *Node) createCoin(ctx, _ context.Context) error {
	genesis, err := bootstrap.Genesis(n.packages, n.Identity, n.Settings, n.clock.Now())
	if err != nil {
		return err
	}
	known, err := n.Database.CompletionsByKey(ctx, []string{genesis.Key})
	if err != nil {
		return err
	}
	if len(known) > 0 {
		if head, err := n.Database.Head(ctx); err != nil || head.Offset != known[genesis.Key].Offset {
			return err
		}
		return n.standAtGenesis(ctx) // an earlier start may have died before this
	}
	if err := n.submitFirst(ctx, genesis, "the contracts of the coin"); err != nil {
		return err
	}
	return n.standAtGenesis(ctx)
}

// standAtGenesis moves a static clock to the time of the genesis. Record times increase even while the clock stands, so
// the first rounds would open after it, and nobody could use the coin.
func (n *Node) standAtGenesis(ctx context.Context) error {
	head, err := n.Database.Head(ctx)
	if err != nil {
		return err
	}
	state, err := n.Database.ClockState(ctx)
	if err != nil || !state.Static() || !state.StandsAt.Before(head.RecordTime) {
		return err
	}
	_, err = n.Database.AdvanceClock(ctx, func(state db.ClockState) db.ClockState {
		return state.AdvancedTo(head.RecordTime, time.Now())
	})
	return err
}

// submitFirst submits one of the first entries of a fresh ledger, and waits for its completion.
func (n *Node) submitFirst(ctx context.Context, submission ledger.Submission, what string) error {
	deadline, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	completion, err := n.client.SubmitAndWait(deadline, submission)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no worker took the first submission within %s: start one with `florin worker`", connectTimeout)
	case err != nil && errors.Unwrap(err) != nil: // clients must not see the cause, but the operator needs it
		return fmt.Errorf("%w: %w", err, errors.Unwrap(err))
	case err != nil:
		return err
	case completion.Refusal != nil:
		return fmt.Errorf("%s: refused: %w", what, completion.Refusal)
	default:
		return nil
	}
}
