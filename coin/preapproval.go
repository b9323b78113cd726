package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// TransferPreapproval is a receiver's agreement to get coin from anybody, until it expires. Its provider paid for it,
// and is the app provider of all transfers through it.
type TransferPreapproval struct {
	_        struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval"`
	DSO      Party    `lf:"dso"`
	Receiver Party    `lf:"receiver"`
	// Provider may be the receiver itself.
	Provider Party `lf:"provider"`
	// ValidFrom is its creation time; renewals keep it.
	ValidFrom lf.Timestamp `lf:"validFrom"`
	// LastRenewedAt is the beginning of the last extension: the previous ExpiresAt, or ValidFrom.
	LastRenewedAt lf.Timestamp `lf:"lastRenewedAt"`
	ExpiresAt     lf.Timestamp `lf:"expiresAt"`
}

func (p TransferPreapproval) dso() Party   { return p.DSO }
func (p TransferPreapproval) owner() Party { return p.Receiver }

// TransferPreapprovalFetch shows the preapproval to a party that is no stakeholder.
type TransferPreapprovalFetch struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_Fetch"`
	P Party    `lf:"p"`
}

// TransferPreapprovalSend sends coin to the receiver against an open round.
type TransferPreapprovalSend struct {
	_       struct{}               `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_Send"`
	Context PaymentTransferContext `lf:"context"`
	Inputs  []TransferInput        `lf:"inputs"`
	Amount  decimal.Decimal        `lf:"amount"`
	Sender  Party                  `lf:"sender"`
	// Description is a text for people.
	Description *string `lf:"description"`
}

// TransferPreapprovalSendResult is the result of [TransferPreapprovalSend]. The metadata is in Meta only.
type TransferPreapprovalSendResult struct {
	_      struct{}        `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_SendResult"`
	Result TransferResult  `lf:"result"`
	Meta   *token.Metadata `lf:"meta"`
}

// TransferPreapprovalSendV2 sends coin to the receiver with a configuration state, so that the execution can be long
// after the preparation.
type TransferPreapprovalSendV2 struct {
	_           struct{}                     `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_SendV2"`
	Context     ExternalPartyTransferContext `lf:"context"`
	Inputs      []TransferInput              `lf:"inputs"`
	Amount      decimal.Decimal              `lf:"amount"`
	Sender      Party                        `lf:"sender"`
	Description *string                      `lf:"description"`
	// Meta is the sender's metadata of the transfer; Description overrides its reason.
	Meta *token.Metadata `lf:"meta"`
}

// TransferPreapprovalSendV2Result is the result of [TransferPreapprovalSendV2]. The metadata is in Meta only.
type TransferPreapprovalSendV2Result struct {
	_      struct{}       `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_SendV2Result"`
	Result TransferResult `lf:"result"`
	Meta   token.Metadata `lf:"meta"`
}

// TransferPreapprovalRenew extends the preapproval; the provider pays for the extension.
type TransferPreapprovalRenew struct {
	_            struct{}               `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_Renew"`
	Context      PaymentTransferContext `lf:"context"`
	Inputs       []TransferInput        `lf:"inputs"`
	NewExpiresAt lf.Timestamp           `lf:"newExpiresAt"`
}

// TransferPreapprovalRenewResult is the result of [TransferPreapprovalRenew].
type TransferPreapprovalRenewResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_RenewResult"`

	TransferPreapprovalCid lf.CID[TransferPreapproval] `lf:"transferPreapprovalCid"`
	TransferResult         TransferResult              `lf:"transferResult"`
	Receiver               Party                       `lf:"receiver"`
	Provider               Party                       `lf:"provider"`
	AmuletPaid             decimal.Decimal             `lf:"amuletPaid"`
	Meta                   *token.Metadata             `lf:"meta"`
}

// TransferPreapprovalExpire archives a preapproval that has expired.
type TransferPreapprovalExpire struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_Expire"`
}

// TransferPreapprovalExpireResult is the empty result of [TransferPreapprovalExpire].
type TransferPreapprovalExpireResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_ExpireResult"`
}

// TransferPreapprovalCancel ends a preapproval; its receiver or its provider decides.
type TransferPreapprovalCancel struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_Cancel"`
	P Party    `lf:"p"`
}

// TransferPreapprovalCancelResult is the empty result of [TransferPreapprovalCancel].
type TransferPreapprovalCancelResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:TransferPreapproval_CancelResult"`
}

