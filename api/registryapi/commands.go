package registryapi

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// LookupTransferCommandCounterByPartyResponse is the counter of a sender's transfer commands.
type LookupTransferCommandCounterByPartyResponse struct {
	TransferCommandCounter v0.ContractWithState `json:"transfer_command_counter" required:"true" doc:"With the next nonce"`
}

func (a *API) transferCommandCounter(
	ctx context.Context, req byPartyRequest,
) (response LookupTransferCommandCounterByPartyResponse, err error) {
	party, err := partyOf(req.Party)
	if err != nil {
		return response, err
	}
	all, err := a.active(ctx, transferCounters, party)
	if err != nil {
		return response, err
	}
	type counter struct {
		Sender ledger.Party `json:"sender"`
	}
	own, err := having(all, func(c counter) bool { return c.Sender == party })
	if err != nil {
		return response, err
	}
	if len(own) == 0 {
		return response, v0.NotFound("No TransferCommandCounter found for party: %s, use 0 for the nonce", party)
	}
	response.TransferCommandCounter, err = v0.ToAPIContractWithState(own[len(own)-1], a.node.SynchronizerID)
	return response, err
}

type transferCommandStatusRequest struct {
	Sender string `query:"sender" doc:"Party that the commands are of"`
	Nonce  int64  `query:"nonce" doc:"Nonce of the commands"`
}

// LookupTransferCommandStatusResponse says what became of the commands of a sender with a nonce.
type LookupTransferCommandStatusResponse struct {
	Commands map[string]TransferCommandWithStatus `json:"transfer_commands_by_contract_id" required:"true" doc:"All"`
}

// TransferCommandWithStatus is a transfer command and what became of it.
type TransferCommandWithStatus struct {
	Contract v0.Contract           `json:"contract" required:"true" doc:"The command"`
	Status   TransferCommandStatus `json:"status" required:"true" doc:"What became of it"`
}

// TransferCommandStatus is what became of a transfer command.
type TransferCommandStatus struct {
	Status      string  `json:"status" required:"true" doc:"created, sent or failed"`
	FailureKind *string `json:"failure_kind" doc:"Of failed ones: failed, expired or withdrawn"`
	Reason      *string `json:"reason" doc:"Of failed ones, in words"`
}

const (
	// commandMemory is how long the outcome of a transfer command can be asked for.
	commandMemory = 24 * time.Hour
	// updatesPage is how many updates are read at once.
	updatesPage = 100
)

func (a *API) transferCommandStatus(
	ctx context.Context, req transferCommandStatusRequest,
) (response LookupTransferCommandStatusResponse, err error) {
	sender, err := partyOf(req.Sender)
	if err != nil {
		return response, err
	}
	found := commandSearch{sender: sender, nonce: req.Nonce, ended: map[ledger.ContractID]TransferCommandStatus{}}
	if err := a.eachUpdateOf(ctx, sender, a.now().Add(-commandMemory), found.add); err != nil {
		return response, err
	}
	response.Commands = map[string]TransferCommandWithStatus{}
	for _, contract := range found.commands {
		status, ended := found.ended[contract.ID]
		if !ended {
			status = TransferCommandStatus{Status: "created"}
		}
		shown, err := v0.ToAPIContract(contract)
		if err != nil {
			return response, err
		}
		response.Commands[shown.ContractID] = TransferCommandWithStatus{Contract: shown, Status: status}
	}
	if len(response.Commands) == 0 {
		return response, v0.NotFound("Couldn't find any TransferCommand with sender %s and nonce %d created within the last "+
			"24h", sender, req.Nonce)
	}
	return response, nil
}

// eachUpdateOf goes through the updates that a party sees, the newest first, back to a time.
func (a *API) eachUpdateOf(
	ctx context.Context, party ledger.Party, since time.Time, visit func(ledger.Update) error,
) error {
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	query := db.UpdatesQuery{
		Parties: []ledger.Party{party}, After: head.Pruned, UpTo: head.Offset, Limit: updatesPage, Descending: true,
	}
	for {
		page, err := a.record.NetworkUpdates(ctx, query)
		if err != nil {
			return err
		}
		for _, network := range page {
			update := network.Update()
			if update.RecordTime.Before(since) {
				return nil
			}
			if err := visit(update); err != nil {
				return err
			}
			query.UpTo = update.Offset - 1
		}
		if len(page) < updatesPage {
			return nil
		}
	}
}

// commandSearch finds the transfer commands of a sender with a nonce, and how they ended, in updates from new to old.
type commandSearch struct {
	sender   ledger.Party
	nonce    int64
	commands []ledger.Contract
	ended    map[ledger.ContractID]TransferCommandStatus
}

func (s *commandSearch) add(update ledger.Update) error {
	for _, event := range update.Events {
		reference, err := lf.ParseTypeName(transferCommands)
		if err != nil || event.Template.QualifiedName() != reference.QualifiedName() {
			continue
		}
		switch {
		case event.Kind == ledger.EventCreate:
			err = s.created(update, event)
		case event.Consuming:
			s.ended[event.ContractID], err = endOf(event)
		}
		if err != nil {
			return fault.Internal(fmt.Errorf("reading transfer command %s: %w", event.ContractID, err))
		}
	}
	return nil
}

func (s *commandSearch) created(update ledger.Update, event ledger.Event) error {
	var payload struct {
		Sender ledger.Party `json:"sender"`
		Nonce  int64        `json:"nonce,string"`
	}
	err := json.Unmarshal(event.Argument, &payload)
	if err != nil || payload.Sender != s.sender || payload.Nonce != s.nonce {
		return err
	}
	s.commands = append(s.commands, ledger.Contract{
		ID: event.ContractID, Template: event.Template, PackageName: event.PackageName, Payload: event.Argument,
		Signatories: event.Signatories, Observers: event.Observers, Key: event.Key, CreatedAt: update.EffectiveAt,
	})
	return nil
}

// endOf reads how a command ended from the choice that ended it.
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
