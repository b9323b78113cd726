package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// The terms on which the operator renews the preapprovals that it provides (contract, "Limits").
const (
	// RenewalWindow is how long before its end a preapproval is renewed.
	RenewalWindow = 30 * 24 * time.Hour
	// RenewalPeriod is by how much it is extended, counted from its old end.
	RenewalPeriod = 90 * 24 * time.Hour
)

// planPreapproval looks after the preapprovals of one receiver. Each that has expired is archived. Of several that the
// operator provides, only the one that lasts longest is renewed; those of other providers are theirs to renew.
func (r *Registry) planPreapproval(s Situation) (Step, error) {
	preapprovals, err := payloads[coin.TransferPreapproval](r, s.Contracts)
	if err != nil {
		return Step{}, err
	}
	slices.SortStableFunc(preapprovals, func(a, b contractOf[coin.TransferPreapproval]) int {
		return cmp.Compare(a.payload.ExpiresAt, b.payload.ExpiresAt)
	})
	if first := preapprovals[0]; !s.Now.Before(first.payload.ExpiresAt.Time()) {
		return r.expirePreapproval(s, first)
	}
	step := Step{Until: preapprovals[0].payload.ExpiresAt.Time(), WaitsFor: "expiry"}
	last := preapprovals[len(preapprovals)-1]
	if last.payload.Provider != s.Node.Operator {
		return step, nil
	}
	// Renewal is due as soon as less than the window is left: a microsecond later is the first such time.
	due := last.payload.ExpiresAt.Time().Add(-RenewalWindow + time.Microsecond)
	if s.Now.Before(due) {
		if due.Before(step.Until) {
			step = Step{Until: due, WaitsFor: "renewal"}
		}
		return step, nil
	}
	return r.renewPreapproval(s, last, step)
}

func (r *Registry) expirePreapproval(s Situation, p contractOf[coin.TransferPreapproval]) (Step, error) {
	command, err := exercise[coin.TransferPreapproval](
		r, p.id, "TransferPreapproval_Expire", coin.TransferPreapprovalExpire{})
	return Step{WaitsFor: "archival, having expired", Action: &Action{
		CommandID: "expire-preapproval:" + prefix(p.id), ActAs: []ledger.Party{s.Node.DSO},
		Commands: []ledger.Command{command},
	}}, err
}

// renewPreapproval extends a preapproval at the operator's cost. Where that is refused, for want of coin say, it is
// tried again until the preapproval expires.
func (r *Registry) renewPreapproval(
	s Situation, p contractOf[coin.TransferPreapproval], otherwise Step,
) (Step, error) {
	context, open, err := r.paymentContext(s)
	if err != nil || !open { // between rounds; a change of rounds changes nothing here, so look again soon
		return Step{Until: earlier(s.Now.Add(time.Minute), otherwise.Until), WaitsFor: "an open round"}, err
	}
	inputs, err := r.inputs(s, s.Node.Operator)
	if err != nil {
		return Step{}, err
	}
	command, err := exercise[coin.TransferPreapproval](r, p.id, "TransferPreapproval_Renew",
		coin.TransferPreapprovalRenew{
			Context: context, Inputs: inputs,
			NewExpiresAt: lf.TimestampOf(p.payload.ExpiresAt.Time().Add(RenewalPeriod)),
		})
	otherwise.Action = &Action{
		CommandID: "renew-preapproval:" + prefix(p.id), ActAs: []ledger.Party{s.Node.Operator},
		ReadAs: []ledger.Party{s.Node.DSO}, Commands: []ledger.Command{command},
	}
	return otherwise, err
}

// maxInputs is how many inputs a transfer may have.
const maxInputs = 100

// inputs are the largest of a party's holdings that are not locked, as many as a transfer may have.
func (r *Registry) inputs(s Situation, owner ledger.Party) ([]coin.TransferInput, error) {
	const most = 10 * maxInputs
	holdings, err := activeOf[coin.Amulet](r, s, owner, most)
	if err != nil {
		return nil, err
	}
	holdings = slices.DeleteFunc(holdings, func(h contractOf[coin.Amulet]) bool { return h.payload.Owner != owner })
	slices.SortStableFunc(holdings, func(a, b contractOf[coin.Amulet]) int {
		return b.payload.Amount.InitialAmount.Cmp(a.payload.Amount.InitialAmount)
	})
	inputs := make([]coin.TransferInput, 0, maxInputs)
	for _, holding := range holdings[:min(len(holdings), maxInputs)] {
		inputs = append(inputs, coin.InputAmulet(lf.CID[coin.Amulet](holding.id)))
	}
	return inputs, nil
}

func earlier(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}
