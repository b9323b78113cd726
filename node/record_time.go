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
	// recordTimeTolerance is how far the record may be ahead of the ledger's clock: the clocks of machines differ a
	// little.
	recordTimeTolerance = 10 * time.Second
	// recordTimeInterval is the time between two measurements.
	recordTimeInterval = 10 * time.Second
)

// recordTime measures how far the last entry of the record is ahead of the ledger's clock on this machine. It is ahead
// after a commit by a machine with a fast clock, or while this machine's clock is slow. Nothing breaks, because record
// times increase in any case, but they are not accurate until the clock has caught up.
type recordTime struct{ ahead atomic.Int64 }

// watch measures now, then at intervals until background ends.
func (r *recordTime) watch(ctx, background context.Context, n *Node) error {
	if err := r.measure(ctx, n); err != nil {
		return err
	}
	n.metrics.RecordTimeAhead(r.lead)
	go func() {
		for wait.For(background, recordTimeInterval) == nil {
			if err := r.measure(background, n); err != nil && background.Err() == nil {
				n.options.Log.DebugContext(background, "the node cannot read the last record time", "error", err)
			}
		}
	}()
	return nil
}

func (r *recordTime) measure(ctx context.Context, n *Node) error {
	head, err := n.Database.Head(ctx)
	if err != nil {
		return err
	}
	now := n.clock.Now()
	before, ahead := r.lead(), max(0, head.RecordTime.Sub(now))
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

func (r *recordTime) lead() time.Duration { return time.Duration(r.ahead.Load()) }

// part is the part of /readyz. It only warns: requests still work.
func (r *recordTime) part() api.Part {
	part := api.Part{Name: "clock"}
	if ahead := r.lead(); ahead > recordTimeTolerance {
		part.Warning = fmt.Sprintf("the record is %s ahead of the ledger's clock on this machine",
			ahead.Round(time.Second))
	}
	return part
}
