package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
)

const (
	allocationsPath        = "/wallet/allocations"
	allocationsAPI         = "/v0/allocations"
	allocationRequestsAPI  = "/v0/wallet/token-standard/allocation-requests"
	allocationRequestsType = "#splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest"
)

// metadata is the token standard's metadata.
type metadata struct {
	Values map[string]string `json:"values"`
}

// settlement is a set of transfers that an executor makes together.
type settlement struct {
	Executor  string `json:"executor"`
	Reference struct {
		ID       string  `json:"id"`
		Contract *string `json:"cid"`
	} `json:"settlementRef"`
	Requested      time.Time `json:"requestedAt"`
	AllocateBefore time.Time `json:"allocateBefore"`
	SettleBefore   time.Time `json:"settleBefore"`
	Meta           metadata  `json:"meta"`
}

// leg is one transfer of a settlement.
type leg struct {
	Sender     string          `json:"sender"`
	Receiver   string          `json:"receiver"`
	Amount     decimal.Decimal `json:"amount"`
	Instrument struct {
		Admin string `json:"admin"`
		ID    string `json:"id"`
	} `json:"instrumentId"`
	Meta metadata `json:"meta"`
}

// allocation is coin that the visitor has set aside for a settlement.
type allocation struct {
	Allocation struct {
		Settlement settlement `json:"settlement"`
		LegID      string     `json:"transferLegId"`
		Leg        leg        `json:"transferLeg"`
	} `json:"allocation"`
}

// requestedLeg is a leg that the visitor is asked to pay. CanPay is true if it is in coin, or in another token of which
// the visitor has some. Anybody may give another token the coin's name, so that its administrator matters.
type requestedLeg struct {
	leg

	ID     string
	CanPay bool
	// Packages are those whose code says that the visitor has this token; none for coin.
	Packages []string
}

// Shown is the amount with its unit.
func (l requestedLeg) Shown() string {
	if len(l.Packages) == 0 && l.CanPay {
		return coins(l.Amount)
	}
	return tokenAmount(&l.Amount) + " " + client.Short(l.Instrument.ID)
}

// allocationRequest asks the visitor to set coin aside. Its contract is of an app; this is what it says in the words of
// the token standard.
type allocationRequest struct {
	ID         string
	Settlement settlement
	Legs       []requestedLeg
}

type allocationsView struct {
	Requests    []allocationRequest
	Allocations []contract[allocation]
	// Others are those of other tokens.
	Others []client.TokenAllocation
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
	var asked struct {
		Requests []struct {
			Contract contract[struct{}] `json:"contract"`
		} `json:"allocation_requests"`
	}
	if err := v.api.Get(v.ctx(), allocationRequestsAPI, &asked); err != nil {
		return data, err
	}
	requests := asked.Requests[:min(maxRequests, len(asked.Requests))]
	data.MoreRequests = len(asked.Requests) - len(requests)
	dso, err := v.dso()
	if err != nil {
		return data, err
	}
	held, err := v.tokens()
	if err != nil {
		return data, err
	}
	for _, one := range requests {
		request, err := v.allocationRequest(one.Contract.ID, dso, held)
		if err != nil {
			return data, err
		}
		data.Requests = append(data.Requests, request)
	}
	var made struct {
		Allocations []struct {
			Contract contract[allocation] `json:"contract"`
		} `json:"allocations"`
	}
	if err := v.api.Get(v.ctx(), allocationsAPI, &made); err != nil {
		return data, err
	}
	for _, one := range made.Allocations {
		data.Allocations = append(data.Allocations, one.Contract)
	}
	data.Allocations, data.MoreAllocations = firstOf(data.Allocations)
	others, err := v.api.TokenAllocations(v.ctx())
	data.Others, data.MoreOthers = firstOf(others)
	return data, err
}

// maxRequests is the maximum number of requests on a page: each needs a call for its view.
const maxRequests = 20

