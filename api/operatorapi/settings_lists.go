package operatorapi

import (
	"context"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/settings"
)

type listRequest struct {
	After string `query:"after" doc:"Last party of the previous page"`
	Limit *int64 `query:"limit" doc:"Maximum number: 1 to 1000; default 100"`
}

// ListSweepsResponse is a page of sweeps in byte order of the senders.
type ListSweepsResponse struct {
	Sweeps []SweepResponse `json:"sweeps" required:"true" doc:"The sweeps"`
}

// ListAutoAcceptsResponse is a page of wallets in byte order of the receivers.
type ListAutoAcceptsResponse struct {
	AutoAccepts []AutoAcceptResponse `json:"auto_accepts" required:"true" doc:"The wallets"`
}

func (a *API) listSweeps(ctx context.Context, req listRequest) (ListSweepsResponse, error) {
	found, err := list(ctx, a, settings.KindSweep, req, toAPISweep)
	return ListSweepsResponse{Sweeps: found}, err
}

func (a *API) listAutoAccepts(ctx context.Context, req listRequest) (ListAutoAcceptsResponse, error) {
	found, err := list(ctx, a, settings.KindAutoAccept, req, toAPIAutoAccept)
	return ListAutoAcceptsResponse{AutoAccepts: found}, err
}

func list[T any](
	ctx context.Context, a *API, kind settings.Kind, req listRequest, show func(db.AutomationSetting) (T, error),
) ([]T, error) {
	limit, err := pageSize(req.Limit)
	if err != nil {
		return nil, err
	}
	found, err := a.options.Settings.AutomationSettings(ctx, string(kind), ledger.Party(req.After), limit)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(found))
	for i, setting := range found {
		if out[i], err = show(setting); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func pageSize(limit *int64) (int32, error) {
	switch {
	case limit == nil:
		return onePage, nil
	case *limit < 1:
		return 0, v0.BadRequest("Limit must be at least 1.")
	case *limit > maxPage:
		return 0, v0.BadRequest("Exceeded limit maximum (%d > %d).", *limit, maxPage)
	default:
		return int32(*limit), nil
	}
}