func transferPreapprovalTemplate() ledger.TemplateSource {
	type preapproval = TransferPreapproval
	return ledger.Template[preapproval]{
		Network:     ledger.DSOSigned(preapproval.dso),
		Signatories: func(p preapproval) []Party { return []Party{p.Receiver, p.Provider, p.DSO} },
		Ensure: ledger.That("expiresAt is after validFrom, and lastRenewedAt is not before validFrom",
			func(p preapproval) bool { return p.ExpiresAt > p.ValidFrom && p.LastRenewedAt >= p.ValidFrom }),
		Choices: []ledger.ChoiceOf[preapproval]{
			ledger.Choice[preapproval, TransferPreapprovalFetch, preapproval]{
				Controllers: func(_ preapproval, arg TransferPreapprovalFetch) []Party { return []Party{arg.P} },
				Body: func(
					_ *ledger.Tx, _ lf.CID[preapproval], p preapproval, _ TransferPreapprovalFetch,
				) (preapproval, error) {
					return p, nil
				},
			},
			ledger.Choice[preapproval, TransferPreapprovalSend, TransferPreapprovalSendResult]{
				Controllers: func(_ preapproval, arg TransferPreapprovalSend) []Party { return []Party{arg.Sender} },
				Body:        sendToPreapproval,
			},
			ledger.Choice[preapproval, TransferPreapprovalSendV2, TransferPreapprovalSendV2Result]{
				Controllers: func(_ preapproval, arg TransferPreapprovalSendV2) []Party { return []Party{arg.Sender} },
				Body:        sendToPreapprovalV2,
			},
			ledger.Choice[preapproval, TransferPreapprovalRenew, TransferPreapprovalRenewResult]{
				Consuming:   true,
				Controllers: func(p preapproval, _ TransferPreapprovalRenew) []Party { return []Party{p.Provider} },
				Body:        renewPreapproval,
			},
			ledger.Choice[preapproval, TransferPreapprovalExpire, TransferPreapprovalExpireResult]{
				Consuming:   true,
				Controllers: func(p preapproval, _ TransferPreapprovalExpire) []Party { return []Party{p.DSO} },
				Body:        expirePreapproval,
			},
			ledger.Choice[preapproval, TransferPreapprovalCancel, TransferPreapprovalCancelResult]{
				Consuming:   true,
				Controllers: func(_ preapproval, arg TransferPreapprovalCancel) []Party { return []Party{arg.P} },
				Body:        cancelPreapproval,
			},
		},
	}
}

func (p TransferPreapproval) requireValid(tx *ledger.Tx) error {
	return ledger.RequireWithinDeadline(tx, "TransferPreapproval.expiresAt", p.ExpiresAt)
}

// transfer is the transfer through the preapproval. The rewards go to the provider, who hosts the receiver; the sender
// cannot change that.
func (p TransferPreapproval) transfer(
	sender Party, inputs []TransferInput, amount decimal.Decimal, meta token.Metadata,
) Transfer {
	return Transfer{
		Sender: sender, Provider: p.Provider, Inputs: inputs,
		Outputs: []TransferOutput{{Receiver: p.Receiver, Amount: amount, Meta: &meta}},
	}
}

func sendToPreapproval(
	tx *ledger.Tx, _ lf.CID[TransferPreapproval], p TransferPreapproval, arg TransferPreapprovalSend,
) (none TransferPreapprovalSendResult, err error) {
	if err := p.requireValid(tx); err != nil {
		return none, err
	}
	senderMeta := reasonMeta(arg.Description)
	result, err := arg.Context.Transfer(tx, p.DSO, p.transfer(arg.Sender, arg.Inputs, arg.Amount, senderMeta))
	if err != nil {
		return none, err
	}
	meta := joinMeta(*result.Meta, senderMeta)
	result.Meta = nil
	return TransferPreapprovalSendResult{Result: result, Meta: &meta}, nil
}

func sendToPreapprovalV2(
	tx *ledger.Tx, _ lf.CID[TransferPreapproval], p TransferPreapproval, arg TransferPreapprovalSendV2,
) (none TransferPreapprovalSendV2Result, err error) {
	if err := p.requireValid(tx); err != nil {
		return none, err
	}
	senderMeta := joinMeta(reasonMeta(arg.Description), valueOr(arg.Meta, token.Metadata{}))
	transfer := p.transfer(arg.Sender, arg.Inputs, arg.Amount, senderMeta)
	result, err := executeExternalTransfer(tx, p.DSO, arg.Context, transfer)
	if err != nil {
		return none, err
	}
	meta := joinMeta(*result.Meta, senderMeta)
	result.Meta = nil
	return TransferPreapprovalSendV2Result{Result: result, Meta: meta}, nil
}

func renewPreapproval(
	tx *ledger.Tx, _ lf.CID[TransferPreapproval], p TransferPreapproval, arg TransferPreapprovalRenew,
) (none TransferPreapprovalRenewResult, err error) {
	if err := p.requireValid(tx); err != nil {
		return none, err
	}
	if err := ledger.Require("newExpiresAt is after expiresAt", arg.NewExpiresAt > p.ExpiresAt); err != nil {
		return none, err
	}
	receipt, err := preapprovalPayment{
		dso: p.DSO, payer: p.Provider, context: arg.Context, inputs: arg.Inputs,
		from: p.ExpiresAt, until: arg.NewExpiresAt, reason: "renew TransferPreapproval",
	}.pay(tx)
	if err != nil {
		return none, err
	}
	p.LastRenewedAt, p.ExpiresAt = p.ExpiresAt, arg.NewExpiresAt
	renewed, err := ledger.Create(tx, p)
	return TransferPreapprovalRenewResult{
		TransferPreapprovalCid: renewed, TransferResult: receipt.transferResult, Receiver: p.Receiver,
		Provider: p.Provider, AmuletPaid: receipt.amuletPaid, Meta: &receipt.meta,
	}, err
}

func expirePreapproval(
	tx *ledger.Tx, _ lf.CID[TransferPreapproval], p TransferPreapproval, _ TransferPreapprovalExpire,
) (none TransferPreapprovalExpireResult, err error) {
	return none, ledger.RequireDeadlineExceeded(tx, "TransferPreapproval.expiresAt", p.ExpiresAt)
}

func cancelPreapproval(
	tx *ledger.Tx, _ lf.CID[TransferPreapproval], p TransferPreapproval, arg TransferPreapprovalCancel,
) (none TransferPreapprovalCancelResult, err error) {
	allowed := arg.P == p.Receiver || arg.P == p.Provider
	if err := ledger.Require("Controller "+quoted(arg.P)+" is either receiver or provider", allowed); err != nil {
		return none, err
	}
	return none, p.requireValid(tx)
}
