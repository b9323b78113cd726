package node

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// recordTimeTolerance is how far the record may be ahead of the ledger's clock: those of several machines differ a
	// little.
	recordTimeTolerance = 10 * time.Second
	// recordTimeInterval is how often that is looked at.
	recordTimeInterval = 10 * time.Second
)

// recordTime knows how far the last entry of the record is ahead of the ledger's clock, as this machine has it. It is
// ahead after a commit by a machine whose clock was fast, or while this machine's is slow. Nothing breaks, for record
// times increase in any case; but they say little until the clock has caught up.
type recordTime struct{ ahead atomic.Int64 }

// watch looks at the record now, and from time to time until background ends.
func (r *recordTime) watch(ctx, background context.Context, n *Node) error {
	if err := r.look(ctx, n); err != nil {
		return err
	}
	n.metrics.RecordTimeAhead(r.seen)
	go func() {
		for wait.For(background, recordTimeInterval) == nil {
			if err := r.look(background, n); err != nil && background.Err() == nil {
				n.options.Log.DebugContext(background, "the record's time is not known", "error", err)
			}
		}
	}()
	return nil
}

func (r *recordTime) look(ctx context.Context, n *Node) error {
	head, err := n.Database.Head(ctx)
	if err != nil {
		return err
	}
	now := n.clock.Now()
	before, ahead := r.seen(), max(0, head.RecordTime.Sub(now))
	r.ahead.Store(int64(ahead))
	log := n.options.Log.With("record_time", head.RecordTime, "ledger_time", now, "ahead", ahead.String(),
		"offset", int64(head.Offset))
	switch {
	case ahead > recordTimeTolerance && before <= recordTimeTolerance:
		log.WarnContext(ctx, "the record is ahead of the ledger's clock: compare the clocks of all machines")
	case ahead <= recordTimeTolerance && before > recordTimeTolerance:
		log.InfoContext(ctx, "the ledger's clock has caught up with the record")
	}
	return nil
}

func (r *recordTime) seen() time.Duration { return time.Duration(r.ahead.Load()) }

// part is what /readyz says of it: requests are served all the same.
func (r *recordTime) part() api.Part {
	part := api.Part{Name: "clock"}
	if ahead := r.seen(); ahead > recordTimeTolerance {
		part.Warning = fmt.Sprintf("the record is %s ahead of the ledger's clock on this machine",
			ahead.Round(time.Second))
	}
	return part
}
