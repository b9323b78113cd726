package token

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// TransferFactory is the interface of a token's contract that starts transfers.
type TransferFactory struct {
	_ struct{} `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory"`
}

// TransferFactoryView is the view of [TransferFactory]: the administrator of its tokens.
type TransferFactoryView struct {
	_     struct{}     `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactoryView"`
	Admin ledger.Party `lf:"admin"`
	Meta  Metadata     `lf:"meta"`
}

// Transfer is a sender's request: move an amount of a token to a receiver, before a deadline.
type Transfer struct {
	_            struct{}        `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:Transfer"`
	Sender       ledger.Party    `lf:"sender"`
	Receiver     ledger.Party    `lf:"receiver"`
	Amount       decimal.Decimal `lf:"amount"`
	InstrumentID InstrumentID    `lf:"instrumentId"`
	// RequestedAt is the time of the sender's request; it must be in the past.
	RequestedAt lf.Timestamp `lf:"requestedAt"`
	// ExecuteBefore is the deadline of the transfer.
	ExecuteBefore lf.Timestamp `lf:"executeBefore"`
	// InputHoldingCids are the sender's holdings that pay for the transfer.
	InputHoldingCids []lf.CID[Holding] `lf:"inputHoldingCids"`
	Meta             Metadata          `lf:"meta"`
}

// TransferFactoryTransfer starts a transfer; the sender controls it.
type TransferFactoryTransfer struct {
	_ struct{} `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory_Transfer"`
	// ExpectedAdmin protects the sender from factories of another token.
	ExpectedAdmin ledger.Party `lf:"expectedAdmin"`
	Transfer      Transfer     `lf:"transfer"`
	ExtraArgs     ExtraArgs    `lf:"extraArgs"`
}

// TransferFactoryPublicFetch shows the factory's view to a party that is no stakeholder.
type TransferFactoryPublicFetch struct {
	_ struct{} `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory_PublicFetch"`

	ExpectedAdmin ledger.Party `lf:"expectedAdmin"`
	Actor         ledger.Party `lf:"actor"`
}

// TransferInstruction is the interface of pending transfers.
type TransferInstruction struct {
	_ struct{} `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction"`
}

// TransferInstructionView is a pending transfer for wallets.
type TransferInstructionView struct {
	_ struct{} `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstructionView"`
	// OriginalInstructionCid is the first instruction of the transfer, if there were several.
	OriginalInstructionCid *lf.CID[TransferInstruction] `lf:"originalInstructionCid"`
	Transfer               Transfer                     `lf:"transfer"`
	Status                 TransferInstructionStatus    `lf:"status"`
	Meta                   Metadata                     `lf:"meta"`
}

// TransferInstructionStatus is the next action that a transfer needs. Exactly one field is set.
type TransferInstructionStatus struct {
	_ struct{} `lf:"variant splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstructionStatus"`

	PendingReceiverAcceptance *lf.Unit                 `lf:"TransferPendingReceiverAcceptance"`
	PendingInternalWorkflow   *PendingInternalWorkflow `lf:"TransferPendingInternalWorkflow"`
}

// PendingInternalWorkflow is the status of a transfer that needs actions of the registry's parties.
type PendingInternalWorkflow struct {
	_ struct{} `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstructionStatus.TransferPendingInternalWorkflow"`
	// PendingActions is the necessary action of each party.
	PendingActions lf.Map[ledger.Party, string] `lf:"pendingActions"`
}

// TransferInstructionAccept accepts the transfer; the receiver controls it.
type TransferInstructionAccept struct {
	_         struct{}  `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction_Accept"`
	ExtraArgs ExtraArgs `lf:"extraArgs"`
}

// TransferInstructionReject refuses the transfer; the receiver controls it.
type TransferInstructionReject struct {
	_         struct{}  `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction_Reject"`
	ExtraArgs ExtraArgs `lf:"extraArgs"`
}

// TransferInstructionWithdraw takes the transfer back; the sender controls it.
type TransferInstructionWithdraw struct {
	_         struct{}  `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction_Withdraw"`
	ExtraArgs ExtraArgs `lf:"extraArgs"`
}

