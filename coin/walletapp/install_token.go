package walletapp

import (
	"fmt"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// InstallTransferFactoryTransfer sends coin of the user by the token standard.
type InstallTransferFactoryTransfer struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferFactory_Transfer"`

	TransferFactoryCid lf.CID[token.TransferFactory] `lf:"transferFactoryCid"`
	TransferArg        token.TransferFactoryTransfer `lf:"transferArg"`
}

// InstallTransferInstructionAccept accepts a transfer to the user.
type InstallTransferInstructionAccept struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferInstruction_Accept"`

	TransferInstructionCid lf.CID[token.TransferInstruction] `lf:"transferInstructionCid"`
	AcceptArg              token.TransferInstructionAccept   `lf:"acceptArg"`
}

// InstallTransferInstructionReject refuses a transfer to the user.
type InstallTransferInstructionReject struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferInstruction_Reject"`

	TransferInstructionCid lf.CID[token.TransferInstruction] `lf:"transferInstructionCid"`
	RejectArg              token.TransferInstructionReject   `lf:"rejectArg"`
}

// InstallTransferInstructionWithdraw takes a transfer of the user back.
type InstallTransferInstructionWithdraw struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferInstruction_Withdraw"`

	TransferInstructionCid lf.CID[token.TransferInstruction] `lf:"transferInstructionCid"`
	WithdrawArg            token.TransferInstructionWithdraw `lf:"withdrawArg"`
}

// InstallAllocationFactoryAllocate sets coin of the user aside for a settlement.
type InstallAllocationFactoryAllocate struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AllocationFactory_Allocate"`

	AllocationFactory lf.CID[token.AllocationFactory] `lf:"allocationFactory"`
	AllocateArg       token.AllocationFactoryAllocate `lf:"allocateArg"`
}

// InstallAllocationWithdraw takes coin back that the user has set aside.
type InstallAllocationWithdraw struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_Allocation_Withdraw"`

	AllocationCid lf.CID[token.Allocation] `lf:"allocationCid"`
	WithdrawArg   token.AllocationWithdraw `lf:"withdrawArg"`
}

// tokenChoices are the choices of a wallet that use the token standard. They are no batch operations: they take no
// rewards as inputs, but may take coin with an expired lock.
func tokenChoices() []ledger.ChoiceOf[WalletAppInstall] {
	return []ledger.ChoiceOf[WalletAppInstall]{
		byValidator(sendToken), byValidator(acceptInstruction), byValidator(rejectInstruction),
		byValidator(withdrawInstruction), byValidator(allocate), byValidator(withdrawAllocation),
	}
}

func sendToken(
	tx *ledger.Tx, w WalletAppInstall, arg InstallTransferFactoryTransfer,
) (none token.TransferInstructionResult, err error) {
	transfer := arg.TransferArg.Transfer
	if err := w.requireIs("sender", transfer.Sender); err != nil {
		return none, err
	}
	if err := w.requireCoin(transfer.InstrumentID, arg.TransferArg.ExpectedAdmin); err != nil {
		return none, err
	}
	return ledger.Exercise[token.TransferInstructionResult](tx, arg.TransferFactoryCid, arg.TransferArg)
}

func acceptInstruction(
	tx *ledger.Tx, w WalletAppInstall, arg InstallTransferInstructionAccept,
) (token.TransferInstructionResult, error) {
	return endTransfer(tx, w, arg.TransferInstructionCid, "receiver", arg.AcceptArg)
}

func rejectInstruction(
	tx *ledger.Tx, w WalletAppInstall, arg InstallTransferInstructionReject,
) (token.TransferInstructionResult, error) {
	return endTransfer(tx, w, arg.TransferInstructionCid, "receiver", arg.RejectArg)
}

func withdrawInstruction(
	tx *ledger.Tx, w WalletAppInstall, arg InstallTransferInstructionWithdraw,
) (token.TransferInstructionResult, error) {
	return endTransfer(tx, w, arg.TransferInstructionCid, "sender", arg.WithdrawArg)
}

// endTransfer exercises a choice on a pending transfer of the network's coin in which the wallet has the role.
func endTransfer[A any](
	tx *ledger.Tx, w WalletAppInstall, id lf.CID[token.TransferInstruction], role string, arg A,
) (none token.TransferInstructionResult, err error) {
	view, err := ledger.FetchView[token.TransferInstructionView](tx, id)
	if err != nil {
		return none, err
	}
	if err := w.requireGroup(id.ID(), view.Transfer.InstrumentID.Admin); err != nil {
		return none, err
	}
	party := view.Transfer.Receiver
	if role == "sender" {
		party = view.Transfer.Sender
	}
	if err := w.requireMatches(role, party); err != nil {
		return none, err
	}
	return ledger.Exercise[token.TransferInstructionResult](tx, id, arg)
}

func allocate(
	tx *ledger.Tx, w WalletAppInstall, arg InstallAllocationFactoryAllocate,
) (none token.AllocationInstructionResult, err error) {
	leg := arg.AllocateArg.Allocation.TransferLeg
	if err := w.requireIs("sender", leg.Sender); err != nil {
		return none, err
	}
	if err := w.requireCoin(leg.InstrumentID, arg.AllocateArg.ExpectedAdmin); err != nil {
		return none, err
	}
	return ledger.Exercise[token.AllocationInstructionResult](tx, arg.AllocationFactory, arg.AllocateArg)
}

func withdrawAllocation(
	tx *ledger.Tx, w WalletAppInstall, arg InstallAllocationWithdraw,
) (none token.AllocationWithdrawResult, err error) {
	view, err := ledger.FetchView[token.AllocationView](tx, arg.AllocationCid)
	if err != nil {
		return none, err
	}
	leg := view.Allocation.TransferLeg
	if err := w.requireGroup(arg.AllocationCid.ID(), leg.InstrumentID.Admin); err != nil {
		return none, err
	}
	if err := w.requireMatches("sender", leg.Sender); err != nil {
		return none, err
	}
	return ledger.Exercise[token.AllocationWithdrawResult](tx, arg.AllocationCid, arg.WithdrawArg)
}

func (w WalletAppInstall) requireGroup(id ledger.ContractID, admin Party) error {
	return requireGroup(id, fmt.Sprintf("dso '%s'", w.DSOParty), fmt.Sprintf("dso '%s'", admin))
}

func (w WalletAppInstall) requireIs(role string, party Party) error {
	return ledger.Require(fmt.Sprintf("%s '%s' is endUserParty '%s'", role, party, w.EndUserParty),
		party == w.EndUserParty)
}

func (w WalletAppInstall) requireMatches(role string, party Party) error {
	return ledger.Require(fmt.Sprintf("%s '%s' must match endUserParty '%s'", role, party, w.EndUserParty),
		party == w.EndUserParty)
}

// requireCoin checks that a transfer moves the network's coin.
func (w WalletAppInstall) requireCoin(instrument token.InstrumentID, expectedAdmin Party) error {
	own := token.InstrumentID{Admin: w.DSOParty, ID: coin.InstrumentName}
	err := ledger.Require(fmt.Sprintf("instrumentId %s:%s is amuletInstrumentId %s:%s",
		instrument.Admin, instrument.ID, own.Admin, own.ID), instrument == own)
	if err != nil {
		return err
	}
	return ledger.Require(fmt.Sprintf("expected admin '%s' is dso '%s'", expectedAdmin, w.DSOParty),
		expectedAdmin == w.DSOParty)
}
