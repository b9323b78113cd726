package registryapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
)

// AnsEntry is a name of the network's name service.
type AnsEntry struct {
	ContractID  *string             `json:"contract_id" doc:"The contract; null for names that are built in"`
	User        string              `json:"user" required:"true" doc:"Party that owns the name"`
	Name        string              `json:"name" required:"true" doc:"The name"`
	URL         string              `json:"url" required:"true" doc:"Web page of the name"`
	Description string              `json:"description" required:"true" doc:"Description"`
	ExpiresAt   *endpoint.Timestamp `json:"expires_at" doc:"Expiry time; null for no expiry"`
}

// ListEntriesResponse has names of the name service.
type ListEntriesResponse struct {
	Entries []AnsEntry `json:"entries" required:"true" doc:"Always empty: this network has no name service"`
}

// LookupEntryResponse has the name.
type LookupEntryResponse struct {
	Entry AnsEntry `json:"entry" required:"true" doc:"The name"`
}

// GetAnsRulesResponse has the rules of the name service.
type GetAnsRulesResponse struct {
	AnsRulesUpdate v0.MaybeCachedContractWithState `json:"ans_rules_update" required:"true" doc:"The rules"`
}

type listEntriesRequest struct {
	NamePrefix string `query:"name_prefix" doc:"Prefix of the names"`
	PageSize   *int32 `query:"page_size" doc:"Maximum number of names, 1 to 1000"`
}

// maxPage is the maximum page size.
const maxPage = 1000

// ansEntries returns an empty list: names are contracts of a package that wallets do not need to move coin.
func (a *API) ansEntries(_ context.Context, req listEntriesRequest) (ListEntriesResponse, error) {
	switch {
	case req.PageSize == nil:
		return ListEntriesResponse{}, v0.BadRequest("Request is missing required query parameter 'page_size'")
	case *req.PageSize < 1:
		return ListEntriesResponse{}, v0.BadRequest("Limit must be at least 1.")
	case *req.PageSize > maxPage:
		return ListEntriesResponse{}, v0.BadRequest("Exceeded limit maximum (%d > %d).", *req.PageSize, maxPage)
	default:
		return ListEntriesResponse{}, nil
	}
}

type byNameRequest struct {
	Name string `path:"name" doc:"The name"`
}

func (a *API) ansEntryByName(_ context.Context, req byNameRequest) (LookupEntryResponse, error) {
	return LookupEntryResponse{}, v0.NotFound("No ans entry found for name: %s", req.Name)
}

func (a *API) ansEntryByParty(_ context.Context, req byPartyRequest) (LookupEntryResponse, error) {
	party, err := partyOf(req.Party)
	if err != nil {
		return LookupEntryResponse{}, err
	}
	return LookupEntryResponse{}, v0.NotFound("No ans entry found for party: %s", party)
}

// GetAnsRulesRequest names the contract that the caller has cached.
type GetAnsRulesRequest struct {
	ContractID *string `json:"cached_ans_rules_contract_id" doc:"The contract that the caller has"`
	DomainID   *string `json:"cached_ans_rules_domain_id" doc:"Synchronizer of that contract"`
}

type ansRulesRequest struct {
	Body GetAnsRulesRequest `body:"json"`
}

func (a *API) ansRules(context.Context, ansRulesRequest) (GetAnsRulesResponse, error) {
	return GetAnsRulesResponse{}, v0.NotFound("No AnsRules found: this network has no name service")
}
