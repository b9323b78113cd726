package ledgerapi

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry/tracing"
)

// CompletionRecord reads completions.
type CompletionRecord interface {
	Completions(ctx context.Context, query db.CompletionsQuery) ([]ledger.Completion, error)
	CompletionsByHash(
		ctx context.Context, hash string, parties []ledger.Party, limit int32,
	) ([]ledger.Completion, error)
}

// CompletionStreamRequest asks for completions (contract, "CompletionStreamRequest").
type CompletionStreamRequest struct {
	UserID         string   `json:"userId" doc:"The submitting user; default: the user of the token"`
	Parties        []string `json:"parties" required:"true" doc:"Completions with at least one of these acting parties"`
	BeginExclusive int64    `json:"beginExclusive" doc:"Offset to continue after; 0 to begin"`
}

// CommandCompletionsRequest asks for the completions of all users, as in later versions.
type CommandCompletionsRequest struct {
	Parties        []string `json:"parties" doc:"Completions with at least one of these acting parties; empty for all"`
	BeginExclusive int64    `json:"beginExclusive" doc:"Offset to continue after; 0 to begin"`
}

// CompletionStreamResponse is one element of the list.
type CompletionStreamResponse struct {
	CompletionResponse CompletionResponse `json:"completionResponse" doc:"The element"`
}

// CompletionResponse is a completion or a checkpoint.
type CompletionResponse struct {
	endpoint.OneOf

	Completion       *endpoint.Value[Completion]          `json:"Completion,omitempty" doc:"Outcome of a command"`
	OffsetCheckpoint *endpoint.Value[v2.OffsetCheckpoint] `json:"OffsetCheckpoint,omitempty" doc:"Position to resume from"`
	Empty            *v2.Nothing                          `json:"Empty,omitempty" doc:"Never sent"`
}

// Completion is the outcome of a command (contract, "Completion").
type Completion struct {
	CommandID           string               `json:"commandId" required:"true" doc:"Id of the command"`
	Status              *JsStatus            `json:"status" doc:"Code 0 for success"`
	UpdateID            string               `json:"updateId" doc:"The transaction; empty for a refused command"`
	UserID              string               `json:"userId" required:"true" doc:"The submitting user"`
	ActAs               []string             `json:"actAs" required:"true" doc:"The acting parties that the request asks for"`
	SubmissionID        string               `json:"submissionId" doc:"From the submission"`
	DeduplicationPeriod *DeduplicationPeriod `json:"deduplicationPeriod" doc:"The actual window"`
	TraceContext        *v2.TraceContext     `json:"traceContext" doc:"From the submission"`
	Offset              int64                `json:"offset" required:"true" doc:"Its offset"`
	SynchronizerTime    v2.SynchronizerTime  `json:"synchronizerTime" required:"true" doc:"Record time"`
	PaidTrafficCost     int64                `json:"paidTrafficCost" doc:"Traffic paid for the request"`
	TransactionHash     string               `json:"transactionHash,omitempty" doc:"Hash of an externally signed transaction"`
}

// JsStatus is a google.rpc.Status.
type JsStatus struct {
	Code    int32      `json:"code" required:"true" doc:"gRPC code; 0 for success"`
	Message string     `json:"message" required:"true" doc:"ERROR_CODE(category,correlation): cause"`
	Details []ProtoAny `json:"details" doc:"Error details for programs"`
}

// ProtoAny is a packed protobuf message.
type ProtoAny struct {
	TypeURL       string             `json:"typeUrl" required:"true" doc:"Type of the message"`
	Value         endpoint.Bytes     `json:"value" required:"true" doc:"The message"`
	UnknownFields v2.UnknownFieldSet `json:"unknownFields" required:"true" doc:"Always empty"`
	ValueDecoded  string             `json:"valueDecoded" doc:"The message as JSON text"`
}

// listQuery has the parameters of lists that replace streams.
type listQuery struct {
	Limit       *int64
	IdleTimeout *int64
}

type commandCompletionsRequest struct {
	Limit       *int64                    `query:"limit" doc:"Maximum number of elements; ignored above the server's limit"`
	IdleTimeout *int64                    `query:"stream_idle_timeout_ms" doc:"How long to wait for another element"`
	Body        CommandCompletionsRequest `body:"json"`
}

