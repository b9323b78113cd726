package registryapi

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// endlessRecord is a record with an endless list of an owner's coin.
type endlessRecord struct {
	NetworkReader

	pages int
}

func (e *endlessRecord) StillActive(_ context.Context, query db.ActiveQuery) ([]db.StoredContract, error) {
	const enough = 100
	if e.pages++; e.pages > enough {
		return nil, errEnough
	}
	page := make([]db.StoredContract, query.Limit)
	for i := range page {
		page[i].Offset = query.After.Offset + ledger.Offset(i) + 1
		page[i].Payload = []byte(`{"owner":"alice","amount":{"initialAmount":"1.0000000000"}}`)
	}
	return page, nil
}

var errEnough = errors.New("enough")

func TestHoldingsOf_LimitsCoinsForAnonymousCallers(t *testing.T) {
	t.Parallel()
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	sum := func(claims auth.Claims) (pages int, err error) {
		record := &endlessRecord{}
		a := &API{packages: packages, record: record}
		ctx := endpoint.WithClaims(t.Context(), claims)
		_, err = a.holdingsOf(ctx, "alice", math.MaxInt64, 0, allowanceOf(ctx))
		return record.pages, err
	}
	pages, err := sum(auth.Claims{})
	require.ErrorContains(t, err, "more than 2500 coins")
	require.Equal(t, maxAnonymousCoins/contractsPage+1, pages)
	_, err = sum(auth.NewClaims(ledger.User{ID: "alice"}, nil))
	require.ErrorIs(t, err, errEnough, "callers with a token get everything")
}
