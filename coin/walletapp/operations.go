package walletapp

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletOperation is an operation of a wallet with its user's coin. Exactly one field is set.
type AmuletOperation struct {
	_ struct{} `lf:"variant splice-wallet:Splice.Wallet.Install:AmuletOperation"`

	// AppPayment pays an app.
	AppPayment *lf.CID[payments.AppPaymentRequest] `lf:"CO_AppPayment"`
	// CompleteAcceptedTransfer pays the receiver of an accepted offer.
	CompleteAcceptedTransfer *lf.CID[AcceptedTransferOffer] `lf:"CO_CompleteAcceptedTransfer"`
	// Subscribe agrees to a subscription and makes its first payment.
	Subscribe *lf.CID[payments.SubscriptionRequest] `lf:"CO_SubscriptionAcceptAndMakeInitialPayment"`
	// SubscriptionMakePayment makes the next payment of a subscription.
	SubscriptionMakePayment *lf.CID[payments.SubscriptionIdleState] `lf:"CO_SubscriptionMakePayment"`
	// MergeTransferInputs mints all rewards and makes one coin of all inputs.
	MergeTransferInputs *lf.Unit `lf:"CO_MergeTransferInputs"`
	// BuyMemberTraffic buys traffic for the operator's node.
	BuyMemberTraffic *OperationBuyTraffic `lf:"CO_BuyMemberTraffic"`
	// CompleteBuyTrafficRequest buys the traffic that the user asked for.
	CompleteBuyTrafficRequest *OperationCompleteTrafficRequest `lf:"CO_CompleteBuyTrafficRequest"`
	// Tap mints coin on development networks.
	Tap *OperationTap `lf:"CO_Tap"`
	// Ext is the constructor that upstream kept for additions; no operation may use it.
	Ext *ExtAmuletOperation `lf:"ExtAmuletOperation"`
	// CreateExternalPartySetupProposal offers to an external party to host it; for the operator's own wallet.
	CreateExternalPartySetupProposal *OperationProposeSetup `lf:"CO_CreateExternalPartySetupProposal"`
	// AcceptTransferPreapprovalProposal pays for a preapproval; for the operator's own wallet.
	AcceptTransferPreapprovalProposal *OperationAcceptProposal `lf:"CO_AcceptTransferPreapprovalProposal"`
	// RenewTransferPreapproval extends a preapproval.
	RenewTransferPreapproval *OperationRenewPreapproval `lf:"CO_RenewTransferPreapproval"`
	// TransferPreapprovalSend sends coin to a receiver with a preapproval.
	TransferPreapprovalSend *OperationSend `lf:"CO_TransferPreapprovalSend"`
}

// OperationBuyTraffic is the content of [AmuletOperation.BuyMemberTraffic].
type OperationBuyTraffic struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:AmuletOperation.CO_BuyMemberTraffic"`
	// TrafficAmount is in bytes.
	TrafficAmount  int64  `lf:"trafficAmount"`
	MemberID       string `lf:"memberId"`
	SynchronizerID string `lf:"synchronizerId"`
	MigrationID    int64  `lf:"migrationId"`
	// MinTopupInterval is the least time since the last purchase in TopupStateCid.
	MinTopupInterval lf.RelTime                   `lf:"minTopupInterval"`
	TopupStateCid    *lf.CID[ValidatorTopUpState] `lf:"topupStateCid"`
}

// OperationCompleteTrafficRequest is the content of [AmuletOperation.CompleteBuyTrafficRequest].
type OperationCompleteTrafficRequest struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:AmuletOperation.CO_CompleteBuyTrafficRequest"`

	TrafficRequestCid lf.CID[BuyTrafficRequest] `lf:"trafficRequestCid"`
}

// OperationTap is the content of [AmuletOperation.Tap].
type OperationTap struct {
	_         struct{}        `lf:"splice-wallet:Splice.Wallet.Install:AmuletOperation.CO_Tap"`
	TapAmount decimal.Decimal `lf:"tapAmount"`
}

// ExtAmuletOperation is the content of [AmuletOperation.Ext].
type ExtAmuletOperation struct {
	_              struct{} `lf:"splice-wallet:Splice.Wallet.Install:AmuletOperation.ExtAmuletOperation"`
	DummyUnitField lf.Unit  `lf:"dummyUnitField"`
}

