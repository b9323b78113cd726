package walletapp

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// batch does a wallet's operations one after the other. The change of an operation is the input of the next.
type batch struct {
	tx      *ledger.Tx
	wallet  WalletAppInstall
	context coin.PaymentTransferContext
	inputs  []coin.TransferInput
}

// leave makes the change of an operation the inputs of the next.
func (b *batch) leave(change *lf.CID[coin.Amulet]) {
	b.inputs = nil
	if change != nil {
		b.inputs = []coin.TransferInput{coin.InputAmulet(*change)}
	}
}

func (b *batch) do(operation AmuletOperation) (AmuletOperationOutcome, error) {
	switch {
	case operation.AppPayment != nil:
		return b.payApp(*operation.AppPayment)
	case operation.CompleteAcceptedTransfer != nil:
		return b.completeOffer(*operation.CompleteAcceptedTransfer)
	case operation.Subscribe != nil:
		return b.subscribe(*operation.Subscribe)
	case operation.SubscriptionMakePayment != nil:
		return b.paySubscription(*operation.SubscriptionMakePayment)
	case operation.MergeTransferInputs != nil:
		return b.merge()
	case operation.BuyMemberTraffic != nil:
		return b.buyTraffic(*operation.BuyMemberTraffic)
	case operation.CompleteBuyTrafficRequest != nil:
		return b.completeTrafficRequest(operation.CompleteBuyTrafficRequest.TrafficRequestCid)
	case operation.Tap != nil:
		return b.tap(*operation.Tap)
	case operation.CreateExternalPartySetupProposal != nil:
		return b.proposeSetup(*operation.CreateExternalPartySetupProposal)
	case operation.AcceptTransferPreapprovalProposal != nil:
		return b.acceptProposal(*operation.AcceptTransferPreapprovalProposal)
	case operation.RenewTransferPreapproval != nil:
		return b.renew(*operation.RenewTransferPreapproval)
	case operation.TransferPreapprovalSend != nil:
		return b.send(*operation.TransferPreapprovalSend)
	default:
		return AmuletOperationOutcome{}, ledger.Abort(
			"ExtAmuletOperation: bare extension constructors are not allowed at runtime; name one of the CO_ operations")
	}
}

func (b *batch) payApp(id lf.CID[payments.AppPaymentRequest]) (AmuletOperationOutcome, error) {
	result, err := ledger.Exercise[payments.AppPaymentRequestAcceptResult](b.tx, id, payments.AppPaymentRequestAccept{
		Inputs: b.inputs, Context: b.context, WalletProvider: b.wallet.ValidatorParty,
	})
	b.leave(result.SenderChangeAmulet)
	return AmuletOperationOutcome{AcceptedAppPayment: &result.AcceptedPayment}, err
}

func (b *batch) completeOffer(id lf.CID[AcceptedTransferOffer]) (AmuletOperationOutcome, error) {
	result, err := ledger.Exercise[AcceptedTransferOfferCompleteResult](b.tx, id, AcceptedTransferOfferComplete{
		Inputs: b.inputs, TransferContext: b.context, WalletProvider: b.wallet.ValidatorParty,
	})
	b.leave(result.SenderChangeAmulet)
	return AmuletOperationOutcome{CompleteAcceptedTransfer: &lf.Tuple2[coin.TransferResult, OfferTrackingInfo]{
		V1: result.TransferResult, V2: result.TrackingInfo,
	}}, err
}

func (b *batch) subscribe(id lf.CID[payments.SubscriptionRequest]) (AmuletOperationOutcome, error) {
	result, err := ledger.Exercise[payments.SubscriptionRequestAcceptAndMakePaymentResult](b.tx, id,
		payments.SubscriptionRequestAcceptAndMakePayment{
			Inputs: b.inputs, Context: b.context, WalletProvider: b.wallet.ValidatorParty,
		})
	b.leave(result.SenderChange)
	return AmuletOperationOutcome{SubscriptionInitialPayment: &result.SubscriptionPayment}, err
}

func (b *batch) paySubscription(id lf.CID[payments.SubscriptionIdleState]) (AmuletOperationOutcome, error) {
	result, err := ledger.Exercise[payments.SubscriptionIdleStateMakePaymentResult](b.tx, id,
		payments.SubscriptionIdleStateMakePayment{
			Inputs: b.inputs, Context: b.context, WalletProvider: b.wallet.ValidatorParty,
		})
	b.leave(result.SenderChange)
	return AmuletOperationOutcome{SubscriptionPayment: &result.SubscriptionPayment}, err
}

