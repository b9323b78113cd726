package coin_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

func TestTrafficRules_CountPurchasesOfTheMember(t *testing.T) {
	t.Parallel()
	rules := coin.TrafficRulesOf(coin.MemberOf("node::1220aa"), "sync::1220bb")
	require.Equal(t, int64(400_000), rules.BaseBurst)
	require.Equal(t, 20*time.Minute, rules.BaseWindow)
	purchase := func(entity, member, synchronizer string) ledger.Contract {
		return ledger.Contract{
			PackageName: "splice-amulet", InNetwork: true,
			Template: lf.TypeName{Module: "Splice.DecentralizedSynchronizer", Entity: entity},
			Payload: json.RawMessage(`{"memberId":"` + member + `","synchronizerId":"` + synchronizer +
				`","totalPurchased":"200000"}`),
		}
	}
	forged := purchase("MemberTraffic", "PAR::node::1220aa", "sync::1220bb")
	forged.InNetwork = false
	for name, test := range map[string]struct {
		contract ledger.Contract
		stake    int64
	}{
		"its own":             {purchase("MemberTraffic", "PAR::node::1220aa", "sync::1220bb"), 200_000},
		"another member's":    {purchase("MemberTraffic", "PAR::other::1220aa", "sync::1220bb"), 0},
		"for another network": {purchase("MemberTraffic", "PAR::node::1220aa", "sync::1220cc"), 0},
		"not the network's":   {forged, 0},
		"another template":    {purchase("OtherTraffic", "PAR::node::1220aa", "sync::1220bb"), 0},
		"no contract at all":  {ledger.Contract{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stake, err := rules.Stake(test.contract)
			require.NoError(t, err)
			require.Equal(t, test.stake, stake)
		})
	}
	broken := purchase("MemberTraffic", "PAR::node::1220aa", "sync::1220bb")
	broken.Payload = json.RawMessage(`{"totalPurchased":"many"}`)
	_, err := rules.Stake(broken)
	require.ErrorContains(t, err, "MemberTraffic")
}
