package coin_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// public are the contracts that wallets disclose with every submission: the rules and the open rounds.
func (n network) public(parties ...ledger.Party) ledgertest.Parties {
	by := ledgertest.As(parties...)
	by = by.Disclose(n.Active[n.rules.ID()])
	for _, id := range n.rounds {
		by = by.Disclose(n.Active[id.ID()])
	}
	for _, id := range n.states {
		by = by.Disclose(n.Active[id.ID()])
	}
	return by
}

// tap mints coin for a party.
func (n network) tap(t *testing.T, receiver ledger.Party, text string) lf.CID[coin.Amulet] {
	t.Helper()
	result, err := ledgertest.Exercise[coin.AmuletRulesDevNetTapResult](n.Ledger, n.public(receiver), n.rules,
		coin.AmuletRulesDevNetTap{Receiver: receiver, Amount: amount(text), OpenRound: n.rounds[0]})
	require.NoError(t, err)
	return result.AmuletSum.Amulet
}

func TestTapAndTransfer(t *testing.T) {
	t.Parallel()
	n := startNetwork(t, nil)
	coinOfAlice := n.tap(t, alice, "100")
	d := dso
	result, err := ledgertest.Exercise[coin.TransferResult](n.Ledger, n.public(alice, bob), n.rules,
		coin.AmuletRulesTransfer{
			Transfer: coin.Transfer{
				Sender: alice, Provider: alice, Inputs: []coin.TransferInput{coin.InputAmulet(coinOfAlice)},
				Outputs: []coin.TransferOutput{{Receiver: bob, Amount: amount("25")}},
			},
			Context:     coin.TransferContext{OpenMiningRound: n.rounds[0]},
			ExpectedDSO: &d,
		})
	require.NoError(t, err)
	out, _ := json.Marshal(result)
	t.Log(string(out))
	events := n.Events()
	last := events[len(events)-1]
	t.Log(string(last[0].Result))
	for _, e := range last {
		t.Log(e.NodeID, e.LastDescendant, e.Kind, e.Template.Entity, e.Choice, e.Witnesses)
	}
}
