package node

import (
	"context"
	"time"

	"github.com/florinledger/florin/api/changes"
)

// keepAnswers is the time for which the node keeps answers to requests with an Idempotency-Key.
const keepAnswers = 24 * time.Hour

// startKeeper starts to keep the answers to changes, which a client gets when it repeats a change.
func (n *Node) startKeeper(background context.Context) (*changes.Keeper, error) {
	keeper, err := changes.NewKeeper(changes.Options{
		Record: n.Database, Keep: keepAnswers,
		Logger: n.options.Log,
	})
	if err == nil {
		go keeper.Run(background)
	}
	return keeper, err
}
