// Package devapi is the API of development nodes alone: it moves the ledger's clock.
package devapi

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger/fault"
)

// Clock is the ledger's clock.
type Clock interface {
	// ClockState reads it.
	ClockState(ctx context.Context) (db.ClockState, error)
	// AdvanceClock moves the clock to the result of the function.
	AdvanceClock(ctx context.Context, to func(db.ClockState) db.ClockState) (db.ClockState, error)
	// NextDue finds the first deadline after one ledger time, and at most at another; false if there is none.
	NextDue(ctx context.Context, after, upTo time.Time) (time.Time, bool, error)
	// Overdue lists the workflows with work that is due by a ledger time, and the subject of each.
	Overdue(ctx context.Context, by time.Time) ([]db.Overdue, error)
	// CallWorkflows wakes the starters of workflows with due work.
	CallWorkflows(ctx context.Context) error
}

// Options are the parts of an [API]; all are required.
type Options struct {
	Clock Clock
	// Development: the process serves a development node. Only there it advances the clock.
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
			Access: endpoint.Public, Summary: "Get the ledger's time.",
		}, a.show),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, Path: "/v0/dev/clock", OperationID: "advanceClock", Tag: "Development",
			Access: endpoint.Admin, Summary: "Advance the ledger's time.",
			Description: "Only development nodes can advance the clock: `florin up --clock simulated`, with a running " +
				"clock, or `--clock static`, with a fixed one. Time never goes back. Send `advance_by`, such as `90d`, `36h` " +
				"or `1d12h30m`, or `advance_to`, an RFC 3339 time. The clock stops at each deadline until all work that is due " +
				"there is done: preapprovals are renewed, offers expire. With `jump` the clock does not stop, and this work " +
				"happens late, at the new time. An advance may take longer than one request: then the answer is 503 and says " +
				"how to continue.",
		}, a.advance),
	}
}

// ClockResponse is the ledger's clock.
type ClockResponse struct {
	Clock      string             `json:"clock" required:"true" doc:"real, simulated or static"`
	LedgerTime endpoint.Timestamp `json:"ledger_time" required:"true" doc:"The ledger's time"`
	RealTime   endpoint.Timestamp `json:"real_time" required:"true" doc:"The time of the node's machine"`
	Ahead      string             `json:"ahead" required:"true" doc:"How far the ledger is ahead, such as 2160h0m0s"`
}

// AdvanceClockRequest is the new time, in one of both fields.
type AdvanceClockRequest struct {
	AdvanceBy string `json:"advance_by" doc:"A duration in days (d), hours (h), minutes (m), seconds (s) and fractions"`
	AdvanceTo string `json:"advance_to" doc:"The new ledger time, as in RFC 3339"`
	Jump      bool   `json:"jump" doc:"Move at once, without stopping at deadlines on the way"`
}

func (a *API) show(ctx context.Context, _ endpoint.NoRequest) (ClockResponse, error) {
	state, err := a.options.Clock.ClockState(ctx)
	return a.response(state), err
}

func (a *API) response(state db.ClockState) ClockResponse {
	now := a.options.Now()
	name := "real"
	switch {
	case state.Static():
		name = "static"
	case state.Simulated:
		name = "simulated"
	}
	return ClockResponse{
		Clock: name, LedgerTime: endpoint.Timestamp(state.At(now)),
		RealTime: endpoint.Timestamp(now.UTC().Truncate(time.Microsecond)),
		Ahead:    state.At(now).Sub(now.UTC().Truncate(time.Microsecond)).String(),
	}
}

type advanceRequest struct {
	Body AdvanceClockRequest `body:"json"`
}

func (a *API) advance(ctx context.Context, req advanceRequest) (ClockResponse, error) {
	return a.Advance(ctx, req.Body)
}

// Advance moves the clock as POST /v0/dev/clock does. A repeated request has the target of the first one.
func (a *API) Advance(ctx context.Context, req AdvanceClockRequest) (ClockResponse, error) {
	if !a.options.Development {
		return ClockResponse{}, fault.ClockNotSimulated.New(
			"This process is not a development node: it cannot advance the ledger's clock.").
			WithHint("Send the request to a node of `florin up --clock simulated`.")
	}
	state, err := a.options.Clock.ClockState(ctx)
	if err != nil {
		return ClockResponse{}, err
	}
	to, err := a.decide(ctx, req, state)
	if err != nil {
		return ClockResponse{}, err
	}
	move := a.advanceTo
	if req.Jump {
		move = a.jump
	}
	if err := move(ctx, to); err != nil {
		return ClockResponse{}, err
	}
	return a.show(ctx, endpoint.NoRequest{})
}

// decide returns the target of a request. The first attempt decides for all.
func (a *API) decide(ctx context.Context, req AdvanceClockRequest, state db.ClockState) (to time.Time, err error) {
	attempt := changes.AttemptOf(ctx)
	if decision, decided, err := attempt.Decided(ctx); err != nil {
		return to, err
	} else if decided {
		return time.Parse(time.RFC3339Nano, decision)
	}
	if to, err = target(req, state.At(a.options.Now())); err != nil {
		return to, err
	}
	if err := a.check(state, to); err != nil {
		return to, err
	}
	return to, attempt.Decide(ctx, to.Format(time.RFC3339Nano))
}

// check refuses impossible requests.
func (a *API) check(state db.ClockState, to time.Time) error {
	now := state.At(a.options.Now())
	switch {
	case !state.Simulated:
		return fault.ClockNotSimulated.New("The ledger's clock is real time, which nobody can advance.").
			WithHint("Start the development node with `florin up --clock simulated`.")
	case !to.After(now):
		return fault.InvalidArgumentf("%s is not after the present ledger time %s: time never goes back.",
			endpoint.Timestamp(to), endpoint.Timestamp(now)).WithHint("Send a later time, or advance_by.")
	case to.Sub(a.options.Now()) > db.MaxAhead:
		return fault.InvalidArgumentf("%s is too far away: ledger time may be at most 100 years ahead of real time",
			endpoint.Timestamp(to))
	default:
		return nil
	}
}

// target is the new ledger time of a request.
func target(body AdvanceClockRequest, now time.Time) (time.Time, error) {
	switch {
	case (body.AdvanceBy == "") == (body.AdvanceTo == ""):
		return now, fault.InvalidArgumentf("send either advance_by, such as 90d, or advance_to, an RFC 3339 time")
	case body.AdvanceBy != "":
		by, err := ParseDuration(body.AdvanceBy)
		return now.Add(by), err
	default:
		to, err := time.Parse(time.RFC3339Nano, body.AdvanceTo)
		if err != nil {
			return now, fault.InvalidArgumentf("advance_to %q is not an RFC 3339 time, such as %s",
				body.AdvanceTo, now.UTC().Format(time.RFC3339))
		}
		return to.UTC().Truncate(time.Microsecond), nil
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
	sum := (whole + part).Truncate(time.Microsecond) // the ledger's clock has no shorter times
	if err != nil || part < 0 || sum <= 0 {
		return 0, badDuration(text)
	}
	return sum, nil
}

func badDuration(text string) error {
	return fault.InvalidArgumentf("%q is not a positive duration of at most 106751d (292 years), such as 90d, 36h or "+
		"1d12h30m.", text).
		WithHint("Time never goes back: send how far to move it forward.")
}
