package ledgerapi

import (
	"context"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// A reassignment moves a contract from one synchronizer to another. This node has only one: it checks requests as the
// API says, and then refuses them.

// SubmitReassignmentRequest submits reassignment commands.
type SubmitReassignmentRequest struct {
	ReassignmentCommands *ReassignmentCommands `json:"reassignmentCommands" required:"true" doc:"What to submit"`
}

// SubmitAndWaitForReassignmentRequest submits reassignment commands and asks for the reassignment.
type SubmitAndWaitForReassignmentRequest struct {
	ReassignmentCommands *ReassignmentCommands `json:"reassignmentCommands" required:"true" doc:"What to submit"`
	EventFormat          *EventFormat          `json:"eventFormat" doc:"Default: no events"`
}

// ReassignmentCommands are the commands of one submission.
type ReassignmentCommands struct {
	WorkflowID   string                `json:"workflowId" doc:"Identifier kept with the reassignment"`
	UserID       string                `json:"userId" doc:"Default: the user of the token"`
	CommandID    string                `json:"commandId" required:"true" doc:"Part of the change id"`
	Submitter    string                `json:"submitter" required:"true" doc:"The party to act as"`
	SubmissionID string                `json:"submissionId" doc:"New for each retry; optional"`
	Commands     []ReassignmentCommand `json:"commands" required:"true" doc:"The reassignments"`
}

// ReassignmentCommand is one command.
type ReassignmentCommand struct {
	Command ReassignmentCommandKind `json:"command" required:"true" doc:"The step"`
}

// ReassignmentCommandKind is the first or the second step of a reassignment.
type ReassignmentCommandKind struct {
	endpoint.OneOf

	AssignCommand   *endpoint.Value[AssignCommand]   `json:"AssignCommand,omitempty" doc:"Second step: arrive"`
	UnassignCommand *endpoint.Value[UnassignCommand] `json:"UnassignCommand,omitempty" doc:"First step: leave"`
	Empty           *v2.Nothing                      `json:"Empty,omitempty" doc:"Refused"`
}

// AssignCommand ends a reassignment.
type AssignCommand struct {
	ReassignmentID string `json:"reassignmentId" required:"true" doc:"From the unassigned event"`
	Source         string `json:"source" required:"true" doc:"Synchronizer that the contract left"`
	Target         string `json:"target" required:"true" doc:"Synchronizer where it arrives"`
}

// UnassignCommand begins a reassignment.
type UnassignCommand struct {
	ContractID string `json:"contractId" required:"true" doc:"The contract"`
	Source     string `json:"source" required:"true" doc:"Synchronizer that it leaves"`
	Target     string `json:"target" required:"true" doc:"Synchronizer of the destination"`
}

// JsSubmitAndWaitForReassignmentResponse is the reassignment.
type JsSubmitAndWaitForReassignmentResponse struct {
	Reassignment JsReassignment `json:"reassignment" required:"true" doc:"The reassignment"`
}

// JsReassignment is a step of a reassignment.
type JsReassignment struct {
	UpdateID        string                `json:"updateId" required:"true" doc:"Its id"`
	CommandID       string                `json:"commandId" doc:"Id of the command; only for its submitters"`
	WorkflowID      string                `json:"workflowId" doc:"As submitted"`
	Offset          int64                 `json:"offset" required:"true" doc:"Its offset"`
	Events          []JsReassignmentEvent `json:"events" required:"true" doc:"The events"`
	TraceContext    *v2.TraceContext      `json:"traceContext" doc:"From the submission"`
	RecordTime      endpoint.Timestamp    `json:"recordTime" required:"true" doc:"Record time"`
	SynchronizerID  string                `json:"synchronizerId" required:"true" doc:"The synchronizer"`
	PaidTrafficCost int64                 `json:"paidTrafficCost" doc:"Traffic paid; only for submitters"`
}

// JsReassignmentEvent is the departure or the arrival of a contract.
type JsReassignmentEvent struct {
	endpoint.OneOf

	JsUnassignedEvent *endpoint.Value[UnassignedEvent] `json:"JsUnassignedEvent,omitempty" doc:"The contract left"`
	JsAssignmentEvent *JsAssignmentEvent               `json:"JsAssignmentEvent,omitempty" doc:"The contract arrived"`
}

// JsAssignmentEvent is the arrival of a contract.
type JsAssignmentEvent struct {
	Source              string       `json:"source" required:"true" doc:"Synchronizer that it left"`
	Target              string       `json:"target" required:"true" doc:"Synchronizer where it arrived"`
	ReassignmentID      string       `json:"reassignmentId" required:"true" doc:"Id of the reassignment"`
	Submitter           string       `json:"submitter" required:"true" doc:"The submitting party"`
	ReassignmentCounter int64        `json:"reassignmentCounter" required:"true" doc:"Number of reassignments"`
	CreatedEvent        CreatedEvent `json:"createdEvent" required:"true" doc:"The contract"`
}

// UnassignedEvent is the departure of a contract.
type UnassignedEvent struct {
	ReassignmentID        string              `json:"reassignmentId" required:"true" doc:"Id of the reassignment"`
	ContractID            string              `json:"contractId" required:"true" doc:"The contract"`
	TemplateID            lf.TypeName         `json:"templateId" required:"true" doc:"Its template, by package id"`
	Source                string              `json:"source" required:"true" doc:"Synchronizer that it leaves"`
	Target                string              `json:"target" required:"true" doc:"Synchronizer of the destination"`
	Submitter             string              `json:"submitter" doc:"The submitting party"`
	ReassignmentCounter   int64               `json:"reassignmentCounter" required:"true" doc:"Number of reassignments"`
	AssignmentExclusivity *endpoint.Timestamp `json:"assignmentExclusivity" doc:"Before it, only the submitter can assign"`
	WitnessParties        []string            `json:"witnessParties" required:"true" doc:"The requesting parties that see it"`
	PackageName           string              `json:"packageName" required:"true" doc:"Name of the template's package"`
	Offset                int64               `json:"offset" required:"true" doc:"Offset of the update"`
	NodeID                int32               `json:"nodeId" required:"true" doc:"Position in the update"`
}

type submitReassignmentRequest struct {
	Body SubmitReassignmentRequest `body:"json"`
}

type submitAndWaitForReassignmentRequest struct {
	Body SubmitAndWaitForReassignmentRequest `body:"json"`
}

func (a *API) submitReassignment(ctx context.Context, req submitReassignmentRequest) (SubmitResponse, error) {
	return SubmitResponse{}, a.refuseReassignment(ctx, req.Body.ReassignmentCommands)
}

func (a *API) submitAndWaitForReassignment(
	ctx context.Context, req submitAndWaitForReassignmentRequest,
) (JsSubmitAndWaitForReassignmentResponse, error) {
	if req.Body.EventFormat != nil {
		if _, err := a.fromAPIEventFormat(ctx, *req.Body.EventFormat); err != nil {
			return JsSubmitAndWaitForReassignmentResponse{}, err
		}
	}
	return JsSubmitAndWaitForReassignmentResponse{}, a.refuseReassignment(ctx, req.Body.ReassignmentCommands)
}

// refuseReassignment always returns an error: that of the first broken rule, or at the end that there is no other
// synchronizer.
func (a *API) refuseReassignment(ctx context.Context, commands *ReassignmentCommands) error {
	if commands == nil {
		if err := endpoint.Claims(ctx).Require(); err != nil {
			return err
		}
		return fault.MissingFieldNamed("reassignment_commands")
	}
	submissionID := commands.SubmissionID
	if submissionID == "" {
		submissionID = uuid.NewString()
	}
	identity, err := submittingUser(ctx, commands.UserID, []ledger.Party{ledger.Party(commands.Submitter)}, nil)
	if err == nil {
		err = a.checkReassignment(*commands, identity)
	}
	return v2.OfSubmission(err, submissionID)
}

func (a *API) checkReassignment(commands ReassignmentCommands, identity ledger.Identity) error {
	if err := ledger.CheckParty(commands.Submitter); err != nil {
		return fault.InvalidFieldNamed("submitter", err.Error())
	}
	if err := ledger.CheckSubmissionIDs(commands.WorkflowID, identity, commands.CommandID, commands.SubmissionID); err != nil {
		return err
	}
	if len(commands.Commands) == 0 {
		return fault.MissingFieldNamed("commands")
	}
	for _, command := range commands.Commands {
		if err := a.checkReassignmentCommand(command.Command); err != nil {
			return err
		}
	}
	return fault.ReassignmentValidationFailed.
		New("Source and target are both %s, the only synchronizer of this node", a.node.SynchronizerID).
		WithResource("SYNCHRONIZER_ID", a.node.SynchronizerID).
		WithHint("Do not move the contract: this node has only one synchronizer.")
}

func (a *API) checkReassignmentCommand(command ReassignmentCommandKind) error {
	switch {
	case command.AssignCommand != nil:
		assign := command.AssignCommand.Value
		if assign.ReassignmentID == "" {
			return fault.MissingFieldNamed("reassignment_id")
		}
		return a.checkRoute(assign.Source, assign.Target)
	case command.UnassignCommand != nil:
		unassign := command.UnassignCommand.Value
		if unassign.ContractID == "" {
			return fault.MissingFieldNamed("contract_id")
		}
		if err := ledger.CheckContractID(unassign.ContractID); err != nil {
			return fault.InvalidFieldNamed("contract_id", err.Error())
		}
		return a.checkRoute(unassign.Source, unassign.Target)
	default:
		return fault.MissingFieldNamed("command")
	}
}

func (a *API) checkRoute(source, target string) error {
	for _, end := range []struct{ id, field string }{{source, "source"}, {target, "target"}} {
		if end.id == "" {
			return fault.MissingFieldNamed(end.field)
		}
		if err := a.node.CheckSynchronizer(end.id, end.field); err != nil {
			return err
		}
	}
	return nil
}
