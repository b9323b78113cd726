package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry/tracing"
)

// Growing lists are also streams, at the same paths. A stream reads page by page from the record and sends each page
// before it reads the next, so that a slow client delays nobody and costs one page of memory.

// Streams lists the whole family.
func (a *API) Streams() []endpoint.Stream {
	return []endpoint.Stream{
		endpoint.NewStream(endpoint.Info{
			Path: "/v2/commands/completions", OperationID: "V2CommandsCompletions", Tag: tagCommands,
			Summary: "Get the stream of completions.", Rights: rightsCompletions, Description: endless,
		}, a.streamCompletions),
		endpoint.NewStream(endpoint.Info{
			Path: "/v2/commands/command-completions", OperationID: "V2CommandsCommand-completions", Tag: tagCommands,
			Summary: "Get the stream of completions of all users.", Rights: rightsCommandCompletions,
			Description: endless,
		}, a.streamCommandCompletions),
		endpoint.NewStream(endpoint.Info{
			Path: "/v2/state/active-contracts", OperationID: "V2StateActive-contracts", Tag: tagState,
			Summary: "Get the active contracts at an offset.", Rights: rightsRead,
			Description: "The stream ends after the last contract. To continue an interrupted stream, send the " +
				"streamContinuationToken of the last received element.",
		}, a.streamActiveContracts),
		endpoint.NewStream(endpoint.Info{
			Path: "/v2/updates", OperationID: "V2Updates", Tag: tagUpdates,
			Summary: "Get the stream of updates.", Rights: rightsRead, Description: "Ends after endInclusive. " + endless,
		}, a.streamUpdates),
		endpoint.NewStream(endpoint.Info{
			Path: "/v2/updates/flats", OperationID: "V2UpdatesFlats", Tag: tagUpdates, Deprecated: true,
			Summary: "Get the stream of transactions; older name of /v2/updates.", Rights: rightsRead,
			Description: "Ends after endInclusive. " + endless,
		}, a.streamUpdates),
		endpoint.NewStream(endpoint.Info{
			Path: "/v2/updates/trees", OperationID: "V2UpdatesTrees", Tag: tagUpdates, Deprecated: true,
			Summary: "Get the stream of transaction trees.", Rights: rightsRead,
			Description: "Ends after endInclusive. " + endless,
		}, a.streamTrees),
	}
}

// endless describes streams without an end.
const endless = "A stream without an end continues until one side closes it, and sends checkpoints: all elements up " +
	"to the offset of a checkpoint are sent. To continue later, set beginExclusive to the greatest received offset."

// completionsPage is the number of completions in one read.
const completionsPage = 200

func (a *API) streamCompletions(
	ctx context.Context, body CompletionStreamRequest, send endpoint.Send[CompletionStreamResponse],
) error {
	query, err := a.completionsQuery(ctx, body)
	if err != nil {
		return err
	}
	return a.followCompletions(ctx, query, send)
}

func (a *API) streamCommandCompletions(
	ctx context.Context, body CommandCompletionsRequest, send endpoint.Send[CompletionStreamResponse],
) error {
	query, err := commandCompletionsQuery(ctx, body)
	if err != nil {
		return err
	}
	return a.followCompletions(ctx, query, send)
}

func (a *API) followCompletions(
	ctx context.Context, query db.CompletionsQuery, send endpoint.Send[CompletionStreamResponse],
) error {
	head, err := a.headOfCompletions(ctx, query.After)
	if err != nil {
		return err
	}
	return a.follow(ctx, feed{
		readers: query.Parties, after: query.After, head: head,
		send: func(ctx context.Context, after, upTo ledger.Offset) error {
			query.After, query.UpTo = after, upTo
			return a.sendCompletions(ctx, query, send)
		},
		checkpoint: func(head db.Head) error { return send(a.completionCheckpoint(head)) },
	})
}

