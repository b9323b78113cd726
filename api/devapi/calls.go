package devapi

import (
	"context"
	"net/http"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger/fault"
)

// GetTimeResponse is the ledger's time.
type GetTimeResponse struct {
	CurrentTime endpoint.Timestamp `json:"currentTime" doc:"The ledger's time"`
}

// SetTimeRequest advances the ledger's time.
type SetTimeRequest struct {
	CurrentTime *endpoint.Timestamp `json:"currentTime" doc:"The ledger's time now, as the caller knows it"`
	NewTime     *endpoint.Timestamp `json:"newTime" doc:"The new time, not before it"`
}

type setTimeRequest struct {
	Body SetTimeRequest `body:"json"`
}

// GRPCEndpoints are the operations of the gRPC API's TimeService. A ledger with real time has none: its clients take that as
// real time.
func (a *API) GRPCEndpoints(ctx context.Context) ([]endpoint.Endpoint, error) {
	state, err := a.options.Clock.ClockState(ctx)
	if err != nil || !state.Simulated {
		return nil, err
	}
	return []endpoint.Endpoint{
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, OperationID: "callGetTime", Tag: "Development", Access: endpoint.Public,
			Summary: "Get the ledger's time.",
		}, a.getTime),
		endpoint.New(endpoint.Info{
			Method: http.MethodPost, OperationID: "callSetTime", Tag: "Development", Access: endpoint.Admin,
			Summary: "Advance the ledger's time.",
		}, a.setTime),
	}, nil
}

func (a *API) getTime(ctx context.Context, _ endpoint.NoRequest) (GetTimeResponse, error) {
	now, err := a.show(ctx, endpoint.NoRequest{})
	return GetTimeResponse{now.LedgerTime}, err
}

// setTime advances the clock as POST /v0/dev/clock does. Only a clock that stands still can have exactly the time that
// the caller knows; one that runs must have reached it.
func (a *API) setTime(ctx context.Context, req setTimeRequest) (endpoint.Empty, error) {
	if req.Body.CurrentTime == nil {
		return endpoint.Empty{}, fault.MissingFieldNamed("current_time")
	}
	if req.Body.NewTime == nil {
		return endpoint.Empty{}, fault.MissingFieldNamed("new_time")
	}
	state, err := a.options.Clock.ClockState(ctx)
	if err != nil {
		return endpoint.Empty{}, err
	}
	now := state.At(a.options.Now())
	known, to := time.Time(*req.Body.CurrentTime), time.Time(*req.Body.NewTime)
	switch {
	case state.Static() && !known.Equal(now), known.After(now):
		return endpoint.Empty{}, fault.InvalidArgumentf("current_time mismatch. Provided: %s. Actual: %s",
			endpoint.Timestamp(known), endpoint.Timestamp(now)).WithHint("Read the time with GetTime, then send it.")
	case to.Before(now):
		return endpoint.Empty{}, fault.InvalidArgumentf("new_time [%s] is before current_time [%s]. Setting time backwards "+
			"is not allowed.", endpoint.Timestamp(to), endpoint.Timestamp(now)).WithHint("Send a later time.")
	case to.Equal(now):
		return endpoint.Empty{}, nil
	}
	_, err = a.Advance(ctx, AdvanceClockRequest{AdvanceTo: endpoint.Timestamp(to).String()})
	return endpoint.Empty{}, err
}
