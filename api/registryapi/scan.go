package registryapi

import (
	"context"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
)

// showUnlessCached returns a contract, without its content if the caller has it.
func (a *API) showUnlessCached(contract ledger.Contract, known ...string) (v0.MaybeCachedContractWithState, error) {
	if slices.Contains(known, string(contract.ID)) {
		return v0.MaybeCachedContractWithState{DomainID: &a.node.SynchronizerID}, nil
	}
	shown, err := v0.ToAPIContract(a.packages, contract)
	return v0.MaybeCachedContractWithState{Contract: &shown, DomainID: &a.node.SynchronizerID}, err
}

// GetAmuletRulesRequest names the contract that the caller has cached.
type GetAmuletRulesRequest struct {
	ContractID string `json:"cached_amulet_rules_contract_id" doc:"The contract that the caller has"`
	DomainID   string `json:"cached_amulet_rules_domain_id" doc:"Synchronizer of that contract"`
}

// GetAmuletRulesResponse is the contract with the rules of the coin.
type GetAmuletRulesResponse struct {
	Update v0.MaybeCachedContractWithState `json:"amulet_rules_update" required:"true" doc:"The rules of the coin"`
}

type scanAmuletRulesRequest struct {
	Body GetAmuletRulesRequest `body:"json"`
}

func (a *API) scanAmuletRules(
	ctx context.Context, req scanAmuletRulesRequest,
) (response GetAmuletRulesResponse, err error) {
	rules, err := a.findNewest(ctx, amuletRules)
	if err != nil {
		return response, err
	}
	response.Update, err = a.showUnlessCached(rules, req.Body.ContractID)
	return response, err
}

// GetExternalPartyAmuletRulesRequest names the contract that the caller has cached.
type GetExternalPartyAmuletRulesRequest struct {
	ContractID string `json:"cached_external_party_amulet_rules_contract_id" doc:"The contract that the caller has"`
	DomainID   string `json:"cached_external_party_amulet_rules_domain_id" doc:"Synchronizer of that contract"`
}

// GetExternalPartyAmuletRulesResponse is the contract with the coin's rules for external parties.
type GetExternalPartyAmuletRulesResponse struct {
	Update v0.MaybeCachedContractWithState `json:"external_party_amulet_rules_update" required:"true" doc:"The rules"`
}

type scanExternalPartyRulesRequest struct {
	Body GetExternalPartyAmuletRulesRequest `body:"json"`
}

func (a *API) scanExternalPartyRules(
	ctx context.Context, req scanExternalPartyRulesRequest,
) (response GetExternalPartyAmuletRulesResponse, err error) {
	rules, err := a.findNewest(ctx, externalPartyRules)
	if err != nil {
		return response, err
	}
	response.Update, err = a.showUnlessCached(rules, req.Body.ContractID)
	return response, err
}

// GetOpenAndIssuingMiningRoundsRequest names the rounds that the caller has cached.
type GetOpenAndIssuingMiningRoundsRequest struct {
	OpenIDs    []string `json:"cached_open_mining_round_contract_ids" doc:"Open rounds that the caller has"`
	IssuingIDs []string `json:"cached_issuing_round_contract_ids" doc:"Issuing rounds that the caller has"`
}

// GetOpenAndIssuingMiningRoundsResponse has the rounds by contract id, oldest first: clients take the last one that
// covers the present.
type GetOpenAndIssuingMiningRoundsResponse struct {
	TimeToLive int64 `json:"time_to_live_in_microseconds" required:"true" doc:"How long caches may keep the answer"`

	Open    contractsByID `json:"open_mining_rounds" required:"true" doc:"Rounds to transfer in, oldest first"`
	Issuing contractsByID `json:"issuing_mining_rounds" required:"true" doc:"Rounds to mint for, oldest first"`
}

type contractsByID = endpoint.Ordered[v0.MaybeCachedContractWithState]

type scanRoundsRequest struct {
	Body GetOpenAndIssuingMiningRoundsRequest `body:"json"`
}

// roundsTimeToLive is how long clients may cache the rounds, in microseconds: a tenth of a tick.
const roundsTimeToLive = 60 * 1_000_000

func (a *API) scanRounds(
	ctx context.Context, req scanRoundsRequest,
) (response GetOpenAndIssuingMiningRoundsResponse, err error) {
	open, issuing, err := a.rounds(ctx)
	if err != nil {
		return response, err
	}
	response.TimeToLive = roundsTimeToLive
	if response.Open, err = a.byContractID(open, req.Body.OpenIDs); err != nil {
		return response, err
	}
	response.Issuing, err = a.byContractID(issuing, req.Body.IssuingIDs)
	return response, err
}

func (a *API) byContractID(contracts []ledger.Contract, known []string) (contractsByID, error) {
	shown := make(contractsByID, len(contracts))
	for i, contract := range contracts {
		cached, err := a.showUnlessCached(contract, known...)
		if err != nil {
			return nil, err
		}
		shown[i] = endpoint.Entry[v0.MaybeCachedContractWithState]{Key: string(contract.ID), Value: cached}
	}
	return shown, nil
}

