package payments

import (
	"fmt"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// AcceptedAppPayment is a payment whose coin is locked until the provider collects it or gives it back.
type AcceptedAppPayment struct {
	_                     struct{}                  `lf:"splice-wallet-payments:Splice.Wallet.Payment:AcceptedAppPayment"`
	Sender                Party                     `lf:"sender"`
	AmuletReceiverAmounts []ReceiverAmuletAmount    `lf:"amuletReceiverAmounts"`
	Provider              Party                     `lf:"provider"`
	DSO                   Party                     `lf:"dso"`
	LockedAmulet          lf.CID[coin.LockedAmulet] `lf:"lockedAmulet"`
	// Round is the round of the acceptance; the provider must collect in the same round.
	Round     coin.Round                `lf:"round"`
	Reference lf.CID[AppPaymentRequest] `lf:"reference"`
}

func (p AcceptedAppPayment) signatories() []Party {
	return append(receiversOf(p.AmuletReceiverAmounts), p.Sender, p.Provider)
}

// AcceptedAppPaymentCollect pays the receivers; all signatories agree.
type AcceptedAppPaymentCollect struct {
	_       struct{}                `lf:"splice-wallet-payments:Splice.Wallet.Payment:AcceptedAppPayment_Collect"`
	Context coin.AppTransferContext `lf:"context"`
}

// AcceptedAppPaymentCollectResult is the result of [AcceptedAppPaymentCollect]: each receiver's coin.
type AcceptedAppPaymentCollectResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Payment:AcceptedAppPayment_CollectResult"`

	ReceiverAmulets []lf.Tuple2[Party, lf.CID[coin.Amulet]] `lf:"receiverAmulets"`
}

// AcceptedAppPaymentReject gives the coin back at once; all receivers agree.
type AcceptedAppPaymentReject struct {
	_       struct{}                `lf:"splice-wallet-payments:Splice.Wallet.Payment:AcceptedAppPayment_Reject"`
	Context coin.AppTransferContext `lf:"context"`
}

// AcceptedAppPaymentRejectResult is the result of [AcceptedAppPaymentReject].
type AcceptedAppPaymentRejectResult struct {
	_      struct{}      `lf:"splice-wallet-payments:Splice.Wallet.Payment:AcceptedAppPayment_RejectResult"`
	Amulet AmuletSummary `lf:"amulet"`
}

// AcceptedAppPaymentExpire takes the coin back once its lock has expired; the sender decides.
type AcceptedAppPaymentExpire struct {
	_       struct{}                `lf:"splice-wallet-payments:Splice.Wallet.Payment:AcceptedAppPayment_Expire"`
	Context coin.AppTransferContext `lf:"context"`
}

// AcceptedAppPaymentExpireResult is the result of [AcceptedAppPaymentExpire].
type AcceptedAppPaymentExpireResult struct {
	_      struct{}      `lf:"splice-wallet-payments:Splice.Wallet.Payment:AcceptedAppPayment_ExpireResult"`
	Amulet AmuletSummary `lf:"amulet"`
}

func acceptedAppPaymentTemplate() ledger.TemplateSource {
	type payment = AcceptedAppPayment
	return ledger.Template[payment]{
		Network:     ledger.DSONamed(func(p payment) Party { return p.DSO }),
		Signatories: payment.signatories,
		Choices: []ledger.ChoiceOf[payment]{
			consuming(func(p payment, _ AcceptedAppPaymentCollect) []Party { return p.signatories() }, collectPayment),
			consuming(func(p payment, _ AcceptedAppPaymentReject) []Party {
				return receiversOf(p.AmuletReceiverAmounts)
			}, func(tx *ledger.Tx, _ lf.CID[payment], p payment, arg AcceptedAppPaymentReject,
			) (AcceptedAppPaymentRejectResult, error) {
				amulet, err := p.giveBack(tx, arg.Context, true)
				return AcceptedAppPaymentRejectResult{Amulet: amulet}, err
			}),
			consuming(func(p payment, _ AcceptedAppPaymentExpire) []Party { return []Party{p.Sender} },
				func(tx *ledger.Tx, _ lf.CID[payment], p payment, arg AcceptedAppPaymentExpire,
				) (AcceptedAppPaymentExpireResult, error) {
					amulet, err := p.giveBack(tx, arg.Context, false)
					return AcceptedAppPaymentExpireResult{Amulet: amulet}, err
				}),
		},
	}
}

func collectPayment(
	tx *ledger.Tx, _ lf.CID[AcceptedAppPayment], p AcceptedAppPayment, arg AcceptedAppPaymentCollect,
) (result AcceptedAppPaymentCollectResult, err error) {
	if err := requireSameRound(tx, p.DSO, p.Provider, arg.Context, "payment acceptance", p.Round); err != nil {
		return result, err
	}
	paid, err := collect(tx, arg.Context, p.DSO, p.Sender, p.Provider, p.LockedAmulet, p.AmuletReceiverAmounts)
	if err != nil {
		return result, err
	}
	for i, amulet := range paid {
		result.ReceiverAmulets = append(result.ReceiverAmulets,
			lf.Tuple2[Party, lf.CID[coin.Amulet]]{V1: p.AmuletReceiverAmounts[i].Receiver, V2: amulet})
	}
	return result, nil
}

// requireSameRound checks that the collection is in the round of the acceptance, which fixed the amount.
func requireSameRound(
	tx *ledger.Tx, dso, reader Party, context coin.AppTransferContext, event string, fixedIn coin.Round,
) error {
	round, err := coin.ReadOpenMiningRound(tx, dso, reader, context.OpenMiningRound)
	if err != nil {
		return err
	}
	return ledger.Require(fmt.Sprintf("Round at %s %d matches round at collection %d",
		event, fixedIn.Number, round.Round.Number), fixedIn.Number == round.Round.Number)
}

func (p AcceptedAppPayment) giveBack(
	tx *ledger.Tx, context coin.AppTransferContext, agreed bool,
) (AmuletSummary, error) {
	_, err := ledger.Create(tx, TerminatedAppPayment{
		Sender: p.Sender, Provider: p.Provider, Receivers: receiversOf(p.AmuletReceiverAmounts), Reference: p.Reference,
	})
	if err != nil {
		return AmuletSummary{}, err
	}
	return release(tx, p.DSO, p.Sender, context.OpenMiningRound, p.LockedAmulet, agreed)
}
