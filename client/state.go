package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// LedgerEnd returns the offset of the last entry of the record.
func (c *Client) LedgerEnd(ctx context.Context) (int64, error) {
	var out struct {
		Offset int64 `json:"offset"`
	}
	err := c.Get(ctx, "/v2/state/ledger-end", &out)
	return out.Offset, err
}

// ActiveContracts lists the contracts of the templates that were active at an offset and that the party sees; no
// template means all.
func (c *Client) ActiveContracts(
	ctx context.Context, at int64, party string, templates ...string,
) ([]CreatedEvent, error) {
	in := map[string]any{"activeAtOffset": at, "eventFormat": eventFormat(party, templates)}
	var out []struct {
		ContractEntry struct {
			Active *struct {
				CreatedEvent CreatedEvent `json:"createdEvent"`
			} `json:"JsActiveContract"`
		} `json:"contractEntry"`
	}
	if err := c.Post(ctx, "/v2/state/active-contracts", in, &out); err != nil {
		return nil, err
	}
	var contracts []CreatedEvent
	for _, element := range out {
		if active := element.ContractEntry.Active; active != nil {
			contracts = append(contracts, active.CreatedEvent)
		}
	}
	return contracts, nil
}

func eventFormat(party string, templates []string) map[string]any {
	filters := []any{}
	for _, template := range templates {
		filters = append(filters, map[string]any{"identifierFilter": map[string]any{"TemplateFilter": map[string]any{
			"value": map[string]any{"templateId": template, "includeCreatedEventBlob": false},
		}}})
	}
	return map[string]any{
		"filtersByParty": map[string]any{party: map[string]any{"cumulative": filters}}, "verbose": false,
	}
}

// CompletionsRequest asks for completions.
type CompletionsRequest struct {
	Parties        []string
	BeginExclusive int64
	// UserID is the user of the completions; "" for the token's user.
	UserID string
	// Limit is the maximum number of elements; 0 for no limit.
	Limit int
	// Idle is how long the node waits for the next element; 0 for the node's default.
	Idle time.Duration
}

// Completion is the end of one submission.
type Completion struct {
	CommandID    string   `json:"commandId"`
	SubmissionID string   `json:"submissionId"`
	UpdateID     string   `json:"updateId"` // "" when refused
	UserID       string   `json:"userId"`
	ActAs        []string `json:"actAs"`
	Offset       int64    `json:"offset"`
	Status       struct {
		Code    int32  `json:"code"` // 0 when accepted
		Message string `json:"message"`
	} `json:"status"`
	SynchronizerTime struct {
		SynchronizerID string `json:"synchronizerId"`
		RecordTime     string `json:"recordTime"`
	} `json:"synchronizerTime"`
	DeduplicationPeriod json.RawMessage `json:"deduplicationPeriod"`
}

// Completions lists completions and returns the highest offset that the answer covers: that of the last checkpoint or
// completion, or BeginExclusive if there is neither. Continue from there.
func (c *Client) Completions(ctx context.Context, request CompletionsRequest) ([]Completion, int64, error) {
	path := "/v2/commands/completions"
	var query []string
	if request.Limit > 0 {
		query = append(query, "limit="+strconv.Itoa(request.Limit))
	}
	if request.Idle > 0 {
		query = append(query, "stream_idle_timeout_ms="+strconv.FormatInt(request.Idle.Milliseconds(), 10))
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	in := map[string]any{
		"userId": request.UserID, "parties": request.Parties, "beginExclusive": request.BeginExclusive,
	}
	var out []struct {
		CompletionResponse map[string]json.RawMessage `json:"completionResponse"`
	}
	if err := c.Post(ctx, path, in, &out); err != nil {
		return nil, request.BeginExclusive, err
	}
	reached := request.BeginExclusive
	var completions []Completion
	for _, element := range out {
		completion, offset, err := readCompletion(element.CompletionResponse)
		if err != nil {
			return nil, request.BeginExclusive, fmt.Errorf("POST %s: %w", path, err)
		}
		reached = max(reached, offset)
		if completion != nil {
			completions = append(completions, *completion)
		}
	}
	return completions, reached, nil
}

// readCompletion decodes an element of the completion list; a checkpoint has only an offset.
func readCompletion(raw map[string]json.RawMessage) (*Completion, int64, error) {
	kind, content, err := oneOf(raw)
	if err != nil {
		return nil, 0, fmt.Errorf("completionResponse: %w", err)
	}
	var wrapped struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(content, &wrapped); err != nil {
		return nil, 0, err
	}
	switch kind {
	case "Completion":
		completion := &Completion{}
		err := json.Unmarshal(wrapped.Value, completion)
		return completion, completion.Offset, err
	case "OffsetCheckpoint":
		var checkpoint struct {
			Offset int64 `json:"offset"`
		}
		err := json.Unmarshal(wrapped.Value, &checkpoint)
		return nil, checkpoint.Offset, err
	default:
		return nil, 0, fmt.Errorf("completionResponse has the unknown kind %q", kind)
	}
}

// isEntity reports whether a template id names the module and entity, in any package.
func isEntity(templateID, entity string) bool {
	_, name, ok := strings.Cut(templateID, ":")
	return ok && name == entity
}
