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

// prices tells what the coin was worth, going back in time: it holds the rounds around the present place only.
type prices struct {
	api *API
	// rounds are those that were there at the time that was asked for last, and some before them; the newest first.
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
	// roundsPage is how many rounds are read at once.
	roundsPage = 100
	// disorder is how far the times of transactions may be out of order, and settled how long after its creation a round
	// has opened.
	disorder = time.Hour
	settled  = 24 * time.Hour
)

// at is the price in US dollars at a time, which must not be long after the one that was asked for last; false when no
// round was open.
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
