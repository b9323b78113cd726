package payments

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AppPaymentRequest asks a sender to pay one or more receivers once.
type AppPaymentRequest struct {
	_               struct{}         `lf:"splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest"`
	Sender          Party            `lf:"sender"`
	ReceiverAmounts []ReceiverAmount `lf:"receiverAmounts"`
	// Provider is the app that collects the payment, and the provider of the transfer.
	Provider    Party        `lf:"provider"`
	DSO         Party        `lf:"dso"`
	ExpiresAt   lf.Timestamp `lf:"expiresAt"`
	Description string       `lf:"description"`
}

func (r AppPaymentRequest) receivers() []Party {
	receivers := make([]Party, len(r.ReceiverAmounts))
	for i, amount := range r.ReceiverAmounts {
		receivers[i] = amount.Receiver
	}
	return receivers
}

func (r AppPaymentRequest) signatories() []Party { return append(r.receivers(), r.Sender, r.Provider) }

// AppPaymentRequestAccept locks the sum of all amounts for the provider to collect.
type AppPaymentRequestAccept struct {
	_              struct{}                    `lf:"splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest_Accept"`
	Inputs         []coin.TransferInput        `lf:"inputs"`
	Context        coin.PaymentTransferContext `lf:"context"`
	WalletProvider Party                       `lf:"walletProvider"`
}

// AppPaymentRequestAcceptResult is the result of [AppPaymentRequestAccept].
type AppPaymentRequestAcceptResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest_AcceptResult"`

	AcceptedPayment    lf.CID[AcceptedAppPayment] `lf:"acceptedPayment"`
	SenderChangeAmulet *lf.CID[coin.Amulet]       `lf:"senderChangeAmulet"`
}

// AppPaymentRequestReject refuses to pay.
type AppPaymentRequestReject struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest_Reject"`
}

// AppPaymentRequestRejectResult is the result of [AppPaymentRequestReject].
type AppPaymentRequestRejectResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest_RejectResult"`

	TerminatedAppPayment lf.CID[TerminatedAppPayment] `lf:"terminatedAppPayment"`
}

// AppPaymentRequestWithdraw takes the request back; all receivers agree.
type AppPaymentRequestWithdraw struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest_Withdraw"`
}

// AppPaymentRequestWithdrawResult is the result of [AppPaymentRequestWithdraw].
type AppPaymentRequestWithdrawResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest_WithdrawResult"`

	TerminatedAppPayment lf.CID[TerminatedAppPayment] `lf:"terminatedAppPayment"`
}

// AppPaymentRequestExpire ends a request that has expired; any stakeholder may.
type AppPaymentRequestExpire struct {
	_     struct{} `lf:"splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest_Expire"`
	Actor Party    `lf:"actor"`
}

// AppPaymentRequestExpireResult is the result of [AppPaymentRequestExpire].
type AppPaymentRequestExpireResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Payment:AppPaymentRequest_ExpireResult"`

	TerminatedAppPayment lf.CID[TerminatedAppPayment] `lf:"terminatedAppPayment"`
}

// TerminatedAppPayment tells the requesting app that there will be no payment, so that it can end its own contracts.
type TerminatedAppPayment struct {
	_         struct{}                  `lf:"splice-wallet-payments:Splice.Wallet.Payment:TerminatedAppPayment"`
	Sender    Party                     `lf:"sender"`
	Provider  Party                     `lf:"provider"`
	Receivers []Party                   `lf:"receivers"`
	Reference lf.CID[AppPaymentRequest] `lf:"reference"`
}