type completionsRequest struct {
	Limit       *int64                  `query:"limit" doc:"Maximum number of elements; ignored above the server's limit"`
	IdleTimeout *int64                  `query:"stream_idle_timeout_ms" doc:"How long to wait for another element"`
	Body        CompletionStreamRequest `body:"json"`
}

func (a *API) completions(ctx context.Context, req completionsRequest) ([]CompletionStreamResponse, error) {
	query, err := a.completionsQuery(ctx, req.Body)
	if err != nil {
		return nil, err
	}
	return a.listCompletions(ctx, query, listQuery{Limit: req.Limit, IdleTimeout: req.IdleTimeout})
}

func (a *API) commandCompletions(
	ctx context.Context, req commandCompletionsRequest,
) ([]CompletionStreamResponse, error) {
	query, err := commandCompletionsQuery(ctx, req.Body)
	if err != nil {
		return nil, err
	}
	return a.listCompletions(ctx, query, listQuery{Limit: req.Limit, IdleTimeout: req.IdleTimeout})
}

func (a *API) listCompletions(
	ctx context.Context, query db.CompletionsQuery, parameters listQuery,
) ([]CompletionStreamResponse, error) {
	bounds, err := a.listBounds(parameters, completionsAdvice)
	if err != nil {
		return nil, err
	}
	head, err := a.headOfCompletions(ctx, query.After)
	if err != nil {
		return nil, err
	}
	claims := endpoint.Claims(ctx)
	fetch := func(ctx context.Context, upTo ledger.Offset, limit int) ([]CompletionStreamResponse, error) {
		query.UpTo, query.Limit = upTo, int32(limit)
		begin := query.After
		found, err := a.record.Completions(ctx, query)
		if err == nil {
			err = a.stillThere(ctx, begin)
		}
		elements := make([]CompletionStreamResponse, len(found))
		for i, completion := range found {
			elements[i] = a.toAPICompletionElement(claims, completion, query.Parties)
			tracing.Deliver(ctx, completion.Trace, "deliver completion", tracing.Offset(completion.Offset))
			query.After = completion.Offset
		}
		if len(found) < limit { // everything up to there is read
			query.After = upTo
		}
		return elements, err
	}
	return collect(ctx, a, bounds, head, fetch, a.completionCheckpoint)
}

// completionsQuery checks the request: claims first, then fields.
func (a *API) completionsQuery(ctx context.Context, body CompletionStreamRequest) (db.CompletionsQuery, error) {
	claims := endpoint.Claims(ctx)
	identity, err := claims.ReadingUser(body.UserID)
	if err != nil {
		return db.CompletionsQuery{}, err
	}
	parties := ledger.SortedParties(v2.FromAPIParties(body.Parties))
	if err := claims.RequireReadAs(parties...); err != nil {
		return db.CompletionsQuery{}, err
	}
	if err := identity.CheckUser(); err != nil {
		return db.CompletionsQuery{}, err
	}
	if len(parties) == 0 {
		return db.CompletionsQuery{}, fault.MissingFieldNamed("parties")
	}
	if err := v2.CheckParties(body.Parties); err != nil {
		return db.CompletionsQuery{}, err
	}
	if claims.CanReadAsAnyParty() && body.UserID != "" { // such a caller means the user with this name
		user, known, err := a.record.UserNamed(ctx, identity.UserID)
		if err != nil {
			return db.CompletionsQuery{}, err
		}
		if known {
			identity = user.Identity()
		}
	}
	if body.BeginExclusive < 0 {
		return db.CompletionsQuery{}, fault.NegativeOffsetIn("begin_exclusive", body.BeginExclusive)
	}
	return db.CompletionsQuery{User: &identity, Parties: parties, After: ledger.Offset(body.BeginExclusive)}, nil
}

