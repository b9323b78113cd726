// Package operatorapi is what the operator of a node asks of it beside what a validator has: the audit of the record,
// the metrics, what the automations are to do, and what troubles them.
package operatorapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry"
)

// Options are the parts of an [API]. All are required, except for Paused.
type Options struct {
	Auditor *audit.Auditor
	// Checkpoints is where the continuous audit keeps how far it has come.
	Checkpoints audit.Checkpoints
	Metrics     *telemetry.Metrics
	// Settings are what the automations are to do.
	Settings Settings
	// Automation is what the node does by itself.
	Automation Automation
	// Ledger are the settings of the ledger.
	Ledger LedgerSettings
	// Now is the ledger's clock.
	Now func() time.Time
	// Paused asks whether the Schedule of a kind is paused now. Without it, and when it fails, what the node saw last
	// is answered.
	Paused func(ctx context.Context, kind string) (bool, error)
}

// API serves the operator.
type API struct{ options Options }

// New makes the API. The error names the part that is missing.
func New(options Options) (*API, error) {
	if options.Auditor == nil || options.Checkpoints == nil || options.Metrics == nil ||
		options.Settings == nil || options.Automation == nil || options.Ledger == nil || options.Now == nil {
		return nil, errors.New("the operator's endpoints need an auditor, its checkpoints, metrics, settings, automation, " +
			"and a clock")
	}
	return &API{options: options}, nil
}

// Endpoints lists the family.
func (a *API) Endpoints() []endpoint.Endpoint {
	return append(slices.Concat(a.settingsEndpoints(), a.ledgerSettingsEndpoints(), a.automationEndpoints()),
		endpoint.New(endpoint.Info{
			Method: http.MethodGet, Path: "/v0/admin/audit", OperationID: "getAudit", Tag: "Operation",
			Access: endpoint.Admin, Summary: "Prove from the record that coin is neither made nor lost.",
			Description: "The answer is 200 whether or not something was found: look at `clean`. It goes on from where the " +
				"continuous audit of the node is, unless `full` is true or `offset` is earlier than that: then it " +
				"reads the whole record, which `florin audit` does without a time limit.",
		}, a.audit),
		MetricsEndpoint(a.options.Metrics),
	)
}

// MetricsEndpoint serves the metrics of this process. They are gathered once for all who ask at the same time: anybody
// may ask.
func MetricsEndpoint(metrics *telemetry.Metrics) endpoint.Endpoint {
	gathering := &singleflight.Group{}
	return endpoint.New(endpoint.Info{
		Method: http.MethodGet, Path: "/metrics", OperationID: "getMetrics", Tag: "Operation", Access: endpoint.Open,
		Vital: true, Summary: "Get the metrics of the node, in the text format of Prometheus.",
	}, func(context.Context, endpoint.NoRequest) (endpoint.Content, error) {
		gathered, err, _ := gathering.Do("", func() (any, error) { return metrics.Text() })
		if err != nil {
			return endpoint.Content{}, fault.Internal(err)
		}
		text, _ := gathered.([]byte)
		return endpoint.Content{Type: telemetry.TextType, Body: text}, nil
	})
}

type auditRequest struct {
	Offset *int64 `query:"offset" doc:"As of which offset; the ledger end when left out"`
	Full   bool   `query:"full" doc:"Whether to audit the whole record again"`
}

// AuditResponse is the outcome of an audit. Amounts are coin.
type AuditResponse struct {
	Clean        bool            `json:"clean" required:"true" doc:"Whether every rule holds"`
	StartOffset  ledger.Offset   `json:"start_offset" required:"true" doc:"Where it began: 0, or what was pruned"`
	Offset       ledger.Offset   `json:"offset" required:"true" doc:"As of which offset"`
	Opening      decimal.Decimal `json:"opening" required:"true" doc:"What was held at the start"`
	Minted       decimal.Decimal `json:"minted" required:"true" doc:"What was minted since"`
	Burned       decimal.Decimal `json:"burned" required:"true" doc:"What was burned since"`
	Supply       decimal.Decimal `json:"supply" required:"true" doc:"Opening and minted less burned"`
	Held         decimal.Decimal `json:"held" required:"true" doc:"What all holdings add up to, locked ones included"`
	Holdings     int64           `json:"holdings" required:"true" doc:"How many holdings there are"`
	Updates      int64           `json:"updates" required:"true" doc:"How many updates were audited"`
	Sealed       int64           `json:"sealed" required:"true" doc:"How many updates and completions have a seal"`
	Unsealed     int64           `json:"unsealed" required:"true" doc:"How many have none; no findings if they are older"`
	FindingCount int64           `json:"finding_count" required:"true" doc:"How many places break a rule"`
	Findings     []audit.Finding `json:"findings" required:"true" doc:"The first hundred of them"`
}

// ToAPIAudit shows a report.
func ToAPIAudit(report audit.Report) (AuditResponse, error) {
	supply, err := report.Opening.Add(report.Minted)
	if err == nil {
		supply, err = supply.Sub(report.Burned)
	}
	if err != nil {
		return AuditResponse{}, fault.Internal(err)
	}
	return AuditResponse{
		Clean: report.Clean(), StartOffset: report.Start, Offset: report.Offset, Opening: report.Opening,
		Minted: report.Minted, Burned: report.Burned, Supply: supply, Held: report.Counted,
		Holdings: report.Holdings, Updates: report.Updates, FindingCount: report.FindingCount,
		Findings: report.Findings, Sealed: report.Sealed, Unsealed: report.Unsealed,
	}, nil
}

func (a *API) audit(ctx context.Context, req auditRequest) (AuditResponse, error) {
	report, err := a.report(ctx, req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return AuditResponse{}, &endpoint.TimeoutError{
			Advice: "The record is too long to be audited while a request waits: run `florin audit` beside the node.",
		}
	case err != nil:
		return AuditResponse{}, err
	default:
		return ToAPIAudit(report)
	}
}

func (a *API) report(ctx context.Context, req auditRequest) (audit.Report, error) {
	upTo := ledger.Offset(0)
	if req.Offset != nil {
		if upTo = ledger.Offset(*req.Offset); upTo <= 0 {
			return audit.Report{}, fault.NonPositiveOffsetIn("offset", *req.Offset)
		}
	}
	state, known, err := audit.Load(ctx, a.options.Checkpoints)
	if err != nil {
		return audit.Report{}, err
	}
	if !known || req.Full || upTo != 0 && upTo < state.Offset {
		return a.options.Auditor.Audit(ctx, upTo)
	}
	return a.options.Auditor.Continue(ctx, state, upTo)
}
