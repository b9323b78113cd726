package lifecycle

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/plan"
)

// trafficWorkflowID names the workflow of a request to buy traffic, in the same way as that of an offer.
func trafficWorkflowID(user ledger.Party, trackingID string) workflowid.ID {
	return workflowid.Of("traffic", trackingID, distinguish(user, trackingID))
}

func followTrafficRequest(_ ledger.ContractID, r walletapp.BuyTrafficRequest) ContractWorkflow {
	return ContractWorkflow{
		Kind: BuyTraffic, WorkflowID: trafficWorkflowID(r.EndUserParty, r.TrackingID),
		Parties: []ledger.Party{r.EndUserParty},
	}
}

// planTraffic plans for one request to buy traffic: one contract, unless a user has used one name twice.
func (r *Registry) planTraffic(s Situation) (plan.Step, error) {
	requests, err := plan.Payloads[walletapp.BuyTrafficRequest](r.packages, s.Contracts)
	if err != nil {
		return plan.Step{}, err
	}
	var first plan.Step
	for i, request := range requests {
		step, err := r.planTrafficRequest(s, request)
		if err != nil || step.Action != nil {
			return step, err
		}
		if i == 0 || step.Until.Before(first.Until) {
			first = step
		}
	}
	return first, nil
}

// planTrafficRequest buys the traffic with the user's coin. It gives an impossible request, or one without enough coin,
// up at once with a reason, and retries after other refusals until the request expires (upstream: completion of traffic
// requests).
func (r *Registry) planTrafficRequest(
	s Situation, request plan.Contract[walletapp.BuyTrafficRequest],
) (plan.Step, error) {
	w, ok, err := plan.WalletOf(s.View, request.Payload.EndUserParty)
	if err != nil || !ok {
		return plan.Step{
			Until: s.Now.Add(recheckInterval), WaitsFor: "a wallet of the user to buy with, or to archive it",
		}, err
	}
	deadline, id := request.Payload.ExpiresAt.Time(), lf.CID[walletapp.BuyTrafficRequest](request.ID)
	if !s.Now.Before(deadline) {
		if step, waits := ending(s, deadline); waits {
			return step, nil
		}
		action, err := plan.WalletAction(s.View, w, "expire-traffic-request:"+plan.Short(request.ID),
			"WalletAppInstall_BuyTrafficRequest_Expire", walletapp.InstallBuyTrafficRequestExpire{RequestCid: id})
		return plan.Step{WaitsFor: "archival after expiry", Action: action}, err
	}
	step := plan.Step{Until: deadline, WaitsFor: "the purchase, or expiry"}
	complete := "complete-traffic-request:" + plan.Short(request.ID)
	if merge, err := plan.MergeFirst(s.View, w, plan.Coin, complete, s.Refused); err != nil || merge != nil {
		step.Action = merge
		return step, err
	}
	if s.Refused != nil && s.Refused.CommandID == complete {
		if reason, final := TrafficRejection(request.Payload, s.Refused.Fault); final {
			step.Action, err = plan.WalletAction(s.View, w, "cancel-traffic-request:"+plan.Short(request.ID),
				"WalletAppInstall_BuyTrafficRequest_Cancel",
				walletapp.InstallBuyTrafficRequestCancel{RequestCid: id, Reason: reason})
			return step, err
		}
	}
	context, open, err := plan.PaymentContext(s.View)
	if err != nil || !open {
		return plan.Step{Until: earlier(s.Now.Add(time.Minute), deadline), WaitsFor: "an open round"}, err
	}
	inputs, err := plan.Inputs(s.View, request.Payload.EndUserParty)
	if err != nil {
		return plan.Step{}, err
	}
	step.Action, err = plan.WalletAction(s.View, w, complete, "WalletAppInstall_ExecuteBatch",
		walletapp.InstallExecuteBatch{
			Context: context, Inputs: inputs, Operations: []walletapp.AmuletOperation{{
				CompleteBuyTrafficRequest: &walletapp.OperationCompleteTrafficRequest{TrafficRequestCid: id},
			}},
		})
	return step, err
}

// TrafficRejection returns the reason to give a purchase of traffic up after a refusal; false to retry.
func TrafficRejection(request walletapp.BuyTrafficRequest, refusal *fault.Fault) (reason string, final bool) {
	const (
		unknownSynchronizer = "splice.lfdecentralizedtrust.org/unknown-synchronizer"
		insufficientAmount  = "splice.lfdecentralizedtrust.org/insufficient-topup-amount"
	)
	if !fault.DamlFailure.Matches(refusal) {
		return "", false
	}
	switch refusal.Context["error_id"] {
	case plan.InsufficientFunds:
		return OfferRejection(refusal) // the reasons are those of offers
	case unknownSynchronizer:
		return "unknown synchronizerId " + request.SynchronizerID, true
	case insufficientAmount:
		return fmt.Sprintf("not enough traffic requested (trafficAmount %d < minTopupAmount %s)",
			request.TrafficAmount, refusal.Context["minTopupAmount"]), true
	default:
		return "", false
	}
}
