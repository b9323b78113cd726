package walletapi

import (
	"context"
	"math"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// prices finds the price of the coin at decreasing times. It keeps only the rounds around the last time.
type prices struct {
	api *API
	// rounds are the rounds at the last requested time, and some before them; newest first.
	rounds  []roundPrice
	next    db.Position
	isAtEnd bool
}

type roundPrice struct {
	createdAt, opensAt time.Time
	price              decimal.Decimal
}

func (a *API) newPrices() *prices {
	return &prices{api: a, next: db.Position{Offset: ledger.Offset(math.MaxInt64)}}
}

const (
	// roundsPage is the number of rounds in one database read.
	roundsPage = 100
	// disorder is how far the times of transactions may be out of order; settled is the time after its creation within
	// which a round has opened.
	disorder = time.Hour
	settled  = 24 * time.Hour
)

// at returns the price in US dollars at a time, which must not be much later than the last one; false if no round was
// open.
func (p *prices) at(ctx context.Context, at time.Time) (decimal.Decimal, bool, error) {
	for {
		for len(p.rounds) > 0 && p.rounds[0].createdAt.After(at.Add(disorder)) {
			p.rounds = p.rounds[1:]
		}
		if p.isAtEnd || len(p.rounds) > 0 && !p.rounds[len(p.rounds)-1].createdAt.After(at.Add(-settled)) {
			break
		}
		if err := p.read(ctx); err != nil {
			return decimal.Decimal{}, false, err
		}
	}
	for _, round := range p.rounds {
		if !round.createdAt.After(at) && !round.opensAt.After(at) {
			return round.price, true, nil
		}
	}
	return decimal.Decimal{}, false, nil
}

func (p *prices) read(ctx context.Context) error {
	found, err := p.api.record.OpenRounds(ctx, p.next, roundsPage)
	if err != nil {
		return err
	}
	rounds := make([]roundPrice, len(p.rounds), len(p.rounds)+len(found))
	copy(rounds, p.rounds)
	for _, stored := range found {
		payload, err := ledger.DecodePayload[coin.OpenMiningRound](p.api.Packages, stored.Contract)
		if err != nil {
			return err
		}
		rounds = append(rounds, roundPrice{stored.CreatedAt, payload.OpensAt.Time(), payload.AmuletPrice})
		p.next = stored.Position()
	}
	p.rounds, p.isAtEnd = rounds, len(found) < roundsPage
	return nil
}
