package web

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

const (
	trafficPath    = "/wallet/traffic"
	buyTrafficPath = "/v0/wallet/buy-traffic-requests"
	kilobyte       = 1000
	// purchaseTime is the time that the wallet has to pay; proposedDays is the use that the form proposes to buy.
	purchaseTime = time.Hour
	proposedDays = 30
)

// trafficFees are the synchronizer's conditions.
type trafficFees struct {
	Base struct {
		Burst  int64 `json:"burstAmount,string"`
		Window struct {
			Micros int64 `json:"microseconds,string"`
		} `json:"burstWindow"`
	} `json:"baseRateTrafficLimits"`
	// Price is in US dollars for a million bytes, Least the smallest purchase in bytes.
	Price decimal.Decimal `json:"extraTrafficPrice"`
	Least int64           `json:"minTopupAmount,string"`
}

// purchase is the input of the form that buys traffic. Once and Expires are in the address of its preview, so that a
// purchase that is sent again is the same.
type purchase struct{ Kilobytes, Once, Expires string }

type trafficView struct {
	trafficState

	Fees trafficFees
	// Window is the time in which the free traffic grows back.
	Window string
	// Buy and Run are not in the live part. Run is the preview of a purchase; nil if the visitor asked for none.
	Buy     purchase `json:"-"`
	Run     *dryRun  `json:"-"`
	Problem *problem
	// Request is the tracking id of the last purchase, Bought its state and Why the reason why it failed.
	Request, Bought, Why string
}

func (s *site) trafficPage(v *visit) error {
	query := v.r.URL.Query()
	data, err := s.trafficViewOf(v, purchase{
		Kilobytes: query.Get("kilobytes"), Once: query.Get("once"), Expires: query.Get("expires"),
	})
	if err != nil {
		return err
	}
	if isFragment(v.r) {
		return s.show(v, "traffic-live", data)
	}
	if data.Buy.Once == "" {
		return s.show(v, "traffic", data)
	}
	var run dryRun
	request, err := s.trafficRequest(v, data.Buy)
	if err == nil {
		err = v.api.Post(v.ctx(), buyTrafficPath+"?dry_run=true", request, &run)
	}
	if err == nil && run.asProblem() != nil {
		err = run.asProblem()
	}
	if err != nil {
		data.Problem = problemOf(err)
		return s.write(v, http.StatusUnprocessableEntity, "traffic", data)
	}
	data.Run = &run
	return s.show(v, "traffic", data)
}

func (s *site) trafficViewOf(v *visit, typed purchase) (data trafficView, err error) {
	now, err := s.ledgerTime(v)
	if err != nil {
		return data, err
	}
	data.Buy = typed
	if data.trafficState, err = v.trafficState(now); err != nil {
		return data, err
	}
	var rules struct {
		Rules struct {
			Contract contract[struct {
				Schedule struct {
					Now struct {
						Synchronizer struct {
							Fees trafficFees `json:"fees"`
						} `json:"decentralizedSynchronizer"`
					} `json:"initialValue"`
				} `json:"configSchedule"`
			}] `json:"contract"`
		} `json:"amulet_rules"`
	}
	if err := v.api.Get(v.ctx(), "/v0/scan-proxy/amulet-rules", &rules); err != nil {
		return data, err
	}
	data.Fees = rules.Rules.Contract.Payload.Schedule.Now.Synchronizer.Fees
	data.Window = plural(int(time.Duration(data.Fees.Base.Window.Micros)*time.Microsecond/time.Minute), "minute")
	if data.Buy.Kilobytes == "" {
		data.Buy.Kilobytes = strconv.FormatInt(max(data.Fees.Least, proposedDays*data.PerDay)/kilobyte, 10)
	}
	if data.Buy.Expires == "" {
		data.Buy.Expires = strconv.FormatInt(now.Add(purchaseTime).UnixMicro(), 10)
	}
	if data.Request = v.r.URL.Query().Get("request"); data.Request != "" {
		err = v.readPurchase(&data)
	}
	return data, err
}

// readPurchase reads the state of a request to buy traffic, which the wallet works off in the background.
func (v *visit) readPurchase(data *trafficView) error {
	var out struct {
		Status    string `json:"status"`
		Reason    string `json:"failure_reason"`
		Rejection string `json:"rejection_reason"`
	}
	err := v.api.Post(v.ctx(), buyTrafficPath+"/"+url.PathEscape(data.Request)+"/status", nil, &out)
	if isStatus(err, http.StatusNotFound) || isStatus(err, http.StatusBadRequest) { // a stale address
		data.Request = ""
		return nil
	}
	data.Bought, data.Why = out.Status, out.Rejection
	if out.Rejection == "" {
		data.Why = out.Reason
	}
	return err
}

// trafficRequest makes a request to buy traffic from the form.
func (s *site) trafficRequest(v *visit, typed purchase) (map[string]any, error) {
	kilobytes, err := strconv.ParseInt(typed.Kilobytes, 10, 64)
	if err != nil || kilobytes <= 0 || kilobytes > math.MaxInt64/kilobyte {
		return nil, unprocessable(strconv.Quote(typed.Kilobytes)+" is not a number of kilobytes.",
			"Write a whole number above 0, without signs between its digits: 200")
	}
	expires, err := strconv.ParseInt(typed.Expires, 10, 64)
	if err != nil {
		return nil, &problem{Status: http.StatusBadRequest, What: "The form has no deadline for the purchase."}
	}
	return map[string]any{
		"receiving_validator_party_id": v.party, "domain_id": s.Synchronizer, "traffic_amount": kilobytes * kilobyte,
		"tracking_id": "page-" + typed.Once, "expires_at": expires,
	}, nil
}

// buyTraffic buys traffic for the node with the visitor's coin.
func (s *site) buyTraffic(v *visit) error {
	typed := purchase{Kilobytes: v.field("kilobytes"), Once: v.field("once"), Expires: v.field("expires")}
	request, err := s.trafficRequest(v, typed)
	if err == nil {
		err = v.change("Buy "+typed.Kilobytes+" kB of traffic", http.MethodPost, buyTrafficPath, request, nil)
		if err == nil {
			return s.done(v, trafficPath+"?"+url.Values{"request": {"page-" + typed.Once}}.Encode(),
				"You ordered "+typed.Kilobytes+" kB of traffic. Your wallet pays for it now.")
		}
	}
	return refused(s, v, "traffic", err,
		func() (trafficView, error) { return s.trafficViewOf(v, purchase{Kilobytes: typed.Kilobytes}) },
		func(data *trafficView, why *problem) { data.Problem = why })
}
