package node

import (
	"context"

	"github.com/florinledger/florin/api/changes"
)

// startKeeper keeps the answers to changes that clients may ask for again, and forgets old ones.
func (n *Node) startKeeper(background context.Context) (*changes.Keeper, error) {
	keeper, err := changes.NewKeeper(changes.Options{
		Record: n.Database, Keep: n.options.Settings.KeepAnswers,
		Logger: n.options.Log,
	})
	if err == nil {
		go keeper.Run(background)
	}
	return keeper, err
}
