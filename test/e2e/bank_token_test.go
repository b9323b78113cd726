//go:build long

package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/test/torture"
)

// Names of the templates and choices that the bank uses.
const (
	lockedTemplate      = "#splice-amulet:Splice.Amulet:LockedAmulet"
	lockedEntity        = "Splice.Amulet:LockedAmulet"
	instructionEntity   = "Splice.AmuletTransferInstruction:AmuletTransferInstruction"
	tokenModule         = "#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:"
	factoryInterface    = tokenModule + "TransferFactory"
	instructionAbstract = tokenModule + "TransferInstruction"
)

// factory is the registry's answer for transfers of the token standard.
type factory struct {
	dso, id string
	extra   map[string]any
}

func newFactory(t *testing.T, e endpoint, of account, dso string) factory {
	t.Helper()
	f := factory{dso: dso}
	none := map[string]any{"context": map[string]any{"values": map[string]any{}}, "meta": noMetadata()}
	var answer struct {
		FactoryID     string `json:"factoryId"`
		ChoiceContext struct {
			Data json.RawMessage `json:"choiceContextData"`
		} `json:"choiceContext"`
	}
	const path = "/registry/transfer-instruction/v1/transfer-factory"
	require.NoError(t, e.as(of.user).Post(t.Context(), path, map[string]any{
		"choiceArguments": map[string]any{
			"expectedAdmin": dso, "extraArgs": none,
			"transfer": f.transfer(of.parties[0], of.parties[1], "1.0", nil, time.Now().Add(time.Hour)),
		},
	}, &answer))
	f.id = answer.FactoryID
	f.extra = map[string]any{"context": answer.ChoiceContext.Data, "meta": noMetadata()}
	return f
}

func noMetadata() map[string]any { return map[string]any{"values": map[string]any{}} }

func (f factory) transfer(sender, receiver, amount string, inputs []string, deadline time.Time) map[string]any {
	return map[string]any{
		"sender": sender, "receiver": receiver, "amount": amount, "inputHoldingCids": append([]string{}, inputs...),
		"instrumentId": map[string]any{"admin": f.dso, "id": "Amulet"}, "meta": noMetadata(),
		"requestedAt": time.Now().Add(-time.Minute).UTC().Format(time.RFC3339), "executeBefore": deadline.UTC(),
	}
}

// offer starts a transfer that its receiver must accept; its coin is locked until the deadline.
func (f factory) offer(coin torture.Contract, receiver, amount string, deadline time.Time) client.Command {
	return client.Command{Exercise: &client.Exercise{
		TemplateID: factoryInterface, ContractID: f.id, Choice: "TransferFactory_Transfer",
		ChoiceArgument: map[string]any{
			"expectedAdmin": f.dso, "extraArgs": f.extra,
			"transfer": f.transfer(coin.Owner, receiver, amount, []string{coin.ID}, deadline),
		},
	}}
}

// answer ends an offer: the receiver accepts or rejects it, the sender withdraws it, or unlocks the coin after the
// deadline.
func (f factory) answer(o bankTransfer, way int) intent {
	exercise := &client.Exercise{
		TemplateID: instructionAbstract, ContractID: o.id, ChoiceArgument: map[string]any{"extraArgs": f.extra},
	}
	next := intent{
		operation: torture.Operation{Inputs: []string{o.id, o.locked}}, actAs: []string{o.receiver},
		command: client.Command{Exercise: exercise},
	}
	switch way {
	case 0:
		exercise.Choice = "TransferInstruction_Accept"
		next.operation.NotAfter = o.deadline
	case 1:
		exercise.Choice = "TransferInstruction_Reject"
	case 2:
		exercise.Choice = "TransferInstruction_Withdraw"
		next.actAs = []string{o.sender}
	default:
		next.actAs = []string{o.sender}
		next.operation.Inputs, next.operation.NotBefore = []string{o.locked}, o.deadline
		next.command = client.Command{Exercise: &client.Exercise{
			TemplateID: lockedTemplate, ContractID: o.locked, Choice: "LockedAmulet_OwnerExpireLockV2",
			ChoiceArgument: map[string]any{},
		}}
	}
	return next
}

// bankCoin is a coin, locked or not.
type bankCoin struct {
	torture.Contract
	locked bool
}

// readCoin reads an Amulet or a LockedAmulet.
func readCoin(created client.CreatedEvent) (bankCoin, error) {
	var payload struct {
		holding

		Amulet *holding `json:"amulet"`
	}
	if err := json.Unmarshal(created.CreateArgument, &payload); err != nil {
		return bankCoin{}, err
	}
	found := bankCoin{locked: payload.Amulet != nil}
	if found.locked {
		payload.holding = *payload.Amulet
	}
	found.Contract = torture.Contract{
		ID: created.ContractID, Owner: payload.Owner, Amount: payload.Amount.InitialAmount,
	}
	return found, nil
}

// contractsIn are the coins and the offers that a transaction created.
func contractsIn(transaction client.Transaction) (coins []bankCoin, offers []bankTransfer, err error) {
	for _, event := range transaction.Events {
		if event.Created == nil {
			continue
		}
		switch _, entity, _ := strings.Cut(event.Created.TemplateID, ":"); entity {
		case client.AmuletEntity, lockedEntity:
			coin, err := readCoin(*event.Created)
			if err != nil {
				return nil, nil, err
			}
			coins = append(coins, coin)
		case instructionEntity:
			offer, err := readTransfer(*event.Created)
			if err != nil {
				return nil, nil, err
			}
			offers = append(offers, offer)
		}
	}
	return coins, offers, nil
}

func readTransfer(created client.CreatedEvent) (bankTransfer, error) {
	var payload struct {
		LockedAmulet string `json:"lockedAmulet"`
		Transfer     struct {
			Sender        string    `json:"sender"`
			Receiver      string    `json:"receiver"`
			ExecuteBefore time.Time `json:"executeBefore"`
		} `json:"transfer"`
	}
	err := json.Unmarshal(created.CreateArgument, &payload)
	return bankTransfer{
		id: created.ContractID, locked: payload.LockedAmulet, sender: payload.Transfer.Sender,
		receiver: payload.Transfer.Receiver, deadline: payload.Transfer.ExecuteBefore,
	}, err
}

// commitOf is an update in the form of the checker.
func commitOf(t *testing.T, update client.Transaction) torture.Commit {
	t.Helper()
	commit := torture.Commit{Offset: update.Offset, UpdateID: update.UpdateID, CommandID: update.CommandID}
	for _, event := range update.Events {
		switch {
		case event.Created != nil:
			commit.Created = append(commit.Created, torture.Contract{ID: event.Created.ContractID})
		case event.Exercised != nil && event.Exercised.Consuming:
			commit.Archived = append(commit.Archived, event.Exercised.ContractID)
		}
		minted, burned := coinEffect(t, event)
		commit.Minted = add(t, commit.Minted, add(t, minted, burned.Neg()))
	}
	coins, _, err := contractsIn(update)
	require.NoError(t, err)
	for _, coin := range coins {
		for i := range commit.Created {
			if commit.Created[i].ID == coin.ID {
				commit.Created[i] = coin.Contract
			}
		}
	}
	return commit
}
