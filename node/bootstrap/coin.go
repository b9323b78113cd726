package bootstrap

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// operatorUSD is the coin of the operator of a fresh development ledger, in US dollars: enough for the preapprovals of
// a thousand parties for a year.
const operatorUSD = 1000

// operatorCoinKey is the key of that submission. It is constant, so that it happens once.
const operatorCoinKey = "00000000-0000-4000-8000-000000000002"

// OperatorCoin is the submission that mints coin for the operator of a fresh development ledger, so that it can pay for
// preapprovals. Rules and round are those of the genesis.
func OperatorCoin(
	packages *ledger.Packages, node ledger.Node, settings ledger.Settings, rules, round ledger.ContractID, now time.Time,
) (ledger.Submission, error) {
	amount, err := decimal.FromInt(operatorUSD).Div(settings.CoinPrice)
	if err != nil {
		return ledger.Submission{}, fmt.Errorf("coin for the operator: %w", err)
	}
	template, err := ledger.TemplateName[coin.AmuletRules](packages)
	if err != nil {
		return ledger.Submission{}, err
	}
	argument, err := ledger.Encode(packages, coin.AmuletRulesDevNetTap{
		Receiver: node.Operator, Amount: amount, OpenRound: lf.CID[coin.OpenMiningRound](round),
	})
	if err != nil {
		return ledger.Submission{}, err
	}
	return ledger.Submission{
		Key: operatorCoinKey, Identity: ledger.DefaultUser(participantAdmin), CommandID: "operator-coin",
		SubmissionID: operatorCoinKey, ActAs: []ledger.Party{node.Operator}, ReadAs: []ledger.Party{node.DSO},
		Commands: []ledger.Command{{Exercise: &ledger.ExerciseCommand{
			Template: template, Contract: rules, Choice: "AmuletRules_DevNet_Tap", Argument: argument,
		}}},
		ReceivedAt: now, Kind: ledger.KindBootstrap,
	}, nil
}