func appPaymentRequestTemplate() ledger.TemplateSource {
	type request = AppPaymentRequest
	return ledger.Template[request]{
		Network:     ledger.DSONamed(func(r request) Party { return r.DSO }),
		Signatories: request.signatories,
		Ensure: ledger.That("every receiver's amount is more than 0", func(r request) bool {
			for _, share := range r.ReceiverAmounts {
				if share.Amount.Amount.Sign() <= 0 {
					return false
				}
			}
			return true
		}),
		Choices: []ledger.ChoiceOf[request]{
			consuming(func(r request, arg AppPaymentRequestAccept) []Party {
				return []Party{r.Sender, arg.WalletProvider}
			}, acceptRequest),
			consuming(func(r request, _ AppPaymentRequestReject) []Party { return []Party{r.Sender} },
				func(tx *ledger.Tx, self lf.CID[request], r request, _ AppPaymentRequestReject,
				) (AppPaymentRequestRejectResult, error) {
					ended, err := r.terminate(tx, self)
					return AppPaymentRequestRejectResult{TerminatedAppPayment: ended}, err
				}),
			consuming(func(r request, _ AppPaymentRequestWithdraw) []Party { return r.receivers() },
				func(tx *ledger.Tx, self lf.CID[request], r request, _ AppPaymentRequestWithdraw,
				) (AppPaymentRequestWithdrawResult, error) {
					ended, err := r.terminate(tx, self)
					return AppPaymentRequestWithdrawResult{TerminatedAppPayment: ended}, err
				}),
			consuming(func(_ request, arg AppPaymentRequestExpire) []Party { return []Party{arg.Actor} },
				expireRequest),
		},
	}
}

func (r AppPaymentRequest) terminate(
	tx *ledger.Tx, self lf.CID[AppPaymentRequest],
) (lf.CID[TerminatedAppPayment], error) {
	return ledger.Create(tx, TerminatedAppPayment{
		Sender: r.Sender, Provider: r.Provider, Receivers: r.receivers(), Reference: self,
	})
}

func expireRequest(
	tx *ledger.Tx, self lf.CID[AppPaymentRequest], r AppPaymentRequest, arg AppPaymentRequestExpire,
) (none AppPaymentRequestExpireResult, err error) {
	if err := requireStakeholder(arg.Actor, r.signatories()); err != nil {
		return none, err
	}
	if err := requireExpired(tx, r.ExpiresAt); err != nil {
		return none, err
	}
	ended, err := r.terminate(tx, self)
	return AppPaymentRequestExpireResult{TerminatedAppPayment: ended}, err
}

func acceptRequest(
	tx *ledger.Tx, self lf.CID[AppPaymentRequest], r AppPaymentRequest, arg AppPaymentRequestAccept,
) (none AppPaymentRequestAcceptResult, err error) {
	round, err := coin.ReadOpenMiningRound(tx, r.DSO, r.Provider, arg.Context.Context.OpenMiningRound)
	if err != nil {
		return none, err
	}
	amounts, total, err := r.inCoin(round)
	if err != nil {
		return none, err
	}
	if err := ledger.Require("AppPaymentRequest has not expired", tx.IsBefore(r.ExpiresAt)); err != nil {
		return none, err
	}
	order := lockOrder{
		dso: r.DSO, sender: r.Sender, walletProvider: arg.WalletProvider, holders: append(r.receivers(), r.Provider),
		amount: total, purpose: "amulet-payment-request: " + r.Description,
	}
	paid, err := order.lock(tx, arg.Context, arg.Inputs, round)
	if err != nil {
		return none, err
	}
	accepted, err := ledger.Create(tx, AcceptedAppPayment{
		Sender: r.Sender, AmuletReceiverAmounts: amounts, Provider: r.Provider, DSO: r.DSO, LockedAmulet: paid.amulet,
		Round: paid.round, Reference: self,
	})
	return AppPaymentRequestAcceptResult{AcceptedPayment: accepted, SenderChangeAmulet: paid.change}, err
}

// inCoin is the amount of each receiver in coin, and the sum.
func (r AppPaymentRequest) inCoin(
	round coin.OpenMiningRound,
) (amounts []ReceiverAmuletAmount, total decimal.Decimal, err error) {
	for _, share := range r.ReceiverAmounts {
		amount, err := share.Amount.InCoin(r.DSO, round)
		if err != nil {
			return nil, total, err
		}
		amounts = append(amounts, ReceiverAmuletAmount{Receiver: share.Receiver, AmuletAmount: amount})
		if total, err = total.Add(amount); err != nil {
			return nil, total, ledger.ArithmeticFailure(err)
		}
	}
	return amounts, total, nil
}

func terminatedAppPaymentTemplate() ledger.TemplateSource {
	return ledger.Template[TerminatedAppPayment]{
		Signatories: func(t TerminatedAppPayment) []Party {
			return append([]Party{t.Sender, t.Provider}, t.Receivers...)
		},
	}
}
