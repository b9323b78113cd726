package web

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// logEntry is an entry of the audit log.
type logEntry struct {
	ID        int64           `json:"id"`
	ChangedAt time.Time       `json:"changed_at"`
	Kind      string          `json:"kind"`
	Action    string          `json:"action"`
	Subject   string          `json:"subject"`
	Party     string          `json:"party"`
	Before    json.RawMessage `json:"before"`
	After     json.RawMessage `json:"after"`
	ChangedBy string          `json:"changed_by"`
	Provider  string          `json:"identity_provider_id"`
	Program   string          `json:"program"`
	Addresses string          `json:"addresses"`
	Operation string          `json:"operation"`
	TraceID   string          `json:"trace_id"`
}

// IsOfUser reports whether the subject is a user.
func (e logEntry) IsOfUser() bool { return e.Kind == "user" || e.Kind == "right" }

// Was has the changed fields before.
func (e logEntry) Was() []loggedField { return loggedFields(e.Before) }

// Is has the changed fields after.
func (e logEntry) Is() []loggedField { return loggedFields(e.After) }

// loggedField is a changed field; Value is JSON, but a text has no quotes.
type loggedField struct{ Name, Value string }

func loggedFields(object json.RawMessage) []loggedField {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return nil
	}
	out := make([]loggedField, 0, len(fields))
	for name, value := range fields {
		text := string(value)
		_ = json.Unmarshal(value, &text) // other values than texts stay as they are
		out = append(out, loggedField{name, text})
	}
	slices.SortFunc(out, func(a, b loggedField) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// changesPage is the number of changes on a page.
const changesPage = 50

// logFilters are the fields of the form, which are parameters of the API.
var logFilters = []string{"kind", "user_id", "party", "changed_by"}

// logKinds are the kinds of the form.
var logKinds = []string{"", "user", "right", "party", "identity-provider", "package", "setting", "webhook"}

type auditLogView struct {
	Entries []logEntry
	Kinds   []string
	// Filters are what the visitor typed, by the names of the parameters.
	Filters map[string]string
	// Older is the address of the next page; "" on the last.
	Older string
}

// auditLog shows who changed what.
func (s *site) auditLog(v *visit) error {
	query, data := url.Values{}, auditLogView{Kinds: logKinds, Filters: map[string]string{}}
	for _, name := range logFilters {
		if value := strings.TrimSpace(v.r.URL.Query().Get(name)); value != "" {
			query.Set(name, value)
			data.Filters[name] = value
		}
	}
	var out struct {
		Entries []logEntry `json:"entries"`
	}
	page := maps.Clone(query)
	page.Set("limit", strconv.Itoa(changesPage))
	if before := v.r.URL.Query().Get("before"); before != "" {
		page.Set("before", before)
	}
	if err := v.api.Get(v.ctx(), "/v0/admin/audit-log?"+page.Encode(), &out); err != nil {
		return err
	}
	data.Entries = out.Entries
	if len(data.Entries) == changesPage {
		query.Set("before", strconv.FormatInt(data.Entries[changesPage-1].ID, 10))
		data.Older = adminPath + "/history?" + query.Encode()
	}
	return s.show(v, "admin_audit_log", data)
}
