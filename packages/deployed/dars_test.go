//go:build dars

package deployed_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/deployed"
)

// published reads the packages of DARs in the directory of the variable DARS.
func published(tb testing.TB, names ...string) []deployed.Package {
	tb.Helper()
	var out []deployed.Package
	seen := map[lf.PackageID]bool{}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(os.Getenv("DARS"), name))
		require.NoError(tb, err)
		dar, err := archive.ReadDAR(data, archive.Options{})
		require.NoError(tb, err)
		for _, pkg := range dar.Packages {
			if !seen[pkg.ID] {
				out = append(out, deployed.Package{Package: pkg})
			}
			seen[pkg.ID] = true
		}
	}
	return out
}

// coinWith is a network of the coin with uploaded DARs.
func coinWith(tb testing.TB, dars ...string) (*cointest.Network, node) {
	tb.Helper()
	network := cointest.Start(tb)
	var err error
	network.Packages, err = deployed.Extend(network.Packages, published(tb, dars...))
	require.NoError(tb, err)
	return network, node{TB: tb, Ledger: network.Ledger}
}

const (
	tradingApp = "#splice-token-test-trading-app:Splice.Testing.Apps.TradingApp:"
	venue      = "venue::1220cc"
)

func instant(n *cointest.Network, after time.Duration) string {
	return n.At(after).Time().Format(time.RFC3339)
}

// contextJSON is the context that an executor adds to each allocation: the current configuration.
func contextJSON(n *cointest.Network) string {
	return fmt.Sprintf(`{"context":{"values":{%q:{"tag":"AV_ContractId","value":%q}}},"meta":{"values":{}}}`,
		coin.ContextConfigState, configState(n))
}

func configState(n *cointest.Network) ledger.ContractID {
	var out ledger.ContractID
	for id, state := range cointest.All[coin.ExternalPartyConfigState](n) {
		if out == "" || state.TargetArchiveAfter.Time().After(n.Now) {
			out = id.ID()
		}
	}
	return out
}

// allocate sets coin aside for a leg of a trade.
func allocate(n *cointest.Network, node node, trade ledger.ContractID, legID string) ledger.ContractID {
	n.Advance(0)
	view, err := n.View(node.Context(), trade,
		"#splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest")
	require.NoError(node, err)
	var request struct {
		Settlement   json.RawMessage            `json:"settlement"`
		TransferLegs map[string]json.RawMessage `json:"transferLegs"`
	}
	require.NoError(node, json.Unmarshal(view, &request))
	var leg struct {
		Sender ledger.Party `json:"sender"`
	}
	require.NoError(node, json.Unmarshal(request.TransferLegs[legID], &leg))
	var factory ledger.ContractID
	for id := range cointest.All[coin.ExternalPartyAmuletRules](n) {
		factory = id.ID()
	}
	argument := fmt.Sprintf(`{"expectedAdmin":%q,"allocation":{"settlement":%s,"transferLegId":%q,"transferLeg":%s},
		"requestedAt":%q,"inputHoldingCids":[%q],"extraArgs":%s}`, cointest.DSO, request.Settlement, legID,
		request.TransferLegs[legID], instant(n, 0), n.Tap(leg.Sender, "100"), contextJSON(n))
	tree := node.accepted(n.Public(leg.Sender), exercise(
		"#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory",
		factory, "AllocationFactory_Allocate", argument))
	result, err := ledgertest.Result[token.AllocationInstructionResult](tree)
	require.NoError(node, err)
	return result.Output.Completed.AllocationCid.ID()
}

func TestPublishedDARs_TradingAppSettlesWithOurCoin(t *testing.T) {
	t.Parallel()
	n, node := coinWith(t, "splice-token-test-trading-app-1.0.2.dar")
	leg := func(from, to, amount string) string {
		return fmt.Sprintf(`{"sender":%q,"receiver":%q,"amount":%q,"instrumentId":{"admin":%q,"id":"Amulet"},
			"meta":{"values":{}}}`, from, to, amount, cointest.DSO)
	}
	proposal := node.created(alice, tradingApp+"OTCTradeProposal", fmt.Sprintf(
		`{"venue":%q,"tradeCid":null,"transferLegs":{"leg0":%s,"leg1":%s},"approvers":["alice::1220aa"]}`, venue,
		leg("alice::1220aa", "bob::1220bb", "10.0"), leg("bob::1220bb", "alice::1220aa", "20.0")))
	accepted := node.accepted(bob, exercise(tradingApp+"OTCTradeProposal", proposal, "OTCTradeProposal_Accept",
		`{"approver":"bob::1220bb"}`))
	proposal = accepted.Nodes[len(accepted.Nodes)-1].ContractID
	tree := node.accepted(ledgertest.As(venue), exercise(tradingApp+"OTCTradeProposal", proposal,
		"OTCTradeProposal_InitiateSettlement",
		fmt.Sprintf(`{"prepareUntil":%q,"settleBefore":%q}`, instant(n, time.Hour), instant(n, 2*time.Hour))))
	trade := tree.Nodes[len(tree.Nodes)-1].ContractID

	allocations := []ledger.ContractID{allocate(n, node, trade, "leg0"), allocate(n, node, trade, "leg1")}
	entry := func(i int) string {
		return fmt.Sprintf(`"leg%d":{"_1":%q,"_2":%s}`, i, allocations[i], contextJSON(n))
	}
	by := n.Public(venue)
	for id := range cointest.All[coin.LockedAmulet](n) { // executors disclose them, as the registry says
		by = by.Disclose(n.Active[id.ID()])
	}
	settled := node.accepted(by, exercise(tradingApp+"OTCTrade", trade, "OTCTrade_Settle",
		`{"allocationsWithContext":{`+entry(0)+`,`+entry(1)+`}}`))
	free, locked := n.Balance("alice::1220aa")
	require.Equal(t, []string{"110.0", "0.0"}, []string{free, locked})
	free, locked = n.Balance("bob::1220bb")
	require.Equal(t, []string{"90.0", "0.0"}, []string{free, locked})
	require.NotContains(t, n.Active, trade)
	require.Greater(t, len(settled.Nodes), 4)
}

func TestPublishedDARs_EveryTemplateHasPayloadType(t *testing.T) {
	t.Parallel()
	n, _ := coinWith(t, "splice-token-test-trading-app-1.0.2.dar", "splice-test-token-v1-1.0.0.dar",
		"splice-util-token-standard-wallet-1.1.0.dar", "splice-amulet-0.1.17.dar", "splice-amulet-0.1.22.dar",
		"all-kinds-of-1.0.0.dar")
	for _, name := range n.Packages.Templates() {
		_, known := n.Packages.PayloadType(name)
		require.True(t, known)
	}
}
