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

// offerWorkflowID names the workflow of an offer and its accepted offer: the sender's tracking id, and a hash that
// keeps senders apart.
func offerWorkflowID(sender ledger.Party, trackingID string) workflowid.ID {
	return workflowid.Of("transfer", trackingID, distinguish(sender, trackingID))
}

// distinguish keeps requests with the same name by different users apart.
func distinguish(user ledger.Party, trackingID string) string {
	const digits = 16
	hash := sha256.Sum256([]byte(string(user) + "\x00" + trackingID))
	return hex.EncodeToString(hash[:])[:digits]
}

func followOffer(_ ledger.ContractID, o walletapp.TransferOffer) ContractWorkflow {
	return ContractWorkflow{
		Kind: TwoStepTransfer, WorkflowID: offerWorkflowID(o.Sender, o.TrackingID),
		Parties: ledger.SortedParties([]ledger.Party{o.Sender, o.Receiver}),
	}
}

func followAcceptedOffer(_ ledger.ContractID, o walletapp.AcceptedTransferOffer) ContractWorkflow {
	return ContractWorkflow{
		Kind: TwoStepTransfer, WorkflowID: offerWorkflowID(o.Sender, o.TrackingID),
		Parties: ledger.SortedParties([]ledger.Party{o.Sender, o.Receiver}),
	}
}

// recheckInterval is the wait for a wallet of the sender or the receiver here. Parties elsewhere end their offers
// themselves.
const recheckInterval = 24 * time.Hour

// planOffer ends an expired offer, through the wallet of the sender or the receiver.
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
	return plan.Step{WaitsFor: "archival after expiry", Action: action}, err
}

// ending returns the step of an expired contract during ExpiryPatience. It reports whether to wait.
func ending(s Situation, deadline time.Time) (plan.Step, bool) {
	return patiently(s, deadline.Add(plan.ExpiryPatience), "archival after expiry")
}

// patiently returns the step that waits until a time. It reports whether to wait.
func patiently(s Situation, until time.Time, waitsFor string) (plan.Step, bool) {
	return plan.Step{Until: until, WaitsFor: waitsFor}, s.Now.Before(until)
}

// planAcceptedOffer completes an accepted offer for its sender. It gives the offer up at once for lack of coin, and
// retries after other refusals until the offer expires (upstream: completion of transfer offers).
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
		return plan.Step{WaitsFor: "archival after expiry", Action: action}, err
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

// abortOffer gives an accepted offer up. Its status becomes failed.
func (r *Registry) abortOffer(
	s Situation, w plan.Wallet, o plan.Contract[walletapp.AcceptedTransferOffer], reason string,
) (*plan.Action, error) {
	return plan.WalletAction(s.View, w, "abort-offer:"+plan.Short(o.ID),
		"WalletAppInstall_AcceptedTransferOffer_Abort", walletapp.InstallAcceptedTransferOfferAbort{
			CID: lf.CID[walletapp.AcceptedTransferOffer](o.ID), Reason: reason,
		})
}

// OfferRejection returns the reason to give an accepted offer up after a refusal; false to retry.
func OfferRejection(refusal *fault.Fault) (reason string, final bool) {
	if !fault.DamlFailure.Matches(refusal) || refusal.Context["error_id"] != plan.InsufficientFunds {
		return "", false
	}
	return fmt.Sprintf("out of funds (missing %s CC)", refusal.Context["requiredAmount"]), true
}
