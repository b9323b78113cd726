package coin

import (
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/ledger"
)

// MemberOf is the id of a participant as a member of its synchronizer.
func MemberOf(participantID string) string { return "PAR::" + participantID }

// TrafficRulesOf are the traffic rules for a member of a synchronizer: the free traffic of a new network, and the
// purchases for the member in the network's [MemberTraffic] contracts.
func TrafficRulesOf(memberID, synchronizerID string) ledger.TrafficRules {
	limits := DefaultConfig(synchronizerID).DecentralizedSynchronizer.Fees.BaseRateTrafficLimits
	return ledger.TrafficRules{
		BaseBurst: limits.BurstAmount, BaseWindow: limits.BurstWindow.Duration(),
		Stake: func(contract ledger.Contract) (int64, error) {
			return trafficStake(contract, memberID, synchronizerID)
		},
		Vital: asksForTraffic,
	}
}

// asksForTraffic reports whether a transaction only requests traffic: without such transactions, a node with no traffic
// left could never get any.
func asksForTraffic(created, archived []ledger.Contract) bool {
	for _, contract := range created {
		if !contract.InNetwork || contract.PackageName != "splice-wallet" ||
			contract.Template.QualifiedName() != "Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest" {
			return false
		}
	}
	return len(created) == 1 && len(archived) == 0
}

// IsMemberTraffic reports whether a contract is a [MemberTraffic] of the network.
func IsMemberTraffic(contract ledger.Contract) bool {
	return contract.InNetwork && contract.PackageName == "splice-amulet" &&
		contract.Template.QualifiedName() == "Splice.DecentralizedSynchronizer:MemberTraffic"
}

func trafficStake(contract ledger.Contract, memberID, synchronizerID string) (int64, error) {
	if !IsMemberTraffic(contract) {
		return 0, nil
	}
	var traffic struct {
		MemberID       string `json:"memberId"`
		SynchronizerID string `json:"synchronizerId"`
		TotalPurchased int64  `json:"totalPurchased,string"`
	}
	if err := json.Unmarshal(contract.Payload, &traffic); err != nil {
		return 0, fmt.Errorf("read a MemberTraffic: %w", err)
	}
	if traffic.MemberID != memberID || traffic.SynchronizerID != synchronizerID {
		return 0, nil
	}
	return traffic.TotalPurchased, nil
}
