package token

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Allocation is the interface of amounts of a token that are set aside for one leg of a settlement.
type Allocation struct {
	_ struct{} `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation"`
}

// Reference points to the subject of a settlement, in the app that settles it.
type Reference struct {
	_   struct{}             `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Reference"`
	ID  string               `lf:"id"`
	CID *lf.CID[AnyContract] `lf:"cid"`
}

// SettlementInfo is the executor, subject and deadlines of a settlement.
type SettlementInfo struct {
	_ struct{} `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:SettlementInfo"`
	// Executor is the app that executes the legs.
	Executor      ledger.Party `lf:"executor"`
	SettlementRef Reference    `lf:"settlementRef"`
	RequestedAt   lf.Timestamp `lf:"requestedAt"`
	// AllocateBefore is the deadline for allocations.
	AllocateBefore lf.Timestamp `lf:"allocateBefore"`
	// SettleBefore is the deadline for the settlement.
	SettleBefore lf.Timestamp `lf:"settleBefore"`
	Meta         Metadata     `lf:"meta"`
}

// TransferLeg is one of the transfers that a settlement makes at once.
type TransferLeg struct {
	_            struct{}        `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:TransferLeg"`
	Sender       ledger.Party    `lf:"sender"`
	Receiver     ledger.Party    `lf:"receiver"`
	Amount       decimal.Decimal `lf:"amount"`
	InstrumentID InstrumentID    `lf:"instrumentId"`
	Meta         Metadata        `lf:"meta"`
}

// AllocationSpecification is the leg of a settlement to set aside.
type AllocationSpecification struct {
	_             struct{}       `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:AllocationSpecification"`
	Settlement    SettlementInfo `lf:"settlement"`
	TransferLegID string         `lf:"transferLegId"`
	TransferLeg   TransferLeg    `lf:"transferLeg"`
}

// AllocationView is an allocation for apps and wallets.
type AllocationView struct {
	_           struct{}                `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:AllocationView"`
	Allocation  AllocationSpecification `lf:"allocation"`
	HoldingCids []lf.CID[Holding]       `lf:"holdingCids"`
	Meta        Metadata                `lf:"meta"`
}

// AllocationExecuteTransfer makes the leg's transfer; executor, sender and receiver control it together.
type AllocationExecuteTransfer struct {
	_         struct{}  `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation_ExecuteTransfer"`
	ExtraArgs ExtraArgs `lf:"extraArgs"`
}

// AllocationCancel gives the amount back to the sender; executor, sender and receiver control it together.
type AllocationCancel struct {
	_         struct{}  `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation_Cancel"`
	ExtraArgs ExtraArgs `lf:"extraArgs"`
}

// AllocationWithdraw takes the amount back; the sender controls it.
type AllocationWithdraw struct {
	_         struct{}  `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation_Withdraw"`
	ExtraArgs ExtraArgs `lf:"extraArgs"`
}

// AllocationExecuteTransferResult is the result of [AllocationExecuteTransfer].
type AllocationExecuteTransferResult struct {
	_                   struct{}          `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation_ExecuteTransferResult"`
	SenderHoldingCids   []lf.CID[Holding] `lf:"senderHoldingCids"`
	ReceiverHoldingCids []lf.CID[Holding] `lf:"receiverHoldingCids"`
	Meta                Metadata          `lf:"meta"`
}

// AllocationCancelResult is the result of [AllocationCancel].
type AllocationCancelResult struct {
	_                 struct{}          `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation_CancelResult"`
	SenderHoldingCids []lf.CID[Holding] `lf:"senderHoldingCids"`
	Meta              Metadata          `lf:"meta"`
}

// AllocationWithdrawResult is the result of [AllocationWithdraw].
type AllocationWithdrawResult struct {
	_                 struct{}          `lf:"splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation_WithdrawResult"`
	SenderHoldingCids []lf.CID[Holding] `lf:"senderHoldingCids"`
	Meta              Metadata          `lf:"meta"`
}

// Controllers are the parties that together execute or cancel an allocation.
func (s AllocationSpecification) Controllers() []ledger.Party {
	return []ledger.Party{s.Settlement.Executor, s.TransferLeg.Sender, s.TransferLeg.Receiver}
}

// AllocationInterfaces are the interfaces of package splice-api-token-allocation-v1.
func AllocationInterfaces() []ledger.InterfaceSource {
	return []ledger.InterfaceSource{
		ledger.Interface[Allocation, AllocationView]{
			Choices: []ledger.InterfaceChoiceOf[AllocationView]{
				ledger.InterfaceChoice[AllocationView, AllocationExecuteTransfer, AllocationExecuteTransferResult]{
					Consuming: true,
					Controllers: func(view AllocationView, _ AllocationExecuteTransfer) []ledger.Party {
						return view.Allocation.Controllers()
					},
				},
				ledger.InterfaceChoice[AllocationView, AllocationCancel, AllocationCancelResult]{
					Consuming: true,
					Controllers: func(view AllocationView, _ AllocationCancel) []ledger.Party {
						return view.Allocation.Controllers()
					},
				},
				ledger.InterfaceChoice[AllocationView, AllocationWithdraw, AllocationWithdrawResult]{
					Consuming: true,
					Controllers: func(view AllocationView, _ AllocationWithdraw) []ledger.Party {
						return []ledger.Party{view.Allocation.TransferLeg.Sender}
					},
				},
			},
		},
	}
}
