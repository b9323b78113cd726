package walletapi

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// allocationRequests is the interface of requests to set coin aside, which are contracts of apps.
const allocationRequests = "#splice-api-token-allocation-request-v1:" +
	"Splice.Api.Token.AllocationRequestV1:AllocationRequest"

// ListAllocationRequestsResponse has the requests that name the caller.
type ListAllocationRequestsResponse struct {
	Requests []ListedAllocation `json:"allocation_requests" required:"true" doc:"Oldest first; at most 1000"`
}

func (a *API) listAllocationRequests(
	ctx context.Context, _ endpoint.NoRequest,
) (response ListAllocationRequestsResponse, err error) {
	w, err := a.Caller(ctx, "listAllocationRequests")
	if err != nil {
		return response, err
	}
	packages, err := a.Catalog.For(ctx) // also the uploaded packages of apps
	if err != nil {
		return response, err
	}
	name, templates, err := allocationRequestTemplates(packages)
	if err != nil || len(templates) == 0 {
		return response, err
	}
	picked := validator.NewFairList[ledger.Contract](validator.MaxContracts, w.Party, a.Node.DSO)
	named := db.NamedQuery{Party: w.Party, Templates: templates}
	err = a.EachNamed(ctx, named, func(_ context.Context, stored db.StoredContract) (bool, error) {
		picked.Add(stored.Contract, stored.Contract)
		return true, nil
	})
	if err == nil {
		err = budget.Of(ctx).Take(picked.Bytes)
	}
	if err != nil {
		return response, err
	}
	asking, err := findRequests(ctx, packages, picked.ByMaker(), name, w.Party)
	if err != nil {
		return response, err
	}
	for _, contract := range picked.Items() {
		if !asking[contract.ID] {
			continue
		}
		shown, err := v0.ToAPIContract(packages, contract)
		if err != nil {
			return response, err
		}
		response.Requests = append(response.Requests, ListedAllocation{shown})
	}
	return response, nil
}

// requestSteps limits the total cost of the views of a list, a tenth of a second of a core: anybody can make contracts
// with costly views that name the reader. Views of published apps cost about 50 steps each.
const requestSteps = ledger.MaxCodeSteps / 5

// findRequests finds the contracts that ask a party to set coin aside, among contracts in the order of
// [validator.FairList.ByMaker]. All makers have equal shares of requestSteps, and later makers get what earlier ones
// leave, so that a maker of costly contracts cannot hide the requests of others. A contract whose view fails or has no
// share left is not a request.
func findRequests(
	ctx context.Context, packages *ledger.Packages, makers [][]ledger.Contract, name lf.TypeName, party ledger.Party,
) (map[ledger.ContractID]bool, error) {
	asking, steps := map[ledger.ContractID]bool{}, int64(requestSteps)
	for i, made := range makers {
		share := steps / int64(len(makers)-i)
		views, left := ledger.WithViewsUpTo(ctx, share)
		for _, contract := range made {
			if left() == 0 {
				break
			}
			names, err := namesSender(views, packages, contract, name, party)
			if ctx.Err() != nil {
				return nil, err
			}
			asking[contract.ID] = err == nil && names
		}
		steps -= share - left()
	}
	return asking, nil
}

// allocationRequestTemplates returns the templates that implement the interface of requests, and the interface.
func allocationRequestTemplates(packages *ledger.Packages) (name lf.TypeName, templates []string, err error) {
	reference, err := lf.ParseTypeName(allocationRequests)
	if err != nil {
		return name, nil, fault.Internal(err)
	}
	name, refusal := packages.ResolveTemplate(reference, nil)
	if refusal != nil {
		return name, nil, refusal
	}
	for _, template := range packages.Implementers(name) {
		templates = append(templates, template.String())
	}
	slices.SortFunc(templates, cmp.Compare)
	return name, templates, nil
}

// namesSender reports whether a request asks a party to set coin aside.
func namesSender(
	ctx context.Context, packages *ledger.Packages, c ledger.Contract, name lf.TypeName, party ledger.Party,
) (bool, error) {
	content, ok, err := packages.View(ctx, c, name)
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

// RejectAllocationRequestResponse has the metadata that the app returns.
type RejectAllocationRequestResponse struct {
	Meta map[string]string `json:"meta" required:"true" doc:"Metadata of the token standard"`
}

// rejectAllocationRequest rejects in the caller's name; the request must name the caller.
func (a *API) rejectAllocationRequest(
	ctx context.Context, req contractRequest,
) (none validator.Composed[RejectAllocationRequestResponse], err error) {
	w, err := a.Caller(ctx, "rejectAllocationRequest")
	if err != nil {
		return none, err
	}
	packages, err := a.Catalog.For(ctx) // also the uploaded packages of apps
	if err != nil {
		return none, err
	}
	name, templates, err := allocationRequestTemplates(packages)
	if err != nil {
		return none, err
	}
	stored, found, err := a.record.Contract(ctx, ledger.ContractID(req.ID))
	if err != nil {
		return none, err
	}
	names := false
	if found && stored.Archived == nil && slices.Contains(templates, stored.Template.String()) &&
		stored.IsStakeholder(w.Party) {
		if names, err = namesSender(ctx, packages, stored.Contract, name, w.Party); err != nil {
			return none, err
		}
	}
	if !names {
		return none, v0.NotFound("AllocationRequest '%s' not found.", req.ID)
	}
	argument, err := ledger.Encode(a.Packages, token.AllocationRequestReject{Actor: w.Party})
	if err != nil {
		return none, fault.Internal(err)
	}
	rejected := validator.ComposedOf[token.ChoiceExecutionMetadata](a.Base, w, validator.Change{
		ActAs: []ledger.Party{w.Party}, Commands: []ledger.Command{{Exercise: &ledger.ExerciseCommand{
			Template: name, Contract: stored.ID, Choice: "AllocationRequest_Reject", Argument: argument,
		}}},
	})
	return validator.MapAnswer(rejected, func(
		result token.ChoiceExecutionMetadata,
	) (RejectAllocationRequestResponse, error) {
		return RejectAllocationRequestResponse{Meta: result.Meta.Values}, nil
	}), nil
}