// OperationProposeSetup is the content of [AmuletOperation.CreateExternalPartySetupProposal].
type OperationProposeSetup struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:AmuletOperation.CO_CreateExternalPartySetupProposal"`

	ExternalParty        Party        `lf:"externalParty"`
	PreapprovalExpiresAt lf.Timestamp `lf:"preapprovalExpiresAt"`
}

// OperationAcceptProposal is the content of [AmuletOperation.AcceptTransferPreapprovalProposal].
type OperationAcceptProposal struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:AmuletOperation.CO_AcceptTransferPreapprovalProposal"`

	PreapprovalProposalCid lf.CID[TransferPreapprovalProposal] `lf:"preapprovalProposalCid"`
	ExpiresAt              lf.Timestamp                        `lf:"expiresAt"`
}

// OperationRenewPreapproval is the content of [AmuletOperation.RenewTransferPreapproval].
type OperationRenewPreapproval struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:AmuletOperation.CO_RenewTransferPreapproval"`

	PreviousApprovalCid lf.CID[coin.TransferPreapproval] `lf:"previousApprovalCid"`
	NewExpiresAt        lf.Timestamp                     `lf:"newExpiresAt"`
}

// OperationSend is the content of [AmuletOperation.TransferPreapprovalSend].
type OperationSend struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:AmuletOperation.CO_TransferPreapprovalSend"`

	TransferPreapprovalCid lf.CID[coin.TransferPreapproval] `lf:"transferPreapprovalCid"`
	// ProviderFeaturedAppRightCid is the right of the preapproval's provider, if it has one.
	ProviderFeaturedAppRightCid *lf.CID[coin.FeaturedAppRight] `lf:"providerFeaturedAppRightCid"`
	Amount                      decimal.Decimal                `lf:"amount"`
	Description                 *string                        `lf:"description"`
}

// AmuletOperationOutcome is the outcome of an operation. Exactly one field is set.
type AmuletOperationOutcome struct {
	_ struct{} `lf:"variant splice-wallet:Splice.Wallet.Install:AmuletOperationOutcome"`

	AcceptedAppPayment *lf.CID[payments.AcceptedAppPayment] `lf:"COO_AcceptedAppPayment"`

	CompleteAcceptedTransfer *lf.Tuple2[coin.TransferResult, OfferTrackingInfo] `lf:"COO_CompleteAcceptedTransfer"`

	SubscriptionInitialPayment *lf.CID[payments.SubscriptionInitialPayment] `lf:"COO_SubscriptionInitialPayment"`
	SubscriptionPayment        *lf.CID[payments.SubscriptionPayment]        `lf:"COO_SubscriptionPayment"`
	// MergeTransferInputs is the merged coin, or none without inputs to merge.
	MergeTransferInputs **lf.CID[coin.Amulet]       `lf:"COO_MergeTransferInputs"`
	BuyMemberTraffic    *lf.CID[coin.MemberTraffic] `lf:"COO_BuyMemberTraffic"`

	CompleteBuyTrafficRequest *BoughtTraffic `lf:"COO_CompleteBuyTrafficRequest"`

	Tap *lf.CID[coin.Amulet] `lf:"COO_Tap"`
	// Error is no longer produced: a failing operation fails the batch.
	Error *coin.InvalidTransferReason `lf:"COO_Error"`
	Ext   *ExtAmuletOperationOutcome  `lf:"ExtAmuletOperationOutcome"`

	CreateExternalPartySetupProposal  *lf.CID[coin.ExternalPartySetupProposal] `lf:"COO_CreateExternalPartySetupProposal"`
	AcceptTransferPreapprovalProposal *lf.CID[coin.TransferPreapproval]        `lf:"COO_AcceptTransferPreapprovalProposal"`
	RenewTransferPreapproval          *lf.CID[coin.TransferPreapproval]        `lf:"COO_RenewTransferPreapproval"`
	// TransferPreapprovalSend is the sender's change.
	TransferPreapprovalSend **lf.CID[coin.Amulet] `lf:"COO_TransferPreapprovalSend"`
}

// BoughtTraffic is the content of [AmuletOperationOutcome.CompleteBuyTrafficRequest].
type BoughtTraffic = lf.Tuple2[lf.CID[coin.MemberTraffic], TrafficTrackingInfo]

// ExtAmuletOperationOutcome is the content of [AmuletOperationOutcome.Ext].
type ExtAmuletOperationOutcome struct {
	_              struct{} `lf:"splice-wallet:Splice.Wallet.Install:AmuletOperationOutcome.ExtAmuletOperationOutcome"`
	DummyUnitField lf.Unit  `lf:"dummyUnitField"`
}
