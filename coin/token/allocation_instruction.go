package token

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// AllocationFactory is the interface of a token's contract that sets amounts aside for settlements.
type AllocationFactory struct {
	_ struct{} `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory"`
}

// AllocationFactoryView is the view of [AllocationFactory]: the administrator of its tokens.
type AllocationFactoryView struct {
	_     struct{}     `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactoryView"`
	Admin ledger.Party `lf:"admin"`
	Meta  Metadata     `lf:"meta"`
}

// AllocationFactoryAllocate sets an amount aside; the sender of the leg controls it.
type AllocationFactoryAllocate struct {
	_ struct{} `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory_Allocate"`
	// ExpectedAdmin protects the sender from factories of another token.
	ExpectedAdmin    ledger.Party            `lf:"expectedAdmin"`
	Allocation       AllocationSpecification `lf:"allocation"`
	RequestedAt      lf.Timestamp            `lf:"requestedAt"`
	InputHoldingCids []lf.CID[Holding]       `lf:"inputHoldingCids"`
	ExtraArgs        ExtraArgs               `lf:"extraArgs"`
}

// AllocationFactoryPublicFetch shows the factory's view to a party that is no stakeholder.
type AllocationFactoryPublicFetch struct {
	_ struct{} `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory_PublicFetch"`

	ExpectedAdmin ledger.Party `lf:"expectedAdmin"`
	Actor         ledger.Party `lf:"actor"`
}

// AllocationInstruction is the interface of pending allocations. Nothing built in implements it: the coin sets amounts
// aside at once.
type AllocationInstruction struct {
	_ struct{} `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationInstruction"`
}

// AllocationInstructionView is a pending allocation for wallets.
type AllocationInstructionView struct {
	_ struct{} `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationInstructionView"`

	OriginalInstructionCid *lf.CID[AllocationInstruction] `lf:"originalInstructionCid"`
	Allocation             AllocationSpecification        `lf:"allocation"`
	PendingActions         lf.Map[ledger.Party, string]   `lf:"pendingActions"`
	RequestedAt            lf.Timestamp                   `lf:"requestedAt"`
	InputHoldingCids       []lf.CID[Holding]              `lf:"inputHoldingCids"`
	Meta                   Metadata                       `lf:"meta"`
}

// AllocationInstructionWithdraw cancels a pending allocation; the sender of the leg controls it.
type AllocationInstructionWithdraw struct {
	_         struct{}  `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationInstruction_Withdraw"`
	ExtraArgs ExtraArgs `lf:"extraArgs"`
}

// AllocationInstructionUpdate is a step of the registry; the token's administrator and the extra actors control it.
type AllocationInstructionUpdate struct {
	_           struct{}       `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationInstruction_Update"`
	ExtraActors []ledger.Party `lf:"extraActors"`
	ExtraArgs   ExtraArgs      `lf:"extraArgs"`
}

// AllocationInstructionResult is the outcome of an allocation.
type AllocationInstructionResult struct {
	_                struct{}                          `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationInstructionResult"`
	Output           AllocationInstructionResultOutput `lf:"output"`
	SenderChangeCids []lf.CID[Holding]                 `lf:"senderChangeCids"`
	Meta             Metadata                          `lf:"meta"`
}

// AllocationInstructionResultOutput is the outcome. Exactly one field is set.
type AllocationInstructionResultOutput struct {
	_ struct{} `lf:"variant splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationInstructionResult_Output"`

	Pending   *AllocationPending   `lf:"AllocationInstructionResult_Pending"`
	Completed *AllocationCompleted `lf:"AllocationInstructionResult_Completed"`
	Failed    *lf.Unit             `lf:"AllocationInstructionResult_Failed"`
}

// AllocationPending is the outcome of an allocation that needs further steps.
type AllocationPending struct {
	_ struct{} `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationInstructionResult_Output.AllocationInstructionResult_Pending"`

	AllocationInstructionCid lf.CID[AllocationInstruction] `lf:"allocationInstructionCid"`
}

// AllocationCompleted is the outcome of a finished allocation.
type AllocationCompleted struct {
	_ struct{} `lf:"splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationInstructionResult_Output.AllocationInstructionResult_Completed"`

	AllocationCid lf.CID[Allocation] `lf:"allocationCid"`
}

// AllocationInstructionInterfaces are the interfaces of package splice-api-token-allocation-instruction-v1.
func AllocationInstructionInterfaces() []ledger.InterfaceSource {
	return []ledger.InterfaceSource{
		ledger.Interface[AllocationFactory, AllocationFactoryView]{
			Choices: []ledger.InterfaceChoiceOf[AllocationFactoryView]{
				ledger.InterfaceChoice[AllocationFactoryView, AllocationFactoryAllocate, AllocationInstructionResult]{
					Controllers: func(_ AllocationFactoryView, arg AllocationFactoryAllocate) []ledger.Party {
						return []ledger.Party{arg.Allocation.TransferLeg.Sender}
					},
				},
				ledger.InterfaceChoice[AllocationFactoryView, AllocationFactoryPublicFetch, AllocationFactoryView]{
					Controllers: func(_ AllocationFactoryView, arg AllocationFactoryPublicFetch) []ledger.Party {
						return []ledger.Party{arg.Actor}
					},
				},
			},
		},
		ledger.Interface[AllocationInstruction, AllocationInstructionView]{
			Choices: []ledger.InterfaceChoiceOf[AllocationInstructionView]{
				ledger.InterfaceChoice[
					AllocationInstructionView, AllocationInstructionWithdraw, AllocationInstructionResult]{
					Consuming: true,
					Controllers: func(view AllocationInstructionView, _ AllocationInstructionWithdraw) []ledger.Party {
						return []ledger.Party{view.Allocation.TransferLeg.Sender}
					},
				},
				ledger.InterfaceChoice[
					AllocationInstructionView, AllocationInstructionUpdate, AllocationInstructionResult]{
					Consuming: true,
					Controllers: func(view AllocationInstructionView, arg AllocationInstructionUpdate) []ledger.Party {
						return append([]ledger.Party{view.Allocation.TransferLeg.InstrumentID.Admin}, arg.ExtraActors...)
					},
				},
			},
		},
	}
}
