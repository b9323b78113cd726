package node

import (
	"context"
	"time"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
)

// audited is what the auditor of this process knows.
type audited struct {
	state audit.State
	end   ledger.Offset
}

// startAudit makes the auditor. In a process with a worker it follows the record in the background.
func (n *Node) startAudit(_, background context.Context) (err error) {
	if n.auditor, err = audit.New(n.Database, n.packages, n.Identity.Network()); err != nil || !n.options.Roles.Worker {
		return err
	}
	follower, err := audit.NewFollower(audit.FollowerOptions{
		Auditor: n.auditor, Checkpoints: n.Database, Watcher: n.watcher, Now: time.Now, Log: n.options.Log,
		Observe: func(state audit.State, end ledger.Offset) {
			n.metrics.Audited(state, end)
			n.audited.Store(&audited{state, end})
		},
	})
	if err != nil {
		return err
	}
	go follower.Run(background)
	return nil
}
