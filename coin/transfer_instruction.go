package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletTransferInstruction is a transfer of coin that the receiver can accept or reject. Until then the coin is locked
// and belongs to the sender, who can take the transfer back at any time.
type AmuletTransferInstruction struct {
	_            struct{}             `lf:"splice-amulet:Splice.AmuletTransferInstruction:AmuletTransferInstruction"`
	LockedAmulet lf.CID[LockedAmulet] `lf:"lockedAmulet"`
	// Transfer is the sender's request, with the locked coin as its only input.
	Transfer token.Transfer `lf:"transfer"`
}

func (i AmuletTransferInstruction) dso() Party { return i.Transfer.InstrumentID.Admin }

func amuletTransferInstructionTemplate() ledger.TemplateSource {
	type (
		instruction = AmuletTransferInstruction
		result      = token.TransferInstructionResult
	)
	return ledger.Template[instruction]{
		Network:     ledger.DSOSigned(instruction.dso),
		Signatories: func(i instruction) []Party { return []Party{i.dso(), i.Transfer.Sender} },
		Observers:   func(i instruction) []Party { return []Party{i.Transfer.Receiver} },
		Interfaces: []ledger.ImplementationOf[instruction]{
			ledger.Implements[instruction, token.TransferInstruction, token.TransferInstructionView]{
				View: func(i instruction) (token.TransferInstructionView, error) {
					return token.TransferInstructionView{
						Transfer: i.Transfer,
						Status:   token.TransferInstructionStatus{PendingReceiverAcceptance: &lf.Unit{}},
					}, nil
				},
				Choices: []ledger.ChoiceOf[instruction]{
					ledger.Choice[instruction, token.TransferInstructionAccept, result]{Body: acceptTransfer},
					ledger.Choice[instruction, token.TransferInstructionReject, result]{
						Body: func(
							tx *ledger.Tx, _ lf.CID[instruction], i instruction, arg token.TransferInstructionReject,
						) (result, error) {
							return i.release(tx, arg.ExtraArgs.Context)
						},
					},
					ledger.Choice[instruction, token.TransferInstructionWithdraw, result]{
						Body: func(
							tx *ledger.Tx, _ lf.CID[instruction], i instruction, arg token.TransferInstructionWithdraw,
						) (result, error) {
							return i.release(tx, arg.ExtraArgs.Context)
						},
					},
					ledger.Choice[instruction, token.TransferInstructionUpdate, result]{Body: expireTransfer},
				},
			},
		},
	}
}

// acceptTransfer gives the receiver exactly the amount. The sender is the provider, never featured.
func acceptTransfer(
	tx *ledger.Tx, _ lf.CID[AmuletTransferInstruction], i AmuletTransferInstruction, arg token.TransferInstructionAccept,
) (none token.TransferInstructionResult, err error) {
	if err := ledger.RequireWithinDeadline(tx, "Transfer.executeBefore", i.Transfer.ExecuteBefore); err != nil {
		return none, err
	}
	state, _, err := requireConfigState(tx, i.dso(), arg.ExtraArgs.Context)
	if err != nil {
		return none, err
	}
	result, err := spendLocked(tx, i.dso(), i.LockedAmulet, ExternalPartyTransferContext{ExternalPartyConfigState: state},
		Transfer{
			Sender: i.Transfer.Sender, Provider: i.Transfer.Sender,
			Outputs: []TransferOutput{{Receiver: i.Transfer.Receiver, Amount: i.Transfer.Amount}},
		})
	if err != nil {
		return none, err
	}
	return completed(result, *result.Meta), nil
}

// release ends the instruction without a transfer.
func (i AmuletTransferInstruction) release(
	tx *ledger.Tx, context token.ChoiceContext,
) (none token.TransferInstructionResult, err error) {
	expireLock, err := token.BoolOr(context, ContextExpireLock, true)
	if err != nil {
		return none, err
	}
	released, err := releaseCoin(tx, i.LockedAmulet, expireLock, "Transfer.executeBefore", i.Transfer.ExecuteBefore)
	return token.TransferInstructionResult{
		Output: token.TransferInstructionResultOutput{Failed: &lf.Unit{}}, SenderChangeCids: released,
	}, err
}

// expireTransfer ends a transfer that nobody accepted; the DSO controls it.
func expireTransfer(
	tx *ledger.Tx, _ lf.CID[AmuletTransferInstruction], i AmuletTransferInstruction, arg token.TransferInstructionUpdate,
) (none token.TransferInstructionResult, err error) {
	if err := ledger.Require("No extra actors are given", len(arg.ExtraActors) == 0); err != nil {
		return none, err
	}
	if err := ledger.RequireDeadlineExceeded(tx, "Transfer.executeBefore", i.Transfer.ExecuteBefore); err != nil {
		return none, err
	}
	return i.release(tx, arg.ExtraArgs.Context)
}