// sendCompletions sends all completions in the range of the query.
func (a *API) sendCompletions(
	ctx context.Context, query db.CompletionsQuery, send endpoint.Send[CompletionStreamResponse],
) error {
	portions := budget.NewPortions(completionsPage)
	for {
		var page []ledger.Completion
		var more bool
		read := func(ctx context.Context) (err error) {
			page, more, _, err = budget.Read(ctx, portions,
				func(ctx context.Context, limit int32) ([]ledger.Completion, error) {
					portion := query
					portion.Limit = limit
					return a.record.Completions(ctx, portion)
				})
			if err != nil {
				return err
			}
			return a.stillThere(ctx, query.After)
		}
		err := endpoint.ReadPage(ctx, read, func() error {
			for _, completion := range page {
				if err := send(a.toAPICompletionElement(endpoint.Claims(ctx), completion, query.Parties)); err != nil {
					return err
				}
				tracing.Deliver(ctx, completion.Trace, "deliver completion", tracing.Offset(completion.Offset))
				query.After = completion.Offset
			}
			return nil
		})
		if err != nil || !more {
			return err
		}
	}
}

func (a *API) streamActiveContracts(
	ctx context.Context, body GetActiveContractsRequest, send endpoint.Send[JsGetActiveContractsResponse],
) error {
	format, err := a.acsFormat(ctx, body)
	if err != nil {
		return err
	}
	query, err := a.activeQuery(ctx, body, format)
	if err != nil {
		return err
	}
	portions := budget.NewPortions(activePage)
	for {
		var elements []JsGetActiveContractsResponse
		var more bool
		read := func(ctx context.Context) (err error) {
			elements, more, err = a.readActivePage(ctx, &query, portions, format)
			return err
		}
		if err := endpoint.ReadPage(ctx, read, func() error { return sendAll(elements, send) }); err != nil || !more {
			return err
		}
	}
}

func (a *API) streamUpdates(
	ctx context.Context, body GetUpdatesRequest, send endpoint.Send[JsGetUpdatesResponse],
) error {
	view, err := a.updatesView(ctx, body)
	if err != nil {
		return err
	}
	return followUpdates(ctx, a, body, view, send)
}

func (a *API) streamTrees(
	ctx context.Context, body GetUpdatesRequest, send endpoint.Send[JsGetUpdateTreesResponse],
) error {
	view, err := a.treesView(ctx, body)
	if err != nil {
		return err
	}
	return followUpdates(ctx, a, body, view, send)
}

// followUpdates sends the updates of the view, up to the request's end or without one.
func followUpdates[T any](
	ctx context.Context, a *API, body GetUpdatesRequest, view updatesView[T], send endpoint.Send[T],
) error {
	head, err := a.updatesRange(ctx, body)
	if err != nil {
		return err
	}
	query := updatesQuery(body, view.readers)
	if body.EndInclusive != nil {
		return sendUpdates(ctx, a, query, view.show, send)
	}
	return a.follow(ctx, feed{
		readers: view.readers, after: query.After, head: head,
		send: func(ctx context.Context, after, upTo ledger.Offset) error {
			query.After, query.UpTo = after, upTo
			return sendUpdates(ctx, a, query, view.show, send)
		},
		checkpoint: func(head db.Head) error { return send(view.checkpoint(head)) },
	})
}

// sendUpdates sends all visible updates in the range of the query.
func sendUpdates[T any](
	ctx context.Context, a *API, query db.UpdatesQuery, show renderer[T], send endpoint.Send[T],
) error {
	bounds := fetchBounds{limit: updatesPage, reads: 1, portions: budget.NewPortions(updatesPage)}
	for query.After < query.UpTo {
		var elements []T
		read := func(ctx context.Context) (err error) {
			elements, err = fetchUpdates(ctx, a, &query, bounds, show)
			return err
		}
		if err := endpoint.ReadPage(ctx, read, func() error { return sendAll(elements, send) }); err != nil {
			return err
		}
	}
	return nil
}

func sendAll[T any](elements []T, send endpoint.Send[T]) error {
	for _, element := range elements {
		if err := send(element); err != nil {
			return err
		}
	}
	return nil
}
