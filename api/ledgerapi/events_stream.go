package ledgerapi

import (
	"context"
	"net/http"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
)

// EventsPath is the path of the events that tell of changes.
const EventsPath = "/v2/updates/events"

// eventPause is the minimum time between two events of a stream.
const eventPause = time.Second

// Events lists the streams of server-sent events.
func (a *API) Events() []endpoint.Stream {
	return []endpoint.Stream{
		endpoint.NewStream(endpoint.Info{
			Method: http.MethodGet, Path: EventsPath, OperationID: "getEvents", Tag: tagUpdates, Rights: rightsRead,
			Summary: "Get an event when the ledger has something new for parties.",
			Description: "The answer is text/event-stream. The first event comes at once. Each event has the offset up to " +
				"which the ledger has grown; read what you show again. Without parties, the events are of all parties. An event " +
				"of type ping, without data, comes after ten seconds without another event.",
		}, a.streamEvents),
	}
}

type eventsRequest struct {
	Parties []string `query:"parties" doc:"The parties; without one, all parties"`
}

// ChangeEvent tells that the ledger has something new.
type ChangeEvent struct {
	Offset int64 `json:"offset" required:"true" doc:"The end of the ledger"`
}

func (a *API) streamEvents(ctx context.Context, request eventsRequest, send endpoint.Send[ChangeEvent]) error {
	claims := endpoint.Claims(ctx)
	var parties []ledger.Party // nil for all
	refusal := claims.RequireReadAsAnyParty()
	if len(request.Parties) > 0 {
		parties = ledger.SortedParties(v2.FromAPIParties(request.Parties))
		refusal = claims.RequireReadAs(parties...)
	}
	if refusal != nil {
		return refusal
	}
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	f, head := a.tail.follow(ctx, parties, head)
	defer f.leave()
	for {
		if err := send(ChangeEvent{int64(head.Offset)}); err != nil {
			return err
		}
		if err := wait.For(ctx, eventPause); err != nil {
			return context.Cause(ctx)
		}
		if head, _, _, err = f.wait(ctx); err != nil {
			return err
		}
	}
}
