package governance_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/governance"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
)

const (
	dso      = ledger.Party("DSO::1220d5")
	operator = ledger.Party("operator::1220f0")
)

func TestSoleOperator_RulesMatchWhatClientsRead(t *testing.T) {
	t.Parallel()
	book, err := ledgertest.New(append(governance.Packages(), coin.Packages()...)...)
	require.NoError(t, err)
	command, err := governance.Founding(book.Packages,
		governance.SoleOperator(dso, operator, "sv-1", "participant::1220f0", "global-domain::1220d5"))
	require.NoError(t, err)
	_, err = book.SubmitCommands(ledgertest.As(dso), command)
	require.NoError(t, err)
	require.Len(t, book.Active, 1)
	for _, contract := range book.Active {
		require.Equal(t, []ledger.Party{dso}, contract.Signatories)
		require.Empty(t, contract.Observers)
		require.JSONEq(t, `{
			"dso": "DSO::1220d5", "epoch": "0", "dsoDelegate": "operator::1220f0", "isDevNet": true,
			"svs": [["operator::1220f0", {
				"name": "sv-1", "joinedAsOfRound": {"number": "0"}, "svRewardWeight": "10000",
				"participantId": "participant::1220f0"
			}]],
			"offboardedSvs": [], "initialTrafficState": [],
			"config": {
				"numUnclaimedRewardsThreshold": "10", "numMemberTrafficContractsThreshold": "5",
				"actionConfirmationTimeout": {"microseconds": "3600000000"},
				"svOnboardingRequestTimeout": {"microseconds": "3600000000"},
				"svOnboardingConfirmedTimeout": {"microseconds": "3600000000"},
				"voteRequestTimeout": {"microseconds": "604800000000"},
				"dsoDelegateInactiveTimeout": {"microseconds": "70000000"},
				"synchronizerNodeConfigLimits": {"cometBft": {
					"maxNumCometBftNodes": "2", "maxNumGovernanceKeys": "2", "maxNumSequencingKeys": "2",
					"maxNodeIdLength": "50", "maxPubKeyLength": "256"
				}},
				"maxTextLength": "1024",
				"decentralizedSynchronizer": {
					"synchronizers": [["global-domain::1220d5", {
						"state": "DS_Operational", "cometBftGenesisJson": ""
					}]],
					"lastSynchronizerId": "global-domain::1220d5", "activeSynchronizerId": "global-domain::1220d5"
				}
			}
		}`, string(contract.Payload))
	}
}

func TestFounding_NeedsTheDSO(t *testing.T) {
	t.Parallel()
	book, err := ledgertest.New(append(governance.Packages(), coin.Packages()...)...)
	require.NoError(t, err)
	command, err := governance.Founding(book.Packages,
		governance.SoleOperator(dso, operator, "sv-1", "participant::1220f0", "global-domain::1220d5"))
	require.NoError(t, err)
	_, err = book.SubmitCommands(ledgertest.As(operator), command)
	require.ErrorContains(t, err, "DAML_AUTHORIZATION_ERROR")
}
