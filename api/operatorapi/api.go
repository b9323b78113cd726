// Package operatorapi has the operator's endpoints that a validator does not have: the audit of the record, the
// metrics, the log level, and the settings and troubles of the automations.
package operatorapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry"
)

// Options are the parts of an [API]. All are required, except for Paused.
type Options struct {
	Auditor *audit.Auditor
	// Checkpoints stores the position of the continuous audit.
	Checkpoints audit.Checkpoints
	Metrics     *telemetry.Metrics
	// Level is the level of Log, the log of the process.
	Level *slog.LevelVar
	Log   *slog.Logger
	// Settings are the settings of the automations.
	Settings Settings
	// Automation stores the state of the automations.
	Automation Automation
	// Ledger are the settings of the ledger.
	Ledger LedgerSettings
	// AuditLog says who changed what.
	AuditLog AuditLog
	// Users lists who may do what.
	Users Users
	// Now is the ledger's clock.
	Now func() time.Time
	// Schedule returns the id of the Temporal Schedule of a kind.
	Schedule func(kind string) string
	// Paused asks Temporal whether a Schedule is paused. Without it, or if it fails, the answer has the last stored state.
	Paused func(ctx context.Context, schedule string) (bool, error)
	// Pause pauses or resumes a Schedule, for the user named by.
	Pause func(ctx context.Context, schedule string, paused bool, by string) error
}

// API serves the operator.
type API struct {
	options Options
	goOnFor time.Duration
}

// New makes the API. The error names the part that is missing.
func New(options Options) (*API, error) {
	if options.Auditor == nil || options.Checkpoints == nil || options.Metrics == nil ||
		options.Settings == nil || options.Automation == nil || options.Ledger == nil || options.AuditLog == nil || options.Users == nil ||
		options.Now == nil || options.Pause == nil || options.Level == nil || options.Log == nil {
		return nil, errors.New("the operator's endpoints need an auditor, its checkpoints, metrics, settings, automation, " +
			"the audit log, the users, a clock, a log with its level, and a way to pause Schedules")
	}
	return &API{options: options, goOnFor: goOnFor}, nil
}

// Endpoints lists the family.
func (a *API) Endpoints() []endpoint.Endpoint {
	return append(slices.Concat(a.settingsEndpoints(), a.ledgerSettingsEndpoints(), a.automationEndpoints(),
		a.logLevelEndpoints(), a.auditLogEndpoints(), a.userRightsEndpoints()),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/audit", OperationID: "getAudit", Tag: "Operation",
			Access: endpoint.Admin, Summary: "Audit the record: check that every coin comes from a recorded mint and that no coin was lost.",
			Description: "The answer is 200 even if the audit found something: check `clean`. The audit continues from the " +
				"position of the node's continuous audit, for a few seconds. If that is too short, the answer is the last " +
				"result of the continuous audit: `complete` is false and `offset` is its position. With `full`, or an `offset` " +
				"before that position, the node reads the whole record; for a long record the answer is 503. `florin audit` " +
				"does the same without a time limit.",
		}, a.audit),
		MetricsEndpoint(a.options.Metrics),
	)
}

// MetricsEndpoint serves the metrics of this process. Concurrent requests share one collection, because anybody may
// ask.
func MetricsEndpoint(metrics *telemetry.Metrics) endpoint.Endpoint {
	flight := &singleflight.Group{}
	return endpoint.New(endpoint.Info{
		Method: http.MethodGet, Path: "/metrics", OperationID: "getMetrics", Tag: "Operation", Access: endpoint.Open,
		Vital: true, Summary: "Get the metrics of the node, in the text format of Prometheus.",
		Bodies: []endpoint.Body{endpoint.TextBody()},
	}, func(context.Context, endpoint.NoRequest) (endpoint.Content, error) {
		result, err, _ := flight.Do("", func() (any, error) { return metrics.Text() })
		if err != nil {
			return endpoint.Content{}, fault.Internal(err)
		}
		text, _ := result.([]byte)
		return endpoint.Content{Type: telemetry.TextType, Body: text}, nil
	})
}

type auditRequest struct {
	Offset *int64 `query:"offset" doc:"Offset to audit up to; the ledger end when left out"`
	Full   bool   `query:"full" doc:"Audit the whole record again; florin audit has no time limit"`
}

