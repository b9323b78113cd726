package registryapi

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// LookupTransferCommandCounterByPartyResponse is the counter of a sender's transfer commands.
type LookupTransferCommandCounterByPartyResponse struct {
	TransferCommandCounter v0.ContractWithState `json:"transfer_command_counter" required:"true" doc:"The counter, with the next nonce"`
}

func (a *API) transferCommandCounter(
	ctx context.Context, req byPartyRequest,
) (response LookupTransferCommandCounterByPartyResponse, err error) {
	party, err := partyOf(req.Party)
	if err != nil {
		return response, err
	}
	counter, ok, err := a.findHeld(ctx, transferCounters, db.HeldQuery{Holder: party, LeastFirst: true})
	if err != nil {
		return response, err
	}
	if !ok {
		return response, v0.NotFound("No TransferCommandCounter found for party: %s, use 0 for the nonce", party)
	}
	response.TransferCommandCounter, err = v0.ToAPIContractWithState(a.packages, counter, a.node.SynchronizerID)
	return response, err
}

type transferCommandStatusRequest struct {
	Sender string `query:"sender" doc:"Sender of the commands"`
	Nonce  *int64 `query:"nonce" doc:"Nonce of the commands"`
}

// LookupTransferCommandStatusResponse is the status of the commands of a sender with a nonce.
type LookupTransferCommandStatusResponse struct {
	Commands map[string]TransferCommandWithStatus `json:"transfer_commands_by_contract_id" required:"true" doc:"The newest 20"`
}

// TransferCommandWithStatus is a transfer command and its status.
type TransferCommandWithStatus struct {
	Contract v0.Contract           `json:"contract" required:"true" doc:"The command"`
	Status   TransferCommandStatus `json:"status" required:"true" doc:"Status of the command"`
}

// TransferCommandStatus is the status of a transfer command.
type TransferCommandStatus struct {
	Status      string  `json:"status" required:"true" doc:"created, sent or failed"`
	FailureKind *string `json:"failure_kind" doc:"If failed: failed, expired or withdrawn"`
	Reason      *string `json:"reason" doc:"If failed: the reason as text"`
}

const (
	// commandMemory is how long the status of a transfer command is available.
	commandMemory = 24 * time.Hour
	// maxCommands is the maximum number of commands with one nonce in an answer. A sender makes one, and another if
	// that failed.
	maxCommands = 20
)

func (a *API) transferCommandStatus(
	ctx context.Context, req transferCommandStatusRequest,
) (response LookupTransferCommandStatusResponse, err error) {
	sender, err := partyOf(req.Sender)
	if err != nil {
		return response, err
	}
	if req.Nonce == nil {
		return response, v0.BadRequest("The query parameter nonce is missing: send the commands' nonce, 0 for the first")
	}
	nonce := *req.Nonce
	found, err := a.record.TransferCommands(ctx, sender, nonce, maxCommands)
	if err != nil {
		return response, err
	}
	since := a.now().Add(-commandMemory)
	response.Commands = map[string]TransferCommandWithStatus{}
	for _, command := range found {
		if command.CreatedAt.Before(since) {
			break
		}
		status, err := a.statusOf(ctx, command)
		if err != nil {
			return response, err
		}
		shown, err := v0.ToAPIContract(a.packages, command.Contract)
		if err != nil {
			return response, err
		}
		response.Commands[shown.ContractID] = TransferCommandWithStatus{Contract: shown, Status: status}
	}
	if len(response.Commands) == 0 {
		return response, v0.NotFound("Couldn't find any TransferCommand with sender %s and nonce %d created within the last "+
			"24h", sender, nonce)
	}
	return response, nil
}

// statusOf finds the status of a command; for an archived one, in the update that archived it.
func (a *API) statusOf(ctx context.Context, command db.StoredContract) (TransferCommandStatus, error) {
	if command.Archived == nil {
		return TransferCommandStatus{Status: "created"}, nil
	}
	network, known, err := a.record.NetworkUpdateByOffset(ctx, *command.Archived)
	if err != nil {
		return TransferCommandStatus{}, err
	}
	if known {
		for _, event := range network.Update().Events {
			if event.ContractID == command.ID && event.Consuming {
				status, err := endOf(event)
				if err != nil {
					return status, fault.Internal(fmt.Errorf("reading transfer command %s: %w", command.ID, err))
				}
				return status, nil
			}
		}
	}
	return TransferCommandStatus{}, fault.Internal(fmt.Errorf("the record does not say how transfer command %s ended at "+
		"offset %d", command.ID, *command.Archived))
}

// endOf reads the status of a command from the choice that archived it.
func endOf(event ledger.Event) (TransferCommandStatus, error) {
	failed := func(kind, reason string) TransferCommandStatus {
		return TransferCommandStatus{Status: "failed", FailureKind: &kind, Reason: &reason}
	}
	switch event.Choice {
	case "TransferCommand_Withdraw":
		return failed("withdrawn", "The sender withdrew the command."), nil
	case "TransferCommand_Expire":
		return failed("expired", "The command was not executed before its expiry."), nil
	case "TransferCommand_Send":
	default:
		return failed("failed", "The command was archived."), nil
	}
	var outcome struct {
		Result struct {
			Tag   string          `json:"tag"`
			Value json.RawMessage `json:"value"`
		} `json:"result"`
	}
	if err := json.Unmarshal(event.Result, &outcome); err != nil {
		return TransferCommandStatus{}, err
	}
	if outcome.Result.Tag == "TransferCommandResultSuccess" {
		return TransferCommandStatus{Status: "sent"}, nil
	}
	return failed("failed", string(outcome.Result.Value)), nil
}
