package walletapi

import (
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
	"github.com/florinledger/florin/wallet/tokens"
)

// allocationRequests is the interface of requests to set coin aside, which are contracts of apps.
const allocationRequests = "#splice-api-token-allocation-request-v1:" +
	"Splice.Api.Token.AllocationRequestV1:AllocationRequest"

// ListAllocationRequestsResponse has the requests that name the caller.
type ListAllocationRequestsResponse struct {
	Requests []ListedAllocation `json:"allocation_requests" required:"true" doc:"Oldest first; at most 1000. The template is the token standard's interface, and the payload is what the app's code says in its form: settlement, legs and metadata"`
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
	views, err := findRequests(ctx, packages, picked.ByMaker(), name, w.Party)
	if err != nil {
		return response, err
	}
	for _, contract := range picked.Items() {
		view, isAsking := views[contract.ID]
		if !isAsking {
			continue
		}
		shown, err := v0.ToAPIView(packages, contract, name, view)
		if err != nil {
			return response, err
		}
		response.Requests = append(response.Requests, ListedAllocation{shown})
	}
	return response, nil
}

// findRequests finds the views of contracts that ask a party to set something aside, among contracts in the order of
// [validator.FairList.ByMaker]. A contract whose view fails, costs too much or is too large is not a request.
func findRequests(
	ctx context.Context, packages *ledger.Packages, makers [][]ledger.Contract, name lf.TypeName, party ledger.Party,
) (map[ledger.ContractID][]byte, error) {
	asking, bytes := map[ledger.ContractID][]byte{}, int64(0)
	err := validator.EachView(ctx, packages, makers, name, func(contract ledger.Contract, view []byte, err error) {
		if err == nil && len(view) <= tokens.MaxViewBytes && namesSender(view, party) {
			asking[contract.ID] = view
			bytes += int64(len(view))
		}
	})
	if err == nil {
		err = budget.Of(ctx).Take(bytes)
	}
	return asking, err
}

// allocationRequestTemplates returns the templates that implement the interface of requests, and the interface.
func allocationRequestTemplates(packages *ledger.Packages) (name lf.TypeName, templates []string, err error) {
	name, implementers, err := validator.Implementers(packages, allocationRequests)
	for _, template := range implementers {
		templates = append(templates, template.String())
	}
	return name, templates, err
}

// namesSender reports whether the view of a request asks a party to set coin aside.
func namesSender(content []byte, party ledger.Party) bool {
	var view struct {
		TransferLegs map[string]struct{ Sender ledger.Party }
	}
	if json.Unmarshal(content, &view) != nil {
		return false
	}
	for _, leg := range view.TransferLegs {
		if leg.Sender == party {
			return true
		}
	}
	return false
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
		view, _, err := packages.View(ctx, stored.Contract, name)
		if err != nil {
			return none, err
		}
		names = namesSender(view, w.Party)
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