// TransferInstructionUpdate is a step of the registry; the token's administrator and the extra actors control it.
type TransferInstructionUpdate struct {
	_           struct{}       `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction_Update"`
	ExtraActors []ledger.Party `lf:"extraActors"`
	ExtraArgs   ExtraArgs      `lf:"extraArgs"`
}

// TransferInstructionResult is the outcome of a transfer.
type TransferInstructionResult struct {
	_      struct{}                        `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstructionResult"`
	Output TransferInstructionResultOutput `lf:"output"`
	// SenderChangeCids are the sender's change.
	SenderChangeCids []lf.CID[Holding] `lf:"senderChangeCids"`
	Meta             Metadata          `lf:"meta"`
}

// TransferInstructionResultOutput is the outcome. Exactly one field is set.
type TransferInstructionResultOutput struct {
	_ struct{} `lf:"variant splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstructionResult_Output"`

	Pending   *TransferPending   `lf:"TransferInstructionResult_Pending"`
	Completed *TransferCompleted `lf:"TransferInstructionResult_Completed"`
	Failed    *lf.Unit           `lf:"TransferInstructionResult_Failed"`
}

// TransferPending is the outcome of a transfer that needs further steps.
type TransferPending struct {
	_ struct{} `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstructionResult_Output.TransferInstructionResult_Pending"`

	TransferInstructionCid lf.CID[TransferInstruction] `lf:"transferInstructionCid"`
}

// TransferCompleted is the outcome of a finished transfer.
type TransferCompleted struct {
	_ struct{} `lf:"splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstructionResult_Output.TransferInstructionResult_Completed"`

	ReceiverHoldingCids []lf.CID[Holding] `lf:"receiverHoldingCids"`
}

// TransferInstructionInterfaces are the interfaces of package splice-api-token-transfer-instruction-v1.
func TransferInstructionInterfaces() []ledger.InterfaceSource {
	return []ledger.InterfaceSource{
		ledger.Interface[TransferFactory, TransferFactoryView]{
			Choices: []ledger.InterfaceChoiceOf[TransferFactoryView]{
				ledger.InterfaceChoice[TransferFactoryView, TransferFactoryTransfer, TransferInstructionResult]{
					Controllers: func(_ TransferFactoryView, arg TransferFactoryTransfer) []ledger.Party {
						return []ledger.Party{arg.Transfer.Sender}
					},
				},
				ledger.InterfaceChoice[TransferFactoryView, TransferFactoryPublicFetch, TransferFactoryView]{
					Controllers: func(_ TransferFactoryView, arg TransferFactoryPublicFetch) []ledger.Party {
						return []ledger.Party{arg.Actor}
					},
				},
			},
		},
		ledger.Interface[TransferInstruction, TransferInstructionView]{
			Choices: []ledger.InterfaceChoiceOf[TransferInstructionView]{
				instructionChoice(func(view TransferInstructionView, _ TransferInstructionAccept) []ledger.Party {
					return []ledger.Party{view.Transfer.Receiver}
				}),
				instructionChoice(func(view TransferInstructionView, _ TransferInstructionReject) []ledger.Party {
					return []ledger.Party{view.Transfer.Receiver}
				}),
				instructionChoice(func(view TransferInstructionView, _ TransferInstructionWithdraw) []ledger.Party {
					return []ledger.Party{view.Transfer.Sender}
				}),
				instructionChoice(func(view TransferInstructionView, arg TransferInstructionUpdate) []ledger.Party {
					return append([]ledger.Party{view.Transfer.InstrumentID.Admin}, arg.ExtraActors...)
				}),
			},
		},
	}
}

// instructionChoice is a choice that ends a transfer instruction, or replaces it by another.
func instructionChoice[A any](
	controllers func(view TransferInstructionView, arg A) []ledger.Party,
) ledger.InterfaceChoiceOf[TransferInstructionView] {
	return ledger.InterfaceChoice[TransferInstructionView, A, TransferInstructionResult]{
		Consuming: true, Controllers: controllers,
	}
}
