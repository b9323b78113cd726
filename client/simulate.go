package client

import (
	"context"
	"encoding/json"
	"fmt"
)

// DryRun is what a submission would do.
type DryRun struct {
	Nodes []TransactionNode `json:"nodes"`
	Views []PartyView       `json:"views"`
	Cost  struct {
		Total int64 `json:"totalTrafficCostEstimation"`
	} `json:"costEstimation"`
	// Body is the whole answer.
	Body json.RawMessage `json:"-"`
}

// PartyView is the part of a transaction that a party sees.
type PartyView struct {
	Party   string  `json:"party"`
	NodeIDs []int32 `json:"nodeIds"`
}

// TransactionNode is a node of a transaction that was not committed.
type TransactionNode struct {
	NodeID        int32    `json:"nodeId"`
	Parent        *int32   `json:"parentNodeId"`
	Kind          string   `json:"kind"`
	ContractID    string   `json:"contractId"`
	TemplateID    string   `json:"templateId"`
	InterfaceID   *string  `json:"interfaceId"`
	Choice        string   `json:"choice"`
	Consuming     bool     `json:"consuming"`
	Signatories   []string `json:"signatories"`
	Observers     []string `json:"observers"`
	ActingParties []string `json:"actingParties"`
}

// RefusalTrace says how commands failed.
type RefusalTrace struct {
	Calls []CodePlace       `json:"calls"`
	Nodes []TransactionNode `json:"nodes"`
}

// CodePlace is a place in code of a package.
type CodePlace struct {
	Definition   string `json:"definition"`
	PackageID    string `json:"packageId"`
	PackageName  string `json:"packageName"`
	Module       string `json:"module"`
	Line         int32  `json:"line"`
	Column       int32  `json:"column"`
	IsDefinition bool   `json:"isDefinition"`
}

// Simulate decides a submission, a request of POST /v2/commands/submit-and-wait, and changes nothing. The error is that
// of the submission; see [Error.Trace].
func (c *Client) Simulate(ctx context.Context, submission any) (DryRun, error) {
	const path = "/v2/commands/submit-and-wait?dry_run=true"
	var out DryRun
	if err := c.Post(ctx, path, submission, &out.Body); err != nil {
		return DryRun{}, err
	}
	if err := json.Unmarshal(out.Body, &out); err != nil {
		return DryRun{}, fmt.Errorf("POST %s: decode the answer: %w", path, err)
	}
	return out, nil
}

// Trace says how the commands of a dry run failed; nil if the answer does not.
func (e *Error) Trace() *RefusalTrace {
	var body struct {
		Trace *RefusalTrace `json:"refusalTrace"`
	}
	if json.Unmarshal(e.Body, &body) != nil {
		return nil
	}
	return body.Trace
}