// commandCompletionsQuery checks the request: claims first, then fields.
func commandCompletionsQuery(ctx context.Context, body CommandCompletionsRequest) (db.CompletionsQuery, error) {
	claims := endpoint.Claims(ctx)
	query := db.CompletionsQuery{After: ledger.Offset(body.BeginExclusive)}
	var err error
	if len(body.Parties) == 0 {
		err = claims.RequireReadAsAnyParty()
	} else {
		query.Parties = ledger.SortedParties(v2.FromAPIParties(body.Parties))
		err = claims.RequireReadAs(query.Parties...)
	}
	if err != nil {
		return query, err
	}
	if err := v2.CheckParties(body.Parties); err != nil {
		return query, err
	}
	if body.BeginExclusive < 0 {
		return query, fault.NegativeOffsetIn("begin_exclusive", body.BeginExclusive)
	}
	return query, nil
}

// headOfCompletions reads the head and checks the start: in a pruned record it must be after the pruned offset
// (contract, "CompletionStreamRequest").
func (a *API) headOfCompletions(ctx context.Context, begin ledger.Offset) (db.Head, error) {
	head, err := a.record.Head(ctx)
	switch {
	case err != nil:
		return db.Head{}, err
	case begin > head.Offset:
		return db.Head{}, fault.OffsetAfterEnd("Begin", int64(begin), int64(head.Offset))
	case head.Pruned > 0 && begin <= head.Pruned:
		return db.Head{}, fault.ParticipantPrunedDataAccessed.
			New("begin_exclusive is %d, but must be greater than %d: the record is pruned up to that offset", begin,
				head.Pruned).
			With("earliest_offset", strconv.FormatInt(int64(head.Pruned)+1, 10)).
			WithHint("Begin at earliest_offset. The list starts after that offset; read the transaction at that offset " +
				"with POST /v2/updates, beginning at the pruned offset. Next time, prune one entry less than you have read.")
	default:
		return head, nil
	}
}

func (a *API) completionCheckpoint(head db.Head) CompletionStreamResponse {
	return CompletionStreamResponse{CompletionResponse{OffsetCheckpoint: endpoint.Valued(a.checkpointAt(head))}}
}

// toAPICompletionElement converts a completion for the requesting parties, nil for all: it lists only those of the acting
// parties.
func (a *API) toAPICompletionElement(
	claims auth.Claims, completion ledger.Completion, parties []ledger.Party,
) CompletionStreamResponse {
	return CompletionStreamResponse{CompletionResponse{Completion: endpoint.Valued(a.toAPICompletion(claims, completion,
		func(party ledger.Party) bool { return parties == nil || ledger.PartiesContain(parties, party) }))}}
}

// toAPICompletion converts a completion with the visible acting parties, and with the part of its refusal that the
// caller may see.
func (a *API) toAPICompletion(
	claims auth.Claims, completion ledger.Completion, visible func(ledger.Party) bool,
) Completion {
	actAs := slices.DeleteFunc(slices.Clone(completion.ActAs), func(party ledger.Party) bool { return !visible(party) })
	return Completion{
		CommandID:           completion.CommandID,
		Status:              ToAPIStatus(visibleRefusal(claims, completion), completion.SubmissionID),
		UpdateID:            string(completion.UpdateID),
		UserID:              completion.UserID,
		ActAs:               v2.ToAPIParties(actAs),
		SubmissionID:        completion.SubmissionID,
		DeduplicationPeriod: ToAPIDeduplicationPeriod(completion.Deduplication),
		TraceContext:        v2.ToAPITraceContext(completion.Trace),
		Offset:              int64(completion.Offset),
		SynchronizerTime:    v2.ToAPITimes(a.node.SynchronizerID, completion.RecordTime)[0],
		PaidTrafficCost:     completion.PaidTrafficCost,
		TransactionHash:     completion.ExternalHash,
	}
}

// ToAPIStatus converts a refusal, nil for success. The correlation id appears in the message.
func ToAPIStatus(refusal *fault.Fault, correlationID string) *JsStatus {
	status := fault.Succeeded()
	if refusal != nil {
		status = refusal.Status(correlationID)
	}
	out := &JsStatus{Code: status.Code, Message: status.Message, Details: make([]ProtoAny, len(status.Details))}
	for i, detail := range status.Details {
		out.Details[i] = ProtoAny{TypeURL: detail.TypeURL, Value: detail.Value}
		if decoded, err := json.Marshal(detail.Decoded); err == nil { // they are structs of texts and numbers
			out.Details[i].ValueDecoded = string(decoded)
		}
	}
	return out
}
