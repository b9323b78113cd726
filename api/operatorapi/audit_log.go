package operatorapi

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// AuditLog lists who changed what.
type AuditLog interface {
	// AuditLog pages through the entries before a number, the newest first.
	AuditLog(ctx context.Context, filter db.LogFilter, before int64, limit int32) ([]db.LogEntry, error)
}

// AuditLogPath is the path of the audit log.
const AuditLogPath = "/v0/admin/audit-log"

// auditLogKinds are what the entries are about.
var auditLogKinds = []string{"user", "right", "party", "identity-provider", "package", "setting", "webhook"}

func (a *API) auditLogEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{endpoint.New(endpoint.Info{
		Method: http.MethodGet, Path: AuditLogPath, OperationID: "listAuditLog", Tag: "Operation",
		Access: endpoint.Admin,
		Summary: "List who changed which user, right, party, identity provider, package, setting or webhook, when, and from " +
			"where.",
		Description: "The newest entry comes first. The node writes an entry in the transaction of its change, so every " +
			"change has one, and a refused change has none. Changes past the node, with a database client, have an entry " +
			"too: it names the `program`. Entries have no secrets and are never deleted.",
	}, a.listAuditLog)}
}

type auditLogRequest struct {
	Before    *int64 `query:"before" doc:"Number of the last entry of the previous page"`
	Limit     *int64 `query:"limit" doc:"Maximum number: 1 to 1000; default 100"`
	Kind      string `query:"kind" doc:"user, right, party, identity-provider, package, setting or webhook"`
	UserID    string `query:"user_id" doc:"Only changes of this user and of its rights"`
	Party     string `query:"party" doc:"Only changes of this party, of rights to it, and of its wallet; without ::, of parties of this name"`
	ChangedBy string `query:"changed_by" doc:"Only changes that this user made"`
	Since     string `query:"since" doc:"Only changes at or after this time: 2026-03-01T10:00:00Z"`
	Until     string `query:"until" doc:"Only changes before this time"`
}

// AuditLogEntry is one change.
type AuditLogEntry struct {
	ID        int64              `json:"id" required:"true" doc:"Number of the entry; later entries have higher numbers"`
	ChangedAt endpoint.Timestamp `json:"changed_at" required:"true" doc:"Time of the change"`
	Kind      string             `json:"kind" required:"true" doc:"user, right, party, identity-provider, package, setting, webhook"`
	Action    string             `json:"action" required:"true" doc:"create, change, delete; grant, revoke for rights"`
	Subject   string             `json:"subject" required:"true" doc:"Id of what changed; the user of a right; a setting"`
	Party     ledger.Party       `json:"party" required:"true" doc:"The party of the right, user or wallet; or empty"`
	Before    json.RawMessage    `json:"before" doc:"The changed fields before; null if it is new"`
	After     json.RawMessage    `json:"after" doc:"The changed fields after; null if it is gone"`
	ChangedBy string             `json:"changed_by" required:"true" doc:"The user; empty without a user"`

	IdentityProviderID string `json:"identity_provider_id" required:"true" doc:"The user's; empty: the default one"`
	Program            string `json:"program" required:"true" doc:"florin, or another client of the database"`
	Addresses          string `json:"addresses" required:"true" doc:"X-Forwarded-For, then who called the node"`
	Operation          string `json:"operation" required:"true" doc:"The endpoint; or the configuration at a start"`
	TraceID            string `json:"trace_id" required:"true" doc:"Trace of the request; also in the node's log"`
}

// ListAuditLogResponse is a page of entries, the newest first.
type ListAuditLogResponse struct {
	Entries []AuditLogEntry `json:"entries" required:"true" doc:"The entries"`
}

func (a *API) listAuditLog(ctx context.Context, req auditLogRequest) (ListAuditLogResponse, error) {
	before := int64(math.MaxInt64)
	if req.Before != nil {
		before = *req.Before
	}
	limit, err := pageSize(req.Limit)
	if err != nil {
		return ListAuditLogResponse{}, err
	}
	filter, err := req.filter()
	if err != nil {
		return ListAuditLogResponse{}, err
	}
	found, err := a.options.AuditLog.AuditLog(ctx, filter, before, limit)
	entries := make([]AuditLogEntry, len(found))
	for i, entry := range found {
		entries[i] = AuditLogEntry{
			ID: entry.ID, ChangedAt: endpoint.Timestamp(entry.At), Kind: entry.Kind, Action: entry.Action,
			Subject: entry.Subject, Party: entry.Party, Before: entry.Before, After: entry.After,
			ChangedBy: entry.By.UserID, IdentityProviderID: entry.By.IdentityProviderID, Program: entry.Program,
			Addresses: entry.Origin.Addresses, Operation: entry.Origin.Operation, TraceID: entry.Origin.TraceID,
		}
	}
	return ListAuditLogResponse{Entries: entries}, err
}

func (r auditLogRequest) filter() (db.LogFilter, error) {
	filter := db.LogFilter{Kind: r.Kind, UserID: r.UserID, By: r.ChangedBy, Party: r.Party}
	if r.Kind != "" && !slices.Contains(auditLogKinds, r.Kind) {
		return filter, v0.BadRequest("The audit log has no kind %q. The kinds are %s.",
			r.Kind, strings.Join(auditLogKinds, ", "))
	}
	for _, bound := range []struct {
		name, text string
		time       *time.Time
	}{{"since", r.Since, &filter.Since}, {"until", r.Until, &filter.Until}} {
		var parsed endpoint.Timestamp
		if bound.text == "" {
			continue
		}
		if err := parsed.UnmarshalText([]byte(bound.text)); err != nil {
			return filter, v0.BadRequest("%s: %s.", bound.name, err)
		}
		*bound.time = time.Time(parsed)
	}
	return filter, nil
}
