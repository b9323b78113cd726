// Package devapi is what only a development node does for its callers: it moves the ledger's clock.
package devapi

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/fault"
)

// Clock is the ledger's clock.
type Clock interface {
	// ClockState reads it.
	ClockState(ctx context.Context) (db.ClockState, error)
	// AdvanceClock moves it to where the function says.
	AdvanceClock(ctx context.Context, to func(db.ClockState) db.ClockState) (db.ClockState, error)
}

// Options are the parts of an [API]; all are required.
type Options struct {
	Clock Clock
	// Development tells that the process serves a development node, the only one whose clock it advances.
	Development bool
	// Now is real time.
	Now func() time.Time
}

// API serves the clock.
type API struct{ options Options }

// New makes the API.
func New(options Options) *API { return &API{options: options} }

// Endpoints lists the family.
func (a *API) Endpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/dev/clock", OperationID: "getClock", Tag: "Development",
			Access: endpoint.Public, Summary: "Tell the ledger's time.",
		}, a.show),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/dev/clock", OperationID: "advanceClock", Tag: "Development",
			Access: endpoint.Admin, Summary: "Advance the ledger's time.",
			Description: "Only a development node has a clock that can be advanced: `florin up --clock simulated`. Its time " +
				"runs as real time does, and never goes back. Give either `advance_by`, such as `90d`, `36h` or " +
				"`1d12h30m`, or `advance_to`, a time as in RFC 3339. What is due by the new time happens at once: " +
				"offers expire, preapprovals are renewed, rounds advance.",
		}, a.advance),
	}
}

// ClockResponse is the ledger's clock.
type ClockResponse struct {
	Clock      string             `json:"clock" required:"true" doc:"real or simulated"`
	LedgerTime endpoint.Timestamp `json:"ledger_time" required:"true" doc:"The ledger's time"`
	RealTime   endpoint.Timestamp `json:"real_time" required:"true" doc:"The time of the node's machine"`
	Ahead      string             `json:"ahead" required:"true" doc:"How far the ledger is ahead, such as 2160h0m0s"`
}

// AdvanceClockRequest says where to move the clock: one of both fields.
type AdvanceClockRequest struct {
	AdvanceBy string `json:"advance_by" doc:"How far: days (d), hours (h), minutes (m), seconds (s) and parts of them"`
	AdvanceTo string `json:"advance_to" doc:"To which ledger time, as in RFC 3339"`
}

func (a *API) show(ctx context.Context, _ endpoint.NoRequest) (ClockResponse, error) {
	state, err := a.options.Clock.ClockState(ctx)
	return a.response(state), err
}

func (a *API) response(state db.ClockState) ClockResponse {
	now := a.options.Now()
	name := "real"
	if state.Simulated {
		name = "simulated"
	}
	return ClockResponse{
		Clock: name, LedgerTime: endpoint.Timestamp(state.At(now)),
		RealTime: endpoint.Timestamp(now.UTC().Truncate(time.Microsecond)), Ahead: state.Ahead.String(),
	}
}

type advanceRequest struct {
	Body AdvanceClockRequest `body:"json"`
}

func (a *API) advance(ctx context.Context, req advanceRequest) (ClockResponse, error) {
	if !a.options.Development {
		return ClockResponse{}, fault.ClockNotSimulated.New(
			"This process does not serve a development node, and does not advance the ledger's clock").
			WithHint("Ask the node that was started with `florin up --clock simulated`.")
	}
	to, err := target(req.Body, a.options.Now())
	if err != nil {
		return ClockResponse{}, err
	}
	state, err := a.options.Clock.AdvanceClock(ctx, to)
	if err != nil {
		return ClockResponse{}, err
	}
	return a.response(state), nil
}

// target is where a request wants the clock to be.
func target(body AdvanceClockRequest, now time.Time) (func(db.ClockState) db.ClockState, error) {
	switch {
	case (body.AdvanceBy == "") == (body.AdvanceTo == ""):
		return nil, fault.InvalidArgumentf("give either advance_by, such as 90d, or advance_to, a time as in RFC 3339")
	case body.AdvanceBy != "":
		by, err := ParseDuration(body.AdvanceBy)
		if err != nil {
			return nil, err
		}
		return func(state db.ClockState) db.ClockState {
			state.Ahead += by
			return state
		}, nil
	default:
		to, err := time.Parse(time.RFC3339Nano, body.AdvanceTo)
		if err != nil {
			return nil, fault.InvalidArgumentf("advance_to %q is not a time as in RFC 3339, such as %s",
				body.AdvanceTo, now.UTC().Format(time.RFC3339))
		}
		return func(state db.ClockState) db.ClockState {
			state.Ahead = to.Sub(now).Truncate(time.Microsecond)
			return state
		}, nil
	}
}

var days = regexp.MustCompile(`^(\d{1,6})d(.*)$`)

// ParseDuration reads a positive duration as Go writes them, with days (d) before the rest: 90d, 1d12h, 30m.
func ParseDuration(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	var whole time.Duration
	rest := strings.TrimSpace(text)
	if match := days.FindStringSubmatch(rest); match != nil {
		count, err := strconv.Atoi(match[1])
		if err != nil || count > int((1<<63-1)/day) {
			return 0, badDuration(text)
		}
		whole, rest = time.Duration(count)*day, match[2]
	}
	if rest == "" && whole > 0 {
		return whole, nil
	}
	part, err := time.ParseDuration(rest)
	if err != nil || part < 0 || whole+part <= 0 {
		return 0, badDuration(text)
	}
	return (whole + part).Truncate(time.Microsecond), nil
}

func badDuration(text string) error {
	return fault.InvalidArgumentf("%q is not a positive duration, such as 90d, 36h or 1d12h30m", text).
		WithHint("Time never goes back; give how far to move it forward.")
}
