package coin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func TestAmuletRules_DSOExpiresTransfersInBulk(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	var inputs []coin.AmuletRulesExpireTransferInstruction
	for range 2 {
		id, _ := n.offer(t)
		inputs = append(inputs, coin.AmuletRulesExpireTransferInstruction{
			TransferInstructionCid: lf.CID[token.TransferInstruction](id), ExpireLock: true,
		})
	}
	released, locked := n.offer(t)
	inputs = append(inputs, coin.AmuletRulesExpireTransferInstruction{
		TransferInstructionCid: lf.CID[token.TransferInstruction](released),
	})
	argument := coin.AmuletRulesExpireTransferInstructions{
		ExpectedDSO: dso, Inputs: inputs, Observers: []ledger.Party{alice, bob},
	}
	expireAll := func() (coin.AmuletRulesExpireTransferInstructionsResult, error) {
		return dsoDoes[coin.AmuletRulesExpireTransferInstructionsResult](n, argument)
	}
	_, err := expireAll()
	requireRefused(t, err, tooEarly, "Transfer.executeBefore")
	n.Now = n.Now.Add(day)
	_, err = ledgertest.Exercise[coin.LockedAmuletOwnerExpireLockV2Result](n.Ledger, ledgertest.As(alice), locked,
		coin.LockedAmuletOwnerExpireLockV2{})
	require.NoError(t, err)
	result, err := expireAll()
	require.NoError(t, err)
	require.Len(t, result.Results, 3)
	for i, one := range result.Results {
		require.NotNil(t, one.Output.Failed)
		require.Len(t, one.SenderChangeCids, []int{1, 1, 0}[i])
	}
	require.Empty(t, all[coin.AmuletTransferInstruction](t, n))
	n.requireBalances(t, "300.0", "0.0", "0.0")

	argument.ExpectedDSO = stranger
	_, err = expireAll()
	requireRefused(t, err, assertion, "The expectedDso must match the AmuletDso")
}
