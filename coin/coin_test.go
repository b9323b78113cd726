package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	dso      = ledger.Party("DSO::1220d5")
	alice    = ledger.Party("alice::1220a1")
	bob      = ledger.Party("bob::1220b0")
	charlie  = ledger.Party("charlie::1220c4")
	provider = ledger.Party("provider::1220ee")
	stranger = ledger.Party("stranger::122057")
)

// network is a ledger on which the coin has started.
type network struct {
	*ledgertest.Ledger
	rules lf.CID[coin.AmuletRules]
	// rounds are the open rounds by number, states the configuration states in order of their end.
	rounds map[int64]lf.CID[coin.OpenMiningRound]
	states []lf.CID[coin.ExternalPartyConfigState]
}

func amount(text string) decimal.Decimal { return decimal.MustParse(text) }

// startNetwork runs the genesis commands, with what change makes of the usual ones.
func startNetwork(t *testing.T, change func(*coin.Genesis)) network {
	t.Helper()
	book, err := ledgertest.New(coin.Packages()...)
	require.NoError(t, err)
	genesis := coin.Genesis{
		DSO: dso, Config: coin.DefaultConfig("global-domain::1220"), AmuletPrice: amount("0.005"),
		RoundZeroDuration: 24 * time.Hour,
	}
	if change != nil {
		change(&genesis)
	}
	commands, err := coin.GenesisCommands(book.Packages, genesis)
	require.NoError(t, err)
	_, err = book.SubmitCommands(ledgertest.As(dso), commands...)
	require.NoError(t, err)
	n := network{Ledger: book, rounds: map[int64]lf.CID[coin.OpenMiningRound]{}}
	rules, err := ledgertest.All[coin.AmuletRules](book)
	require.NoError(t, err)
	require.Len(t, rules, 1)
	for id := range rules {
		n.rules = id
	}
	rounds, err := ledgertest.All[coin.OpenMiningRound](book)
	require.NoError(t, err)
	for id, round := range rounds {
		n.rounds[round.Round.Number] = id
	}
	return n
}

func TestGenesis(t *testing.T) {
	t.Parallel()
	n := startNetwork(t, nil)
	require.Len(t, n.rounds, 3)
}
