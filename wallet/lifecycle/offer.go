package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/plan"
)

// offerWorkflowID names the workflow of an offer and of what becomes of it when it is accepted: the sender's name for
// it, and something that tells senders apart.
func offerWorkflowID(sender ledger.Party, trackingID string) workflowid.ID {
	return workflowid.Of("transfer", trackingID, distinguish(sender, trackingID))
}

// distinguish tells apart requests of the same name by different users.
func distinguish(user ledger.Party, trackingID string) string {
	const digits = 16
	hash := sha256.Sum256([]byte(string(user) + "\x00" + trackingID))
	return hex.EncodeToString(hash[:])[:digits]
}

func followOffer(_ ledger.ContractID, o walletapp.TransferOffer) Followed {
	return Followed{
		Kind: TwoStepTransfer, WorkflowID: offerWorkflowID(o.Sender, o.TrackingID),
		Parties: ledger.SortedParties([]ledger.Party{o.Sender, o.Receiver}),
	}
}

func followAcceptedOffer(_ ledger.ContractID, o walletapp.AcceptedTransferOffer) Followed {
	return Followed{
		Kind: TwoStepTransfer, WorkflowID: offerWorkflowID(o.Sender, o.TrackingID),
		Parties: ledger.SortedParties([]ledger.Party{o.Sender, o.Receiver}),
	}
}

// recheckInterval is how long to wait before looking again for a wallet of the sender or the receiver here: offers
// between others are theirs to end.
const recheckInterval = 24 * time.Hour

// planOffer ends an offer that was not accepted in time, in the name of whichever side has a wallet here.
func (r *Registry) planOffer(s Situation, o plan.Contract[walletapp.TransferOffer]) (plan.Step, error) {
	if end := o.Payload.ExpiresAt.Time().Add(plan.ExpiryPatience); s.Now.Before(end) {
		return plan.Step{Until: end, WaitsFor: "the receiver to accept or reject, or expiry"}, nil
	}
	w, ok, err := plan.WalletOf(s.View, o.Payload.Sender, o.Payload.Receiver)
	if err != nil || !ok {
		return plan.Step{
			Until: s.Now.Add(recheckInterval), WaitsFor: "a wallet of the sender or the receiver to archive it",
		}, err
	}
	action, err := plan.WalletAction(s.View, w, "expire-offer:"+plan.Short(o.ID),
		"WalletAppInstall_TransferOffer_Expire",
		walletapp.InstallTransferOfferExpire{CID: lf.CID[walletapp.TransferOffer](o.ID)})
	return plan.Step{WaitsFor: "archival, having expired", Action: action}, err
}

// ending is the step of an expired contract until its patience is over. It reports whether that is still to come.
func ending(s Situation, deadline time.Time) (plan.Step, bool) {
	return patiently(s, deadline.Add(plan.ExpiryPatience), "archival, having expired")
}

// patiently is the step of what is left alone until a time. It reports whether that is still to come.
func patiently(s Situation, until time.Time, waitsFor string) (plan.Step, bool) {
	return plan.Step{Until: until, WaitsFor: waitsFor}, s.Now.Before(until)
}

// planAcceptedOffer completes an accepted offer for its sender. Without the coin for it the offer is given up at once;
// other refusals are tried again until it expires (upstream: completion of transfer offers).
func (r *Registry) planAcceptedOffer(s Situation, o plan.Contract[walletapp.AcceptedTransferOffer]) (plan.Step, error) {
	deadline, id := o.Payload.ExpiresAt.Time(), lf.CID[walletapp.AcceptedTransferOffer](o.ID)
	if !s.Now.Before(deadline) {
		if step, waits := ending(s, deadline); waits {
			return step, nil
		}
		w, ok, err := plan.WalletOf(s.View, o.Payload.Sender, o.Payload.Receiver)
		if err != nil || !ok {
			return plan.Step{
				Until: s.Now.Add(recheckInterval), WaitsFor: "a wallet of the sender or the receiver to archive it",
			}, err
		}
		action, err := plan.WalletAction(s.View, w, "expire-offer:"+plan.Short(o.ID),
			"WalletAppInstall_AcceptedTransferOffer_Expire",
			walletapp.InstallAcceptedTransferOfferExpire{CID: id})
		return plan.Step{WaitsFor: "archival, having expired", Action: action}, err
	}
	step := plan.Step{Until: deadline, WaitsFor: "completion by the sender's wallet, or expiry"}
	w, ok, err := plan.WalletOf(s.View, o.Payload.Sender)
	if err != nil || !ok {
		return step, err
	}
	if o.Payload.Amount.Amount.Sign() <= 0 {
		reason := fmt.Sprintf("an amount of %s cannot be paid: it must be more than 0", o.Payload.Amount.Amount)
		step.Action, err = r.abortOffer(s, w, o, reason)
		return step, err
	}
	complete := "complete-offer:" + plan.Short(o.ID)
	if merge, err := plan.MergeFirst(s.View, w, plan.Coin, complete, s.Refused); err != nil || merge != nil {
		step.Action = merge
		return step, err
	}
	if s.Refused != nil && s.Refused.CommandID == complete {
		if reason, final := OfferRejection(s.Refused.Fault); final {
			step.Action, err = r.abortOffer(s, w, o, reason)
			return step, err
		}
	}
	context, open, err := plan.PaymentContext(s.View)
	if err != nil || !open {
		return plan.Step{Until: earlier(s.Now.Add(time.Minute), deadline), WaitsFor: "an open round"}, err
	}
	inputs, err := plan.Inputs(s.View, o.Payload.Sender)
	if err != nil {
		return plan.Step{}, err
	}
	step.Action, err = plan.WalletAction(s.View, w, complete, "WalletAppInstall_ExecuteBatch",
		walletapp.InstallExecuteBatch{
			Context: context, Inputs: inputs, Operations: []walletapp.AmuletOperation{{CompleteAcceptedTransfer: &id}},
		})
	return step, err
}

// abortOffer gives an accepted offer up, which its status says as failed.
func (r *Registry) abortOffer(
	s Situation, w plan.Wallet, o plan.Contract[walletapp.AcceptedTransferOffer], reason string,
) (*plan.Action, error) {
	return plan.WalletAction(s.View, w, "abort-offer:"+plan.Short(o.ID),
		"WalletAppInstall_AcceptedTransferOffer_Abort", walletapp.InstallAcceptedTransferOfferAbort{
			CID: lf.CID[walletapp.AcceptedTransferOffer](o.ID), Reason: reason,
		})
}

// OfferRejection says why an accepted offer is given up after a refusal; false when it is worth trying again.
func OfferRejection(refusal *fault.Fault) (reason string, final bool) {
	if !fault.DamlFailure.Matches(refusal) || refusal.Context["error_id"] != plan.InsufficientFunds {
		return "", false
	}
	return fmt.Sprintf("out of funds (missing %s CC)", refusal.Context["requiredAmount"]), true
}
