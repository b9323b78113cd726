package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// RenewalWindow is the time before its end at which the operator renews a preapproval that it provides (contract,
// "Limits").
const RenewalWindow = 30 * 24 * time.Hour

// planPreapproval archives the expired preapprovals of one receiver. A receiver may have several preapprovals of the
// operator, even in several lifecycles: planPreapproval renews only the one that lasts longest. Other providers renew
// their own.
func (r *Registry) planPreapproval(s Situation) (plan.Step, error) {
	preapprovals, err := plan.Payloads[coin.TransferPreapproval](r.packages, s.Contracts)
	if err != nil {
		return plan.Step{}, err
	}
	slices.SortStableFunc(preapprovals, func(a, b plan.Contract[coin.TransferPreapproval]) int {
		return cmp.Compare(a.Payload.ExpiresAt, b.Payload.ExpiresAt)
	})
	end := preapprovals[0].Payload.ExpiresAt.Time().Add(plan.ExpiryPatience)
	if !s.Now.Before(end) {
		return r.expirePreapproval(s, preapprovals[0])
	}
	step := plan.Step{Until: end, WaitsFor: "expiry"}
	last := preapprovals[len(preapprovals)-1]
	if last.Payload.Provider != s.Node.Operator || !s.Now.Before(last.Payload.ExpiresAt.Time()) {
		return step, nil
	}
	// Renewal is due when less than the window is left: the first such time is a microsecond later.
	due := last.Payload.ExpiresAt.Time().Add(-RenewalWindow + time.Microsecond)
	if s.Now.Before(due) {
		if due.Before(step.Until) {
			step = plan.Step{Until: due, WaitsFor: "renewal"}
		}
		return step, nil
	}
	longest, ok, err := plan.One[coin.TransferPreapproval](s.View, plan.Receiver, last.Payload.Receiver)
	if err != nil || !ok || !contains(s.Contracts, longest.ID) {
		// If the longest is cancelled, only its own lifecycle wakes.
		step.Until = earlier(s.Now.Add(recheckInterval), step.Until)
		return step, err
	}
	return r.renewPreapproval(s, last, step)
}

func (r *Registry) expirePreapproval(s Situation, p plan.Contract[coin.TransferPreapproval]) (plan.Step, error) {
	command, err := plan.Exercise[coin.TransferPreapproval](r.packages, p.ID, "TransferPreapproval_Expire",
		coin.TransferPreapprovalExpire{})
	return plan.Step{WaitsFor: "archival after expiry", Action: &plan.Action{
		CommandID: "expire-preapproval:" + plan.Short(p.ID), ActAs: []ledger.Party{s.Node.DSO},
		Commands: []ledger.Command{command},
	}}, err
}

// renewPreapproval extends a preapproval at the operator's cost. After a refusal (for example for lack of coin) it
// retries until the preapproval expires.
func (r *Registry) renewPreapproval(
	s Situation, p plan.Contract[coin.TransferPreapproval], otherwise plan.Step,
) (plan.Step, error) {
	renew := "renew-preapproval:" + plan.Short(p.ID)
	if merge, err := mergeFirst(s, s.Node.Operator, renew); err != nil || merge != nil {
		otherwise.Action = merge
		return otherwise, err
	}
	context, open, err := plan.PaymentContext(s.View)
	if err != nil || !open { // between rounds; a new round does not wake this, so look again soon
		return plan.Step{Until: earlier(s.Now.Add(time.Minute), otherwise.Until), WaitsFor: "an open round"}, err
	}
	inputs, err := plan.Inputs(s.View, s.Node.Operator)
	if err != nil {
		return plan.Step{}, err
	}
	command, err := plan.Exercise[coin.TransferPreapproval](r.packages, p.ID, "TransferPreapproval_Renew",
		coin.TransferPreapprovalRenew{
			Context: context, Inputs: inputs,
			NewExpiresAt: lf.TimestampOf(p.Payload.ExpiresAt.Time().Add(plan.PreapprovalLifetime)),
		})
	otherwise.Action = &plan.Action{
		CommandID: renew, ActAs: []ledger.Party{s.Node.Operator},
		ReadAs: []ledger.Party{s.Node.DSO}, Commands: []ledger.Command{command},
	}
	return otherwise, err
}

// mergeFirst merges the coin of a party with a wallet here before the party's payment, see [plan.MergeFirst].
func mergeFirst(s Situation, payer ledger.Party, payment string) (*plan.Action, error) {
	if s.Refused == nil {
		return nil, nil // nothing is known to be missing
	}
	w, ok, err := plan.WalletOf(s.View, payer)
	if err != nil || !ok {
		return nil, err
	}
	return plan.MergeFirst(s.View, w, plan.Coin, payment, s.Refused)
}

func contains(contracts []ledger.Contract, id ledger.ContractID) bool {
	return slices.ContainsFunc(contracts, func(c ledger.Contract) bool { return c.ID == id })
}

func earlier(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}