// GetSpliceInstanceNamesResponse has the network's names for the coin and itself.
type GetSpliceInstanceNamesResponse struct {
	NetworkName            string `json:"network_name" required:"true" doc:"Name of the network"`
	NetworkFaviconURL      string `json:"network_favicon_url" required:"true" doc:"Icon of the network; empty"`
	AmuletName             string `json:"amulet_name" required:"true" doc:"Name of the coin"`
	AmuletNameAcronym      string `json:"amulet_name_acronym" required:"true" doc:"Short name of the coin"`
	NameServiceName        string `json:"name_service_name" required:"true" doc:"Name of the name service"`
	NameServiceNameAcronym string `json:"name_service_name_acronym" required:"true" doc:"Short name of the name service"`
}

// The coin's names, the same as LocalNet's.
const (
	coinName   = "Amulet"
	coinSymbol = "AMT"
)

func (a *API) instanceNames(context.Context, endpoint.NoRequest) (GetSpliceInstanceNamesResponse, error) {
	return GetSpliceInstanceNamesResponse{
		NetworkName: "Florin", AmuletName: coinName, AmuletNameAcronym: coinSymbol,
		NameServiceName: "Amulet Name Service", NameServiceNameAcronym: "ANS",
	}, nil
}

type trafficStatusRequest struct {
	DomainID string `path:"domain_id" doc:"The synchronizer"`
	MemberID string `path:"member_id" doc:"The member: PAR:: and the participant's id"`
}

// GetMemberTrafficStatusResponse has the extra traffic of a member.
type GetMemberTrafficStatusResponse struct {
	TrafficStatus MemberTrafficStatus `json:"traffic_status" required:"true" doc:"Traffic of the member"`
}

// MemberTrafficStatus is a member's traffic at the synchronizer and on the ledger.
type MemberTrafficStatus struct {
	Actual ActualMemberTraffic `json:"actual" required:"true" doc:"State at the synchronizer"`
	Target TargetMemberTraffic `json:"target" required:"true" doc:"State on the ledger"`
}

// ActualMemberTraffic is in bytes.
type ActualMemberTraffic struct {
	TotalConsumed int64 `json:"total_consumed" required:"true" doc:"Used extra traffic"`
	TotalLimit    int64 `json:"total_limit" required:"true" doc:"Granted extra traffic"`
}

// TargetMemberTraffic is in bytes.
type TargetMemberTraffic struct {
	TotalPurchased int64 `json:"total_purchased" required:"true" doc:"Purchased extra traffic"`
}

// trafficStatus returns the traffic that was bought for the member according to the ledger, and what the synchronizer
// granted and charged. The synchronizer keeps an account only for this node's participant. Other members got what was
// bought for them and were charged nothing, because they sent nothing through it.
func (a *API) trafficStatus(
	ctx context.Context, req trafficStatusRequest,
) (response GetMemberTrafficStatusResponse, err error) {
	if !a.node.IsSynchronizer(req.DomainID) {
		return response, v0.NotFound("No synchronizer %s: this node's is %s", req.DomainID, a.node.SynchronizerID)
	}
	head, err := a.record.Head(ctx)
	if err != nil {
		return response, err
	}
	member, own := req.MemberID, coin.MemberOf(a.node.ParticipantID)
	if member == a.node.ParticipantID {
		member = own
	}
	purchased, known, err := a.record.MemberTraffic(ctx, member, a.node.SynchronizerID)
	if err != nil {
		return response, err
	}
	if !known && member != own {
		return response, v0.NotFound("No traffic state found for member %s: it is not this node's participant, %s, and "+
			"nobody bought traffic for it", req.MemberID, own)
	}
	response.TrafficStatus.Target.TotalPurchased = purchased
	response.TrafficStatus.Actual.TotalLimit = purchased
	if member == own {
		response.TrafficStatus.Actual = ActualMemberTraffic{
			TotalConsumed: head.Traffic.Used(), TotalLimit: head.Traffic.Limit(),
		}
	}
	return response, nil
}

// GetValidatorUserInfoResponse is the operator of the node.
type GetValidatorUserInfoResponse struct {
	PartyID  ledger.Party `json:"party_id" required:"true" doc:"The operator's party"`
	UserName string       `json:"user_name" required:"true" doc:"The operator's wallet user"`
	Featured bool         `json:"featured" required:"true" doc:"Whether the operator is a featured app"`
}

func (a *API) validatorUser(
	ctx context.Context, _ endpoint.NoRequest,
) (GetValidatorUserInfoResponse, error) {
	_, featured, err := a.newestFeaturedRight(ctx, a.node.Operator)
	return GetValidatorUserInfoResponse{
		PartyID: a.node.Operator, UserName: a.node.OperatorUser, Featured: featured,
	}, err
}
