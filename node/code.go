package node

import (
	"context"
	"runtime"
	"time"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/internal/wait"
)

// newCodeShare makes the share of long code of uploaded packages: of commits, preparations and views. Short code takes
// about as long as the rest of a submission. The memory of all code together is at most that of the places and of one
// transaction, and that of short code.
func newCodeShare() *turns.Share {
	const shortSteps, shortBytes, places, placeBytes = 20_000, 8 << 20, 8, 32 << 20
	return turns.NewShare(turns.ShareLimits{
		Processors: runtime.GOMAXPROCS(0), ShortSteps: shortSteps, ShortBytes: shortBytes,
		Places: places, PlaceBytes: placeBytes,
	})
}

// workPause is the shortest time between two looks at the record.
const workPause = 25 * time.Millisecond

// noteWork tells the share of long code that the ledger is at work, in this process or another: they have PostgreSQL and
// Temporal in common.
func (n *Node) noteWork(ctx context.Context) {
	for head := n.watcher.Head(); ; {
		var err error
		if head, err = n.watcher.WaitAfter(ctx, head); err != nil {
			return
		}
		n.code.Note()
		if wait.For(ctx, workPause) != nil {
			return
		}
	}
}