func (b *batch) merge() (AmuletOperationOutcome, error) {
	user := b.wallet.EndUserParty
	result, err := b.context.Transfer(b.tx, b.wallet.DSOParty,
		coin.Transfer{Sender: user, Provider: user, Inputs: b.inputs})
	b.leave(result.SenderChangeAmulet)
	return AmuletOperationOutcome{MergeTransferInputs: &result.SenderChangeAmulet}, err
}

// tap adds the new coin before the existing inputs.
func (b *batch) tap(operation OperationTap) (AmuletOperationOutcome, error) {
	result, err := ledger.Exercise[coin.AmuletRulesDevNetTapResult](b.tx, b.context.AmuletRules,
		coin.AmuletRulesDevNetTap{
			Receiver: b.wallet.EndUserParty, Amount: operation.TapAmount, OpenRound: b.context.Context.OpenMiningRound,
		})
	tapped := result.AmuletSum.Amulet
	b.inputs = append([]coin.TransferInput{coin.InputAmulet(tapped)}, b.inputs...)
	return AmuletOperationOutcome{Tap: &tapped}, err
}

func (b *batch) proposeSetup(operation OperationProposeSetup) (out AmuletOperationOutcome, err error) {
	err = ledger.Require("Only a validator can create a proposal to host an external party", b.isOperators())
	if err != nil {
		return out, err
	}
	result, err := ledger.Exercise[coin.AmuletRulesCreateExternalPartySetupProposalResult](b.tx, b.context.AmuletRules,
		coin.AmuletRulesCreateExternalPartySetupProposal{
			Context: b.context, Inputs: b.inputs, User: operation.ExternalParty, Validator: b.wallet.ValidatorParty,
			PreapprovalExpiresAt: operation.PreapprovalExpiresAt, ExpectedDSO: &b.wallet.DSOParty,
		})
	b.pay(result.TransferResult, result.AmuletPaid.IsZero())
	return AmuletOperationOutcome{CreateExternalPartySetupProposal: &result.ProposalCid}, err
}

func (b *batch) acceptProposal(operation OperationAcceptProposal) (out AmuletOperationOutcome, err error) {
	err = ledger.Require("Only a validator can accept a proposal to create a transfer preapproval", b.isOperators())
	if err != nil {
		return out, err
	}
	result, err := ledger.Exercise[TransferPreapprovalProposalAcceptResult](b.tx, operation.PreapprovalProposalCid,
		TransferPreapprovalProposalAccept{Context: b.context, Inputs: b.inputs, ExpiresAt: operation.ExpiresAt})
	b.pay(result.TransferResult, result.AmuletPaid.IsZero())
	return AmuletOperationOutcome{AcceptTransferPreapprovalProposal: &result.TransferPreapprovalCid}, err
}

func (b *batch) renew(operation OperationRenewPreapproval) (AmuletOperationOutcome, error) {
	result, err := ledger.Exercise[coin.TransferPreapprovalRenewResult](b.tx, operation.PreviousApprovalCid,
		coin.TransferPreapprovalRenew{Context: b.context, Inputs: b.inputs, NewExpiresAt: operation.NewExpiresAt})
	b.pay(result.TransferResult, result.AmuletPaid.IsZero())
	return AmuletOperationOutcome{RenewTransferPreapproval: &result.TransferPreapprovalCid}, err
}

// send makes a transfer whose provider is the preapproval's, so the featured app right must be that provider's.
func (b *batch) send(operation OperationSend) (AmuletOperationOutcome, error) {
	context := b.context
	context.Context.FeaturedAppRight = operation.ProviderFeaturedAppRightCid
	result, err := ledger.Exercise[coin.TransferPreapprovalSendResult](b.tx, operation.TransferPreapprovalCid,
		coin.TransferPreapprovalSend{
			Context: context, Inputs: b.inputs, Amount: operation.Amount, Sender: b.wallet.EndUserParty,
			Description: operation.Description,
		})
	change := result.Result.SenderChangeAmulet
	b.leave(change)
	return AmuletOperationOutcome{TransferPreapprovalSend: &change}, err
}

// pay keeps the change of a purchase; a free purchase does not touch the inputs.
func (b *batch) pay(result coin.TransferResult, free bool) {
	if !free {
		b.leave(result.SenderChangeAmulet)
	}
}

func (b *batch) isOperators() bool { return b.wallet.EndUserParty == b.wallet.ValidatorParty }
