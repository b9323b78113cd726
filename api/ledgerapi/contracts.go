package ledgerapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// ContractRecord reads contracts.
type ContractRecord interface {
	ActiveContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error)
	// Contract finds a contract, active or archived.
	Contract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error)
	// ContractByKey finds the active contract that has the key with the hash.
	ContractByKey(ctx context.Context, keyHash string) (db.StoredContract, bool, error)
	// WorkflowIDs returns the workflow ids of the updates at the offsets, without updates that have none.
	WorkflowIDs(ctx context.Context, offsets []ledger.Offset) (map[ledger.Offset]string, error)
}

// GetActiveContractsRequest asks for the contracts that are active at an offset.
type GetActiveContractsRequest struct {
	Filter                  *TransactionFilter `json:"filter" doc:"Older form of eventFormat"`
	Verbose                 bool               `json:"verbose" doc:"Older form of eventFormat.verbose"`
	ActiveAtOffset          int64              `json:"activeAtOffset" required:"true" doc:"At most the ledger end"`
	EventFormat             *EventFormat       `json:"eventFormat" doc:"What to show"`
	StreamContinuationToken *endpoint.Bytes    `json:"streamContinuationToken" doc:"Token of the last received element"`
}

// JsGetActiveContractsResponse is one element of the list.
type JsGetActiveContractsResponse struct {
	WorkflowID              string          `json:"workflowId" doc:"From the transaction that created the contract"`
	ContractEntry           JsContractEntry `json:"contractEntry" doc:"The contract"`
	StreamContinuationToken endpoint.Bytes  `json:"streamContinuationToken" doc:"Token to continue after this element"`
}

// JsContractEntry is a contract or, on nodes with several synchronizers, one on its way between two.
type JsContractEntry struct {
	endpoint.OneOf

	JsEmpty          *v2.Nothing       `json:"JsEmpty,omitempty" doc:"Never sent"`
	JsActiveContract *JsActiveContract `json:"JsActiveContract,omitempty" doc:"An active contract"`
}

// JsActiveContract is an active contract.
type JsActiveContract struct {
	CreatedEvent        CreatedEvent `json:"createdEvent" required:"true" doc:"Its creation"`
	SynchronizerID      string       `json:"synchronizerId" required:"true" doc:"The synchronizer of the contract"`
	ReassignmentCounter int64        `json:"reassignmentCounter" required:"true" doc:"Number of reassignments"`
}

type activeContractsRequest struct {
	Limit       *int64                    `query:"limit" doc:"Maximum number of elements; ignored above the server's limit"`
	IdleTimeout *int64                    `query:"stream_idle_timeout_ms" doc:"How long to wait for another element"`
	Body        GetActiveContractsRequest `body:"json"`
}

// activePage is the number of contracts in one read.
const activePage = 200

func (a *API) activeContracts(ctx context.Context, req activeContractsRequest) ([]JsGetActiveContractsResponse, error) {
	bounds, err := a.listBounds(listQuery{Limit: req.Limit, IdleTimeout: req.IdleTimeout}, contractsAdvice)
	if err != nil {
		return nil, err
	}
	format, err := a.acsFormat(ctx, req.Body)
	if err != nil {
		return nil, err
	}
	query, err := a.activeQuery(ctx, req.Body, format)
	if err != nil {
		return nil, err
	}
	elements, _, err := a.readActive(ctx, &query, format, bounds.fetch, untilTheEnd)
	if err != nil {
		return nil, err
	}
	return elements, bounds.check(len(elements))
}

// readActive returns visible contracts, up to limit and while goOn allows it, and whether there may be more.
func (a *API) readActive(
	ctx context.Context, query *db.ActiveQuery, format *eventFormat, limit int, goOn func(context.Context) bool,
) (elements []JsGetActiveContractsResponse, more bool, err error) {
	portions := budget.NewPortions(activePage)
	for more = true; more && len(elements) < limit && goOn(ctx); {
		var shown []JsGetActiveContractsResponse
		if shown, more, err = a.readActivePage(ctx, query, portions, format); err != nil {
			return nil, false, err
		}
		room := limit - len(elements)
		more = more || len(shown) > room
		elements = append(elements, shown[:min(len(shown), room)]...)
	}
	return elements, more, nil
}