// allocationRequest reads a request: the legs that the visitor pays, who holds these tokens beside coin. The coin's
// administrator is dso.
func (v *visit) allocationRequest(id, dso string, held []shownToken) (request allocationRequest, err error) {
	var out struct {
		Created struct {
			Event struct {
				Views []struct {
					Value struct {
						Settlement settlement     `json:"settlement"`
						Legs       map[string]leg `json:"transferLegs"`
					} `json:"viewValue"`
				} `json:"interfaceViews"`
			} `json:"createdEvent"`
		} `json:"created"`
	}
	err = v.api.Post(v.ctx(), "/v2/events/events-by-contract-id", map[string]any{
		"contractId": id, "eventFormat": interfaceFormat(v.party, allocationRequestsType),
	}, &out)
	request.ID = id
	if err != nil {
		return request, err
	}
	for _, view := range out.Created.Event.Views {
		request.Settlement = view.Value.Settlement
		for name, one := range view.Value.Legs {
			if one.Sender == v.party {
				asked := requestedLeg{leg: one, ID: name}
				asked.CanPay = one.Instrument.ID == coinInstrument && one.Instrument.Admin == dso
				if !asked.CanPay {
					asked.Packages = packagesOf(held, client.Instrument(one.Instrument))
					asked.CanPay = len(asked.Packages) > 0
				}
				request.Legs = append(request.Legs, asked)
			}
		}
	}
	slices.SortFunc(request.Legs, func(x, y requestedLeg) int { return cmp.Compare(x.ID, y.ID) })
	return request, nil
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
	dso, err := v.dso()
	if err != nil {
		return err
	}
	held, err := v.tokens()
	if err != nil {
		return err
	}
	request, err := v.allocationRequest(v.r.PathValue("id"), dso, held)
	if err != nil {
		return s.finishAllocation(v, err, "")
	}
	name := v.field("leg")
	at := slices.IndexFunc(request.Legs, func(one requestedLeg) bool { return one.ID == name && one.CanPay })
	if at < 0 {
		return s.pageNotFound(v)
	}
	paid, of := request.Legs[at], request.Settlement
	text := paid.Shown()
	body := map[string]any{
		"settlement": map[string]any{
			"executor":       of.Executor,
			"settlement_ref": map[string]any{"id": of.Reference.ID, "cid": of.Reference.Contract},
			"requested_at":   of.Requested.UnixMicro(), "allocate_before": of.AllocateBefore.UnixMicro(),
			"settle_before": of.SettleBefore.UnixMicro(), "meta": of.Meta.Values,
		},
		"transfer_leg_id": paid.ID,
		"transfer_leg":    map[string]any{"receiver": paid.Receiver, "amount": paid.Amount, "meta": paid.Meta.Values},
	}
	if len(paid.Packages) > 0 {
		body["instrument"], body["trusted_packages"] = paid.Instrument, v.r.PostForm["trust"]
	}
	err = v.change("Set "+text+" aside", http.MethodPost, allocationsAPI, body, nil)
	return s.finishAllocation(v, err, "You set "+text+" aside.")
}

// rejectAllocation declines to set coin aside.
func (s *site) rejectAllocation(v *visit) error {
	err := v.change("Reject the request", http.MethodPost,
		allocationRequestsAPI+"/"+url.PathEscape(v.r.PathValue("id"))+"/reject", nil, nil)
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
		allocationsAPI+"/"+url.PathEscape(v.r.PathValue("id"))+"/withdraw", client.Trusting(trust), nil)
	return s.finishAllocation(v, err, "You took your "+what+" back.")
}

func (s *site) finishAllocation(v *visit, err error, notice string) error {
	if err == nil {
		return s.done(v, allocationsPath, notice)
	}
	return refused(s, v, "allocations", err, func() (allocationsView, error) { return s.allocationsView(v) },
		func(data *allocationsView, why *problem) { data.Problem = why })
}

// interfaceFormat is the event format for a party's contracts with an interface, and their views.
func interfaceFormat(party, name string) map[string]any {
	filter := map[string]any{"identifierFilter": map[string]any{"InterfaceFilter": map[string]any{
		"value": map[string]any{
			"interfaceId": name, "includeInterfaceView": true, "includeCreatedEventBlob": false,
		},
	}}}
	return map[string]any{
		"filtersByParty": map[string]any{party: map[string]any{"cumulative": []any{filter}}}, "verbose": true,
	}
}