// AuditResponse is the outcome of an audit. Amounts are coin.
type AuditResponse struct {
	Clean       bool          `json:"clean" required:"true" doc:"Whether every rule holds"`
	Complete    bool          `json:"complete" required:"true" doc:"Whether it reached the end and compared all holdings"`
	StartOffset ledger.Offset `json:"start_offset" required:"true" doc:"Start of the audit: 0, or the pruned offset"`
	Offset      ledger.Offset `json:"offset" required:"true" doc:"Audited up to this offset"`
	Hash        string        `json:"hash" required:"true" doc:"Hash of the entry at the offset; covers all before"`
	ProvedSince ledger.Offset `json:"proved_since_offset" required:"true" doc:"All after it is proved, even if pruned"`

	RecordTime *endpoint.Timestamp `json:"record_time,omitempty" doc:"Record time of the last audited update"`

	Opening      decimal.Decimal `json:"opening" required:"true" doc:"Coin held at the start"`
	Minted       decimal.Decimal `json:"minted" required:"true" doc:"Coin minted since"`
	Burned       decimal.Decimal `json:"burned" required:"true" doc:"Coin burned since"`
	Supply       decimal.Decimal `json:"supply" required:"true" doc:"opening + minted - burned"`
	Held         decimal.Decimal `json:"held" required:"true" doc:"Sum of all holdings, including locked ones"`
	Holdings     int64           `json:"holdings" required:"true" doc:"Number of holdings at the last count"`
	Updates      int64           `json:"updates" required:"true" doc:"Number of audited updates"`
	FindingCount int64           `json:"finding_count" required:"true" doc:"Number of findings"`
	Findings     []audit.Finding `json:"findings" required:"true" doc:"The first 100 findings"`
}

// ToAPIAudit converts a complete report.
func ToAPIAudit(report audit.Report) (AuditResponse, error) {
	supply, err := report.Opening.Add(report.Minted)
	if err == nil {
		supply, err = supply.Sub(report.Burned)
	}
	if err != nil {
		return AuditResponse{}, fault.Internal(err)
	}
	return AuditResponse{
		Clean: report.Clean(), Complete: true, StartOffset: report.Start, Offset: report.Offset,
		Hash:        report.Hash.String(),
		ProvedSince: report.Since,
		RecordTime:  ledgerTime(report.RecordTime), Opening: report.Opening,
		Minted: report.Minted, Burned: report.Burned, Supply: supply, Held: report.Counted,
		Holdings: report.Holdings, Updates: report.Updates, FindingCount: report.FindingCount,
		Findings: report.Findings,
	}, nil
}

// goOnFor is how long an audit continues from the continuous one before the answer is the latter's result.
const goOnFor = 5 * time.Second

func (a *API) audit(ctx context.Context, req auditRequest) (AuditResponse, error) {
	upTo := ledger.Offset(0)
	if req.Offset != nil {
		if upTo = ledger.Offset(*req.Offset); upTo <= 0 {
			return AuditResponse{}, fault.NonPositiveOffsetIn("offset", *req.Offset)
		}
	}
	ctx = budget.Unbounded(ctx)
	state, known, err := audit.Load(ctx, a.options.Checkpoints)
	if err != nil {
		return AuditResponse{}, err
	}
	if known && !req.Full && (upTo == 0 || upTo >= state.Offset) {
		return a.goOn(ctx, state, upTo)
	}
	report, err := a.options.Auditor.Audit(ctx, upTo)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return AuditResponse{}, &endpoint.TimeoutError{
			Advice: "The record is too long for an audit within one request. Run `florin audit`, or leave out `full` and " +
				"`offset` to get the result of the continuous audit.",
		}
	case err != nil:
		return AuditResponse{}, err
	default:
		return ToAPIAudit(report)
	}
}

// goOn continues from the continuous audit. It returns the continuous audit's own result if the time is not enough, or
// if the next entries were pruned before the continuous audit read them.
func (a *API) goOn(ctx context.Context, state audit.State, upTo ledger.Offset) (AuditResponse, error) {
	soon, cancel := context.WithTimeout(ctx, a.goOnFor)
	defer cancel()
	report, err := a.options.Auditor.Continue(soon, state, upTo)
	switch {
	case err == nil:
		return ToAPIAudit(report)
	case upTo == 0 && fault.ParticipantPrunedDataAccessed.Matches(err):
	case ctx.Err() != nil || soon.Err() == nil:
		return AuditResponse{}, err
	}
	proved, err := ToAPIAudit(audit.Report{State: state, Counted: state.Held, Since: state.Start})
	proved.Complete = false
	return proved, err
}
