package registryapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger"
)

// GetDsoPartyIDResponse names the DSO.
type GetDsoPartyIDResponse struct {
	DSOPartyID ledger.Party `json:"dso_party_id" required:"true" doc:"The party of the DSO"`
}

func (a *API) dsoPartyID(context.Context, endpoint.NoRequest) (GetDsoPartyIDResponse, error) {
	return GetDsoPartyIDResponse{DSOPartyID: a.node.DSO}, nil
}

// GetDsoInfoResponse has information about the network for wallets.
type GetDsoInfoResponse struct {
	SvUser            string                 `json:"sv_user" required:"true" doc:"User who operates the network"`
	SvPartyID         ledger.Party           `json:"sv_party_id" required:"true" doc:"Party of that user"`
	DSOPartyID        ledger.Party           `json:"dso_party_id" required:"true" doc:"The party of the DSO"`
	VotingThreshold   int32                  `json:"voting_threshold" required:"true" doc:"Votes for a change: 1"`
	LatestMiningRound v0.ContractWithState   `json:"latest_mining_round" required:"true" doc:"The newest open round"`
	AmuletRules       v0.ContractWithState   `json:"amulet_rules" required:"true" doc:"The rules of the coin"`
	DSORules          *v0.ContractWithState  `json:"dso_rules" doc:"Governance rules; null if the network started without them"`
	SvNodeStates      []v0.ContractWithState `json:"sv_node_states" required:"true" doc:"Empty: the network is one node"`
	InitialRound      *string                `json:"initial_round" doc:"The first round of the network"`
}

func (a *API) dsoInfo(ctx context.Context, _ endpoint.NoRequest) (GetDsoInfoResponse, error) {
	rules, err := a.findNewest(ctx, amuletRules)
	if err != nil {
		return GetDsoInfoResponse{}, err
	}
	newest, err := a.findNewest(ctx, openRounds)
	if err != nil {
		return GetDsoInfoResponse{}, err
	}
	shown, err := v0.ToAPIContractsWithState(a.packages, []ledger.Contract{rules, newest}, a.node.SynchronizerID)
	if err != nil {
		return GetDsoInfoResponse{}, err
	}
	found, err := a.listActive(ctx, dsoRules, a.node.DSO)
	if err != nil {
		return GetDsoInfoResponse{}, err
	}
	first := "0"
	response := GetDsoInfoResponse{
		SvUser: a.node.OperatorUser, SvPartyID: a.node.Operator, DSOPartyID: a.node.DSO, VotingThreshold: 1,
		AmuletRules: shown[0], LatestMiningRound: shown[1], InitialRound: &first,
	}
	if len(found) > 0 {
		current, err := v0.ToAPIContractWithState(a.packages, found[len(found)-1], a.node.SynchronizerID)
		response.DSORules = &current
		return response, err
	}
	return response, nil
}

// GetAmuletRulesProxyResponse is the contract with the rules of the coin.
type GetAmuletRulesProxyResponse struct {
	AmuletRules v0.ContractWithState `json:"amulet_rules" required:"true" doc:"The rules of the coin"`
}

func (a *API) amuletRules(ctx context.Context, _ endpoint.NoRequest) (GetAmuletRulesProxyResponse, error) {
	rules, err := a.findNewest(ctx, amuletRules)
	if err != nil {
		return GetAmuletRulesProxyResponse{}, err
	}
	shown, err := v0.ToAPIContractWithState(a.packages, rules, a.node.SynchronizerID)
	return GetAmuletRulesProxyResponse{AmuletRules: shown}, err
}

// GetOpenAndIssuingMiningRoundsProxyResponse has the rounds, oldest first: clients take the last one that covers the
// present.
type GetOpenAndIssuingMiningRoundsProxyResponse struct {
	OpenMiningRounds    []v0.ContractWithState `json:"open_mining_rounds" required:"true" doc:"Rounds to transfer in"`
	IssuingMiningRounds []v0.ContractWithState `json:"issuing_mining_rounds" required:"true" doc:"Rounds to mint for"`
}

func (a *API) miningRounds(
	ctx context.Context, _ endpoint.NoRequest,
) (response GetOpenAndIssuingMiningRoundsProxyResponse, err error) {
	open, issuing, err := a.rounds(ctx)
	if err != nil {
		return response, err
	}
	if response.OpenMiningRounds, err = v0.ToAPIContractsWithState(a.packages, open, a.node.SynchronizerID); err != nil {
		return response, err
	}
	response.IssuingMiningRounds, err = v0.ToAPIContractsWithState(a.packages, issuing, a.node.SynchronizerID)
	return response, err
}

// rounds returns the open and the issuing rounds, each by number.
func (a *API) rounds(ctx context.Context) (open, issuing []ledger.Contract, err error) {
	if open, err = a.listActive(ctx, openRounds, a.node.DSO); err != nil {
		return nil, nil, err
	}
	if issuing, err = a.listActive(ctx, issuingRounds, a.node.DSO); err != nil {
		return nil, nil, err
	}
	if open, err = byNumber(open); err != nil {
		return nil, nil, err
	}
	issuing, err = byNumber(issuing)
	return open, issuing, err
}

// round has the common fields of rounds.
type round struct {
	Round struct {
		Number int64 `json:"number,string"`
	} `json:"round"`
	OpensAt        time.Time `json:"opensAt"`
	TargetClosesAt time.Time `json:"targetClosesAt"`
}

func byNumber(contracts []ledger.Contract) ([]ledger.Contract, error) {
	numbers := make(map[ledger.ContractID]int64, len(contracts))
	for _, contract := range contracts {
		payload, err := payloadOf[round](contract)
		if err != nil {
			return nil, err
		}
		numbers[contract.ID] = payload.Round.Number
	}
	slices.SortStableFunc(contracts, func(a, b ledger.Contract) int { return cmp.Compare(numbers[a.ID], numbers[b.ID]) })
	return contracts, nil
}

// ListExternalPartyConfigStatesResponse has the states for transfers of external parties.
type ListExternalPartyConfigStatesResponse struct {
	States []v0.ContractWithState `json:"external_party_config_states" required:"true" doc:"Oldest first"`
}

func (a *API) configStates(
	ctx context.Context, _ endpoint.NoRequest,
) (response ListExternalPartyConfigStatesResponse, err error) {
	states, err := a.listActive(ctx, configStates, a.node.DSO)
	if err != nil {
		return response, err
	}
	response.States, err = v0.ToAPIContractsWithState(a.packages, states, a.node.SynchronizerID)
	return response, err
}

// ListUnclaimedDevelopmentFundCouponsResponse has the unclaimed coupons of the development fund.
type ListUnclaimedDevelopmentFundCouponsResponse struct {
	Coupons []v0.ContractWithState `json:"unclaimed-development-fund-coupons" required:"true" doc:"Oldest first"`
}

func (a *API) developmentFundCoupons(
	ctx context.Context, _ endpoint.NoRequest,
) (response ListUnclaimedDevelopmentFundCouponsResponse, err error) {
	coupons, err := a.listActive(ctx, fundCoupons, a.node.DSO)
	if err != nil {
		return response, err
	}
	response.Coupons, err = v0.ToAPIContractsWithState(a.packages, coupons, a.node.SynchronizerID)
	return response, err
}
