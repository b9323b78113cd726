package main

import (
	"context"

	"github.com/florinledger/florin/api/changes"
)

// startKeeper keeps the answers to changes that clients may ask for again, and forgets old ones.
func (n *node) startKeeper(background context.Context) (*changes.Keeper, error) {
	keeper, err := changes.NewKeeper(changes.Options{
		Record: n.database, Keep: n.options.settings.KeepAnswers,
		UserAnswers: n.options.settings.MaxUserKeptAnswers, UserBytes: n.options.settings.MaxUserKeptBytes,
		Logger: n.options.log,
	})
	if err == nil {
		go keeper.Run(background)
	}
	return keeper, err
}
