package tokenwallet

import (
	"fmt"
	"slices"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// merge makes the extra transfer, then merges the owner's holdings, including the new ones.
func merge(
	tx *ledger.Tx, _ lf.CID[MergeDelegation], d MergeDelegation, arg Merge,
) (result MergeResult, err error) {
	given := arg.OptMergeTransfer != nil || arg.OptExtraTransfer != nil
	if err := ledger.Require("At least one of optMergeTransfer and optExtraTransfer is given", given); err != nil {
		return result, err
	}
	if arg.OptExtraTransfer != nil {
		extra, err := d.extraTransfer(tx, *arg.OptExtraTransfer, arg.OptMergeTransfer)
		if err != nil {
			return result, err
		}
		result.OptExtraTransferResult = &extra
	}
	if arg.OptMergeTransfer == nil {
		return result, nil
	}
	call, err := mergeCall(*arg.OptMergeTransfer, arg.OptExtraTransfer, result.OptExtraTransferResult)
	if err != nil {
		return result, err
	}
	merged, err := d.mergeTransfer(tx, call)
	if err != nil {
		return result, err
	}
	result.OptMergeTransferResult = &merged
	return result, d.recordActivity(tx, arg.OptFeaturedAppRight)
}

func (d MergeDelegation) extraTransfer(
	tx *ledger.Tx, call TransferCall, mergeCall *TransferCall,
) (none token.TransferInstructionResult, err error) {
	transfer := call.ChoiceArg.Transfer
	if err := requireParty("sender of the extra transfer", transfer.Sender, d.Operator); err != nil {
		return none, err
	}
	if err := requireParty("receiver of the extra transfer", transfer.Receiver, d.Owner); err != nil {
		return none, err
	}
	if mergeCall != nil {
		if err := requireSameToken(call.ChoiceArg, mergeCall.ChoiceArg); err != nil {
			return none, err
		}
	}
	result, err := call.transfer(tx)
	if err != nil {
		return none, err
	}
	return result, requireCompleted("extra transfer", result)
}

func requireSameToken(extra, merge token.TransferFactoryTransfer) error {
	if extra.Transfer.InstrumentID != merge.Transfer.InstrumentID {
		return ledger.Abort("Unexpected instrument of the extra transfer: expected %s of '%s', got %s of '%s'",
			merge.Transfer.InstrumentID.ID, merge.Transfer.InstrumentID.Admin,
			extra.Transfer.InstrumentID.ID, extra.Transfer.InstrumentID.Admin)
	}
	return requireParty("expectedAdmin of the extra transfer", extra.ExpectedAdmin, merge.ExpectedAdmin)
}

// mergeCall is the merge with the holdings of the extra transfer among its inputs and its amount raised by theirs.
func mergeCall(
	call TransferCall, extra *TransferCall, extraResult *token.TransferInstructionResult,
) (TransferCall, error) {
	if extra == nil {
		return call, nil
	}
	transfer := &call.ChoiceArg.Transfer
	transfer.InputHoldingCids = slices.Concat(transfer.InputHoldingCids, extraResult.Output.Completed.ReceiverHoldingCids)
	total, err := transfer.Amount.Add(extra.ChoiceArg.Transfer.Amount)
	transfer.Amount = total
	return call, ledger.ArithmeticFailure(err)
}

// mergeTransfer is the owner's transfer to itself. It must reduce the number of holdings.
func (d MergeDelegation) mergeTransfer(
	tx *ledger.Tx, call TransferCall,
) (none token.TransferInstructionResult, err error) {
	transfer := call.ChoiceArg.Transfer
	if err := requireParty("sender of the merge transfer", transfer.Sender, d.Owner); err != nil {
		return none, err
	}
	if err := requireParty("receiver of the merge transfer", transfer.Receiver, d.Owner); err != nil {
		return none, err
	}
	result, err := call.transfer(tx)
	if err != nil {
		return none, err
	}
	if err := requireCompleted("merge transfer", result); err != nil {
		return none, err
	}
	outputs := len(result.Output.Completed.ReceiverHoldingCids) + len(result.SenderChangeCids)
	message := fmt.Sprintf("Number of input holdings (%d) > number of output holdings (%d)",
		len(transfer.InputHoldingCids), outputs)
	return result, ledger.Require(message, len(transfer.InputHoldingCids) > outputs)
}

func (d MergeDelegation) recordActivity(tx *ledger.Tx, call *FeaturedAppRightCall) error {
	if call == nil {
		return nil
	}
	view, err := ledger.FetchView[coin.FeaturedAppRightV1View](tx, call.AppRightCid)
	if err != nil {
		return err
	}
	if err := requireParty("provider of the featured app right", view.Provider, d.Operator); err != nil {
		return err
	}
	_, err = ledger.Exercise[coin.CreateActivityMarkerV1Result](tx, call.AppRightCid,
		coin.CreateActivityMarkerV1{Beneficiaries: call.Beneficiaries})
	return err
}

func (c TransferCall) transfer(tx *ledger.Tx) (token.TransferInstructionResult, error) {
	return ledger.Exercise[token.TransferInstructionResult](tx, c.FactoryCid, c.ChoiceArg)
}

func requireCompleted(what string, result token.TransferInstructionResult) error {
	if result.Output.Completed != nil {
		return nil
	}
	return ledger.Abort("Expected the %s to be completed at once. Has the owner set up a preapproval?", what)
}

func requireParty(what string, actual, expected ledger.Party) error {
	if actual == expected {
		return nil
	}
	return ledger.Abort("Unexpected %s: expected '%s', got '%s'", what, expected, actual)
}