// readActivePage reads one page of the record, moves the query behind it, and reports whether there may be more.
func (a *API) readActivePage(
	ctx context.Context, query *db.ActiveQuery, portions *budget.Portions, format *eventFormat,
) (elements []JsGetActiveContractsResponse, more bool, err error) {
	page, more, release, err := budget.Read(ctx, portions,
		func(ctx context.Context, limit int32) ([]db.StoredContract, error) {
			portion := *query
			portion.Limit = limit
			return a.record.ActiveContracts(ctx, portion)
		})
	if err != nil {
		return nil, false, err
	}
	release() // from here on only the shown part counts
	if elements, err = a.toAPIActivePage(ctx, page, format, *query); err != nil {
		return nil, false, err
	}
	if len(page) > 0 {
		query.After = page[len(page)-1].Position()
	}
	if query.At == 0 {
		return elements, more, nil
	}
	return elements, more, a.stillThere(ctx, query.At)
}

// acsFormat reads either form of the filter.
func (a *API) acsFormat(ctx context.Context, body GetActiveContractsRequest) (*eventFormat, error) {
	switch {
	case body.EventFormat != nil && body.Filter != nil:
		return nil, fault.InvalidArgumentf("Both filter and event_format are specified").
			WithHint("Send eventFormat only.")
	case body.EventFormat != nil && body.Verbose:
		return nil, fault.InvalidArgumentf("Both verbose and event_format are specified").
			WithHint("Set eventFormat.verbose instead.")
	case body.EventFormat != nil:
		return a.fromAPIEventFormat(ctx, *body.EventFormat)
	case body.Filter != nil:
		return a.fromAPIEventFormat(ctx, EventFormat{
			FiltersByParty: body.Filter.FiltersByParty, FiltersForAnyParty: body.Filter.FiltersForAnyParty,
		})
	default:
		if err := endpoint.Claims(ctx).Require(); err != nil {
			return nil, err
		}
		return nil, fault.InvalidArgumentf("Either filter or event_format is required").
			WithHint("Send eventFormat with at least one party in filtersByParty.")
	}
}

// holdsActiveAt refuses offsets whose active contracts cannot be read. At 0 there are none, so pruning does not matter.
func (a *API) holdsActiveAt(ctx context.Context, at ledger.Offset) error {
	if at == 0 {
		return nil
	}
	_, err := a.headAfter(ctx, "active_at_offset", at)
	return err
}

// activeQuery checks the offset and the continuation token.
func (a *API) activeQuery(
	ctx context.Context, body GetActiveContractsRequest, format *eventFormat,
) (db.ActiveQuery, error) {
	if body.ActiveAtOffset < 0 {
		return db.ActiveQuery{}, fault.NegativeOffsetIn("active_at_offset", body.ActiveAtOffset)
	}
	at := ledger.Offset(body.ActiveAtOffset)
	if err := a.holdsActiveAt(ctx, at); err != nil {
		return db.ActiveQuery{}, err
	}
	query := db.ActiveQuery{Parties: format.readers(), Templates: format.templateIDs(), At: at, Limit: activePage}
	if body.StreamContinuationToken != nil && len(*body.StreamContinuationToken) > 0 {
		position, err := decodeContinuation(*body.StreamContinuationToken, query, format)
		if err != nil {
			return db.ActiveQuery{}, err
		}
		query.After = position
	}
	return query, nil
}

