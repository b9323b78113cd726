package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/florinledger/florin/client"
)

const allocationsPath = "/wallet/allocations"

// requestedLeg is a leg that the visitor is asked to pay. CanPay is true if it is in coin, or in another token of which
// the visitor has some.
type requestedLeg struct {
	client.Leg

	CanPay bool
	// Packages are those whose code says that the visitor has this token; none for coin.
	Packages []string
}

// Shown is the amount with its unit.
func (l requestedLeg) Shown() string {
	if l.IsCoin {
		return coins(l.Amount)
	}
	return tokenAmount(&l.Amount) + " " + client.Short(l.Instrument.ID)
}

// allocationRequest asks the visitor to set coin or tokens aside.
type allocationRequest struct {
	client.AllocationRequest

	Legs []requestedLeg
}

type allocationsView struct {
	Requests    []allocationRequest
	Allocations []client.Allocation
	// Others are those of other tokens.
	Others []client.Allocation
	// MoreRequests and MoreAllocations are the numbers of those that the page does not show.
	MoreRequests, MoreAllocations, MoreOthers int
	Problem                                   *problem
}

func (s *site) allocations(v *visit) error {
	data, err := s.allocationsView(v)
	if err != nil {
		return err
	}
	return s.show(v, "allocations", data)
}

func (s *site) allocationsView(v *visit) (data allocationsView, err error) {
	if data.Requests, err = v.allocationRequests(); err != nil {
		return data, err
	}
	data.Requests, data.MoreRequests = firstOf(data.Requests)
	all, err := v.api.Allocations(v.ctx())
	for _, one := range all {
		if one.Token == nil {
			data.Allocations = append(data.Allocations, one)
		} else {
			data.Others = append(data.Others, one)
		}
	}
	data.Allocations, data.MoreAllocations = firstOf(data.Allocations)
	data.Others, data.MoreOthers = firstOf(data.Others)
	return data, err
}

// allocationRequests reads the requests to the visitor, and which legs the visitor can pay.
func (v *visit) allocationRequests() (all []allocationRequest, err error) {
	asked, err := v.api.AllocationRequests(v.ctx(), v.party)
	if err != nil || len(asked) == 0 {
		return nil, err
	}
	held, err := v.tokens()
	for _, one := range asked {
		request := allocationRequest{AllocationRequest: one}
		for _, leg := range one.Legs {
			shown := requestedLeg{Leg: leg, CanPay: leg.IsCoin}
			if !leg.IsCoin {
				shown.Packages = packagesOf(held, leg.Instrument)
				shown.CanPay = len(shown.Packages) > 0
			}
			request.Legs = append(request.Legs, shown)
		}
		all = append(all, request)
	}
	return all, err
}

// packagesOf are the packages whose code says that the visitor has a token.
func packagesOf(held []shownToken, of client.Instrument) (packages []string) {
	for _, one := range held {
		if one.Instrument == of && !slices.Contains(packages, one.Package) {
			packages = append(packages, one.Package)
		}
	}
	return packages
}

// allocate sets coin aside for a leg of a request, or another token.
func (s *site) allocate(v *visit) error {
	requests, err := v.allocationRequests()
	if err != nil {
		return s.finishAllocation(v, err, "")
	}
	id, name := v.r.PathValue("id"), v.field("leg")
	for _, request := range requests {
		if request.ContractID != id {
			continue
		}
		for _, leg := range request.Legs {
			if leg.ID == name && leg.CanPay {
				text := leg.Shown()
				err := v.change("Set "+text+" aside", http.MethodPost, client.AllocationsPath,
					request.Allocate(leg.Leg, v.r.PostForm["trust"]), nil)
				return s.finishAllocation(v, err, "You set "+text+" aside.")
			}
		}
	}
	return s.finishAllocation(v, unprocessable("No app asks you for this any more.", "Choose one of the requests below."), "")
}

// rejectAllocation declines to set coin aside.
func (s *site) rejectAllocation(v *visit) error {
	err := v.change("Reject the request", http.MethodPost,
		client.AllocationRequestsPath+"/"+url.PathEscape(v.r.PathValue("id"))+"/reject", nil, nil)
	return s.finishAllocation(v, err, "You rejected the request.")
}

// withdrawAllocation takes back what was set aside.
func (s *site) withdrawAllocation(v *visit) error {
	what := "coin"
	trust := v.r.PostForm["trust"]
	if len(trust) > 0 {
		what = "tokens"
	}
	err := v.change("Take your "+what+" back", http.MethodPost,
		client.WithdrawalPath(v.r.PathValue("id")), client.Trusting(trust), nil)
	return s.finishAllocation(v, err, "You took your "+what+" back.")
}

func (s *site) finishAllocation(v *visit, err error, notice string) error {
	if err == nil {
		return s.done(v, allocationsPath, notice)
	}
	return refused(s, v, "allocations", err, func() (allocationsView, error) { return s.allocationsView(v) },
		func(data *allocationsView, why *problem) { data.Problem = why })
}
