package coin

import (
	"fmt"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// tokenTransfer is a transfer by the token standard. It merges or splits when the sender is the receiver, sends at once
// when the context names the receiver's preapproval, and otherwise locks the coin until the receiver accepts.
func tokenTransfer(
	tx *ledger.Tx, _ lf.CID[ExternalPartyAmuletRules], rules ExternalPartyAmuletRules, arg token.TransferFactoryTransfer,
) (none token.TransferInstructionResult, err error) {
	if err := requireAdmin(rules.DSO, arg.ExpectedAdmin); err != nil {
		return none, err
	}
	preapproval, err := findPreapproval(tx, rules.DSO, arg.Transfer.Receiver, arg.ExtraArgs.Context)
	if err != nil {
		return none, err
	}
	if err := checkTokenTransfer(tx, rules.DSO, arg.Transfer); err != nil {
		return none, err
	}
	state, config, err := requireConfigState(tx, rules.DSO, arg.ExtraArgs.Context)
	if err != nil {
		return none, err
	}
	lifetime := arg.Transfer.ExecuteBefore.Sub(arg.Transfer.RequestedAt)
	if err := requireLifetime("transferLifetime", lifetime, config); err != nil {
		return none, err
	}
	inputs, err := holdingInputs(tx, rules.DSO, arg.Transfer.Sender, arg.Transfer.InputHoldingCids)
	if err != nil {
		return none, err
	}
	context := ExternalPartyTransferContext{ExternalPartyConfigState: state}
	switch {
	case arg.Transfer.Receiver == arg.Transfer.Sender:
		return transferToSelf(tx, rules.DSO, context, arg.Transfer, inputs)
	case preapproval != nil:
		context.FeaturedAppRight, err = token.FindContract[FeaturedAppRight](
			arg.ExtraArgs.Context, ContextFeaturedAppRight)
		if err != nil {
			return none, err
		}
		return transferDirectly(tx, *preapproval, context, arg.Transfer, inputs)
	default:
		return offerTransfer(tx, rules.DSO, context, arg.Transfer, inputs)
	}
}

// requireAdmin protects callers from factories of another token or network.
func requireAdmin(actual, expected Party) error {
	message := fmt.Sprintf("Expected admin %s matches actual admin %s", quoted(expected), quoted(actual))
	return ledger.Require(message, expected == actual)
}

// findPreapproval reads the preapproval in the context, if any, and checks that it belongs to the receiver.
func findPreapproval(
	tx *ledger.Tx, dso, receiver Party, context token.ChoiceContext,
) (*lf.CID[TransferPreapproval], error) {
	preapproval, err := token.FindContract[TransferPreapproval](context, ContextPreapproval)
	if err != nil || preapproval == nil {
		return nil, err
	}
	_, err = fetchForOwner(tx, dso, receiver, *preapproval)
	return preapproval, err
}

func checkTokenTransfer(tx *ledger.Tx, dso Party, transfer token.Transfer) error {
	if err := requireInstrument(dso, transfer.InstrumentID); err != nil {
		return err
	}
	if err := ledger.Require("Amount must be positive", transfer.Amount.Sign() > 0); err != nil {
		return err
	}
	if err := ledger.RequireDeadlineExceeded(tx, "Transfer.requestedAt", transfer.RequestedAt); err != nil {
		return err
	}
	return ledger.RequireWithinDeadline(tx, "Transfer.executeBefore", transfer.ExecuteBefore)
}

func requireInstrument(dso Party, actual token.InstrumentID) error {
	message := fmt.Sprintf("Expected instrumentId %s of %s matches actual instrumentId %s of %s",
		InstrumentName, quoted(dso), actual.ID, quoted(actual.Admin))
	return ledger.Require(message, actual == token.InstrumentID{Admin: dso, ID: InstrumentName})
}

// requireConfigState reads the configuration state, which every context must have.
func requireConfigState(
	tx *ledger.Tx, dso Party, context token.ChoiceContext,
) (id lf.CID[ExternalPartyConfigState], config TransferConfigV2, err error) {
	id, err = token.RequireContract[ExternalPartyConfigState](context, ContextConfigState)
	if err != nil {
		return id, config, err
	}
	state, err := fetchForDSO(tx, dso, id)
	return id, state.TransferConfig, err
}

// requireLifetime limits the duration of a lock.
func requireLifetime(name string, lifetime lf.RelTime, config TransferConfigV2) error {
	maximum := config.tokenStandardMaxTTL()
	if lifetime.Microseconds <= maximum.Microseconds {
		return nil
	}
	return ledger.Abort("'%s' of %s exceeds 'tokenStandardMaxTTL' of %s", name, lifetime, maximum)
}

// holdingInputs turns the sender's holdings into inputs of a transfer. It unlocks coin with an expired lock first, and
// fails for coin that is still locked.
func holdingInputs(
	tx *ledger.Tx, dso, sender Party, holdings []lf.CID[token.Holding],
) (inputs []TransferInput, err error) {
	if err := ledger.Require("At least one holding must be provided", len(holdings) > 0); err != nil {
		return nil, err
	}
	for _, id := range holdings {
		view, err := ledger.FetchView[token.HoldingView](tx, id)
		if err != nil {
			return nil, err
		}
		group := func(dso, owner Party) string { return "dso " + quoted(dso) + ", owner " + quoted(owner) }
		if err := sameGroup(id.ID(), group(dso, sender), group(view.InstrumentID.Admin, view.Owner)); err != nil {
			return nil, err
		}
		amulet := lf.Coerce[Amulet](id)
		if view.Lock != nil {
			unlocked, err := ledger.Exercise[LockedAmuletOwnerExpireLockV2Result](tx, lf.Coerce[LockedAmulet](id),
				LockedAmuletOwnerExpireLockV2{})
			if err != nil {
				return nil, err
			}
			amulet = unlocked.AmuletCid
		}
		inputs = append(inputs, InputAmulet(amulet))
	}
	return inputs, nil
}

func transferToSelf(
	tx *ledger.Tx, dso Party, context ExternalPartyTransferContext, transfer token.Transfer, inputs []TransferInput,
) (none token.TransferInstructionResult, err error) {
	result, err := executeExternalTransfer(tx, dso, context, Transfer{
		Sender: transfer.Sender, Provider: transfer.Sender, Inputs: inputs,
		Outputs: []TransferOutput{{Receiver: transfer.Sender, Amount: transfer.Amount}},
	})
	if err != nil {
		return none, err
	}
	return completed(result, *result.Meta), nil
}

func transferDirectly(
	tx *ledger.Tx, preapproval lf.CID[TransferPreapproval], context ExternalPartyTransferContext,
	transfer token.Transfer, inputs []TransferInput,
) (none token.TransferInstructionResult, err error) {
	send := TransferPreapprovalSendV2{
		Context: context, Inputs: inputs, Amount: transfer.Amount, Sender: transfer.Sender,
	}
	if reason, ok := transfer.Meta.Values[metaReason]; ok {
		send.Description = &reason
	}
	sent, err := ledger.Exercise[TransferPreapprovalSendV2Result](tx, preapproval, send)
	if err != nil {
		return none, err
	}
	return completed(sent.Result, sent.Meta), nil
}

// offerTransfer locks exactly the amount, with the DSO as holder, until the offer ends.
func offerTransfer(
	tx *ledger.Tx, dso Party, context ExternalPartyTransferContext, transfer token.Transfer, inputs []TransferInput,
) (none token.TransferInstructionResult, err error) {
	locked, result, err := lockCoin(tx, dso, context, coinLock{
		owner: transfer.Sender, inputs: inputs, amount: transfer.Amount, expiresAt: transfer.ExecuteBefore,
		purpose: "transfer to " + quoted(transfer.Receiver),
	})
	if err != nil {
		return none, err
	}
	transfer.InputHoldingCids = []lf.CID[token.Holding]{lf.Coerce[token.Holding](locked)}
	instruction, err := ledger.Create(tx, AmuletTransferInstruction{LockedAmulet: locked, Transfer: transfer})
	return token.TransferInstructionResult{
		Output: token.TransferInstructionResultOutput{Pending: &token.TransferPending{
			TransferInstructionCid: lf.Coerce[token.TransferInstruction](instruction),
		}},
		SenderChangeCids: result.change(), Meta: *result.Meta,
	}, err
}

// completed is the result of a finished token transfer.
func completed(result TransferResult, meta token.Metadata) token.TransferInstructionResult {
	return token.TransferInstructionResult{
		Output: token.TransferInstructionResultOutput{
			Completed: &token.TransferCompleted{ReceiverHoldingCids: result.holdings()},
		},
		SenderChangeCids: result.change(), Meta: meta,
	}
}

// holdings are the created coins as holdings of the token standard.
func (r TransferResult) holdings() []lf.CID[token.Holding] {
	holdings := make([]lf.CID[token.Holding], 0, len(r.CreatedAmulets))
	for _, created := range r.CreatedAmulets {
		if created.LockedAmulet != nil {
			holdings = append(holdings, lf.Coerce[token.Holding](*created.LockedAmulet))
			continue
		}
		holdings = append(holdings, lf.Coerce[token.Holding](*created.Amulet))
	}
	return holdings
}

// change is the sender's change as holdings of the token standard: one coin or none.
func (r TransferResult) change() []lf.CID[token.Holding] {
	if r.SenderChangeAmulet == nil {
		return nil
	}
	return []lf.CID[token.Holding]{lf.Coerce[token.Holding](*r.SenderChangeAmulet)}
}
