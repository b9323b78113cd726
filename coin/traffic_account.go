package coin

import (
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/ledger"
)

// MemberOf is the id of a participant as a member of its synchronizer.
func MemberOf(participantID string) string { return "PAR::" + participantID }

// TrafficRulesOf are the conditions under which a member of a synchronizer pays for its traffic: the free traffic that
// a network grants when it starts, and what the network's [MemberTraffic] contracts say that was bought for the member.
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

// asksForTraffic tells transactions that do nothing but ask the network for traffic: a node that has none left could
// not get any without them.
func asksForTraffic(created, archived []ledger.Contract) bool {
	for _, contract := range created {
		if !contract.InNetwork || contract.PackageName != "splice-wallet" ||
			contract.Template.QualifiedName() != "Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest" {
			return false
		}
	}
	return len(created) == 1 && len(archived) == 0
}

// IsMemberTraffic reports whether a contract is one of the network's that say what was bought for a member.
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
