package packages

import (
	"context"
	"fmt"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// validateDescription describes the check of stored contracts.
const validateDescription = uploadDescription + " With activeContracts=true the answer also says which active contracts " +
	"of older versions commands could no longer use if the packages were vetted: where the new version computes other " +
	"signatories, observers or keys, or refuses the payload. A call checks at most 10000 contracts."

type validateRequest struct {
	SynchronizerID  string `query:"synchronizerId" doc:"Optional: there is only one"`
	ActiveContracts *bool  `query:"activeContracts" doc:"Whether to check the active contracts, too; default false"`
	ContractsAfter  string `query:"contractsAfter" doc:"continueAfter of the previous answer, to check the contracts after it"`
	DAR             []byte `body:"bytes" doc:"The archive"`
}

// ValidateDARResponse says which active contracts the new versions could not use.
type ValidateDARResponse struct {
	Templates     []CheckedTemplate `json:"templates" required:"true" doc:"The templates with checked contracts; none without activeContracts=true"`
	ContinueAfter *string           `json:"continueAfter" doc:"Value of contractsAfter for the other contracts; null at the end"`
}

// CheckedTemplate has the checked contracts of a template.
type CheckedTemplate struct {
	TemplateID  lf.TypeName         `json:"templateId" required:"true" doc:"The template in the new version"`
	PackageName string              `json:"packageName" required:"true" doc:"Name of its package"`
	Contracts   int64               `json:"contracts" required:"true" doc:"Number of checked contracts"`
	Unreadable  int64               `json:"unreadable" required:"true" doc:"Number of those that the new version cannot use"`
	Reasons     []UnreadableBecause `json:"reasons" required:"true" doc:"Why, one for each error code"`
}

// UnreadableBecause is the error that commands would get.
type UnreadableBecause struct {
	Code              string `json:"code" required:"true" doc:"Error code"`
	Cause             string `json:"cause" required:"true" doc:"Error text for the example"`
	Contracts         int64  `json:"contracts" required:"true" doc:"Number of contracts"`
	ExampleContractID string `json:"exampleContractId" required:"true" doc:"One of them"`
}

func (a *API) validateDAR(ctx context.Context, req validateRequest) (ValidateDARResponse, error) {
	answer := ValidateDARResponse{Templates: []CheckedTemplate{}}
	if err := a.node.CheckSynchronizer(req.SynchronizerID, "synchronizer_id"); err != nil {
		return answer, err
	}
	if req.ActiveContracts == nil || !*req.ActiveContracts {
		return answer, a.catalog.Validate(ctx, req.DAR)
	}
	after, err := fromAPIPosition(req.ContractsAfter)
	if err != nil {
		return answer, err
	}
	found, err := a.catalog.CheckContracts(ctx, req.DAR, after)
	if err != nil {
		return answer, err
	}
	if found.Next != nil {
		next := fmt.Sprintf("%d-%d", found.Next.Offset, found.Next.NodeID)
		answer.ContinueAfter = &next
	}
	for _, one := range found.Templates {
		shown := CheckedTemplate{
			TemplateID: one.Template, PackageName: one.PackageName, Contracts: int64(one.Contracts),
			Unreadable: int64(one.Unreadable), Reasons: []UnreadableBecause{},
		}
		for _, reason := range one.Reasons {
			shown.Reasons = append(shown.Reasons, UnreadableBecause{
				Code: reason.Code, Cause: reason.Cause, Contracts: int64(reason.Contracts),
				ExampleContractID: string(reason.Example),
			})
		}
		answer.Templates = append(answer.Templates, shown)
	}
	return answer, nil
}

func fromAPIPosition(text string) (db.Position, error) {
	if text == "" {
		return db.Position{}, nil
	}
	var offset int64
	var node int32
	_, err := fmt.Sscanf(text, "%d-%d", &offset, &node)
	if err != nil || offset < 0 || node < 0 || fmt.Sprintf("%d-%d", offset, node) != text {
		return db.Position{}, fault.InvalidFieldNamed("contractsAfter", "it is not the continueAfter of an answer")
	}
	return db.Position{Offset: ledger.Offset(offset), NodeID: node}, nil
}