// toAPIActivePage converts the contracts of a page that the format selects.
func (a *API) toAPIActivePage(
	ctx context.Context, page []db.StoredContract, format *eventFormat, query db.ActiveQuery,
) ([]JsGetActiveContractsResponse, error) {
	offsets := make([]ledger.Offset, len(page))
	for i, contract := range page {
		offsets[i] = contract.Offset
	}
	slices.Sort(offsets)
	workflows, err := a.record.WorkflowIDs(ctx, slices.Compact(offsets))
	if err != nil {
		return nil, err
	}
	packages, err := a.resolve(ctx, format, func(yield func(lf.TypeName) bool) {
		for i := 0; i < len(page) && yield(page[i].Template); i++ {
		}
	})
	if err != nil {
		return nil, err
	}
	var tokens tokens
	elements := make([]JsGetActiveContractsResponse, 0, len(page))
	for _, contract := range page {
		implements := packages.InterfacesOf(contract.Template)
		how, ok := format.show(contract.Template, implements, contract.Stakeholders())
		if !ok {
			continue
		}
		if err := budget.Of(ctx).Take(sizeOfContract(contract.Contract)); err != nil {
			return nil, err
		}
		event, err := a.toAPICreated(ctx, place{contract.Offset, contract.NodeID}, contract.Contract, how, true)
		if err != nil {
			return nil, err
		}
		if len(elements) == 0 {
			tokens = newTokens(packages, query, format)
		}
		elements = append(elements, JsGetActiveContractsResponse{
			WorkflowID: workflows[contract.Offset],
			ContractEntry: JsContractEntry{JsActiveContract: &JsActiveContract{
				CreatedEvent: *event, SynchronizerID: a.node.SynchronizerID,
			}},
			StreamContinuationToken: tokens.of(contract.Position()),
		})
	}
	return elements, nil
}

// A continuation token has the last received contract, the offset, and a digest of the request, so that it fits no
// other request.
const (
	continuationVersion = 2
	// resolvedVersion tokens have a digest of the templates behind the filters, which cannot change before the first
	// upload. Nodes of the previous version, which know no other tokens, can run until then.
	resolvedVersion    = 1
	digestLength       = 8
	continuationLength = 1 + 8 + 8 + 4 + digestLength
)

type tokens struct{ head, digest []byte }

func newTokens(packages *ledger.Packages, query db.ActiveQuery, format *eventFormat) tokens {
	version, filters := byte(resolvedVersion), query.Templates
	if packages.HasUploaded() {
		version, filters = continuationVersion, format.requested()
	}
	return tokens{binary.BigEndian.AppendUint64([]byte{version}, uint64(query.At)), digestOf(query.Parties, filters)}
}

func (t tokens) of(position db.Position) endpoint.Bytes {
	token := binary.BigEndian.AppendUint64(slices.Clone(t.head), uint64(position.Offset))
	token = binary.BigEndian.AppendUint32(token, uint32(position.NodeID))
	return append(token, t.digest...)
}

func decodeContinuation(token []byte, query db.ActiveQuery, format *eventFormat) (db.Position, error) {
	invalid := func(reason string) (db.Position, error) {
		return db.Position{}, fault.InvalidContinuationToken.New("The stream continuation token %s", reason).
			WithHint("Send the token of the last received element with an otherwise unchanged request.")
	}
	parsed, ok := parseContinuation(token)
	if !ok {
		return invalid("is not from this node")
	}
	if !parsed.fits(query, format) {
		return invalid("belongs to another request")
	}
	return parsed.position, nil
}

// continuation is a decoded token.
type continuation struct {
	version  byte
	at       ledger.Offset
	position db.Position
	digest   []byte
}

func parseContinuation(token []byte) (continuation, bool) {
	if len(token) != continuationLength || token[0] != resolvedVersion && token[0] != continuationVersion {
		return continuation{}, false
	}
	at, offset := binary.BigEndian.Uint64(token[1:]), binary.BigEndian.Uint64(token[9:])
	node := binary.BigEndian.Uint32(token[17:])
	return continuation{
		version: token[0], at: ledger.Offset(at), position: db.Position{Offset: ledger.Offset(offset), NodeID: int32(node)},
		digest: token[21:],
	}, at <= math.MaxInt64 && offset <= math.MaxInt64 && node <= math.MaxInt32
}

// fits reports whether the token belongs to the query of a format.
func (c continuation) fits(query db.ActiveQuery, format *eventFormat) bool {
	filters := format.requested()
	if c.version == resolvedVersion {
		filters = query.Templates
	}
	return c.at == query.At && bytes.Equal(c.digest, digestOf(query.Parties, filters))
}

func digestOf(parties []ledger.Party, filters []string) []byte {
	hash := sha256.New()
	// Writing to a hash does not fail.
	_, _ = fmt.Fprintf(hash, "%q %t %q %t", parties, parties == nil, filters, filters == nil)
	return hash.Sum(nil)[:digestLength]
}
