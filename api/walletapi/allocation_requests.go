package walletapi

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/budget"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// allocationRequests is the interface of requests to set coin aside, which are contracts of apps.
const allocationRequests = "#splice-api-token-allocation-request-v1:" +
	"Splice.Api.Token.AllocationRequestV1:AllocationRequest"

// ListAllocationRequestsResponse are the requests that name the caller.
type ListAllocationRequestsResponse struct {
	Requests []ListedAllocation `json:"allocation_requests" required:"true" doc:"Oldest first; at most 1000"`
}

func (a *API) listAllocationRequests(
	ctx context.Context, _ endpoint.NoRequest,
) (response ListAllocationRequestsResponse, err error) {
	w, err := a.caller(ctx, "listAllocationRequests")
	if err != nil {
		return response, err
	}
	name, templates, err := a.allocationRequestTemplates()
	if err != nil || len(templates) == 0 {
		return response, err
	}
	picked := newFairList[ledger.Contract](maxContracts, w.party, a.node.DSO)
	named := db.Named{Party: w.party, Templates: templates}
	err = a.eachNamed(ctx, named, func(_ context.Context, stored db.StoredContract) (bool, error) {
		// A contract whose view cannot be read asks for nothing.
		if names, err := a.namesSender(stored.Contract, name, w.party); err == nil && names {
			picked.add(stored.Contract, stored.Contract)
		}
		return true, nil
	})
	if err == nil {
		err = budget.Of(ctx).Take(picked.bytes)
	}
	if err != nil {
		return response, err
	}
	for _, contract := range picked.items() {
		shown, err := v0.ToAPIContract(a.packages, contract)
		if err != nil {
			return response, err
		}
		response.Requests = append(response.Requests, ListedAllocation{shown})
	}
	return response, nil
}

// allocationRequestTemplates are the templates of requests, and the interface that makes them so.
func (a *API) allocationRequestTemplates() (name lf.TypeName, templates []string, err error) {
	reference, err := lf.ParseTypeName(allocationRequests)
	if err != nil {
		return name, nil, fault.Internal(err)
	}
	name, refusal := a.packages.ResolveTemplate(reference, nil)
	if refusal != nil {
		return name, nil, refusal
	}
	for _, template := range a.packages.Implementers(name) {
		templates = append(templates, template.String())
	}
	slices.SortFunc(templates, cmp.Compare)
	return name, templates, nil
}

// namesSender reports whether a request asks a party to set coin aside.
func (a *API) namesSender(c ledger.Contract, name lf.TypeName, party ledger.Party) (bool, error) {
	content, ok, err := a.packages.View(c, name)
	if err != nil || !ok {
		return false, err
	}
	var view struct {
		TransferLegs map[string]struct{ Sender ledger.Party }
	}
	if err := json.Unmarshal(content, &view); err != nil {
		return false, err
	}
	for _, leg := range view.TransferLegs {
		if leg.Sender == party {
			return true, nil
		}
	}
	return false, nil
}

// RejectAllocationRequestResponse is what the app says of it.
type RejectAllocationRequestResponse struct {
	Meta map[string]string `json:"meta" required:"true" doc:"What the token standard says of it"`
}

// rejectAllocationRequest declines in the caller's name, who must be asked by the request.
func (a *API) rejectAllocationRequest(
	ctx context.Context, req contractRequest,
) (response RejectAllocationRequestResponse, err error) {
	w, err := a.caller(ctx, "rejectAllocationRequest")
	if err != nil {
		return response, err
	}
	name, templates, err := a.allocationRequestTemplates()
	if err != nil {
		return response, err
	}
	stored, found, err := a.record.Contract(ctx, ledger.ContractID(req.ID))
	if err != nil {
		return response, err
	}
	names := false
	if found && stored.Archived == nil && slices.Contains(templates, stored.Template.String()) &&
		stored.IsStakeholder(w.party) {
		if names, err = a.namesSender(stored.Contract, name, w.party); err != nil {
			return response, err
		}
	}
	if !names {
		return response, v0.NotFound("AllocationRequest '%s' not found.", req.ID)
	}
	argument, err := ledger.Encode(a.packages, token.AllocationRequestReject{Actor: w.party})
	if err != nil {
		return response, fault.Internal(err)
	}
	update, err := a.submit(ctx, change{
		ActAs: []ledger.Party{w.party}, Commands: []ledger.Command{{Exercise: &ledger.ExerciseCommand{
			Template: name, Contract: stored.ID, Choice: "AllocationRequest_Reject", Argument: argument,
		}}},
	})
	if err != nil {
		return response, err
	}
	result, err := resultOf[token.ChoiceExecutionMetadata](a, update)
	return RejectAllocationRequestResponse{Meta: result.Meta.Values}, err
}
