package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry"
)

const (
	// sampleInterval is the time between two samples; samplesOfMinute and samplesKept of them cover a minute and five.
	sampleInterval                = 10 * time.Second
	samplesOfMinute, samplesKept  = 6, 30
	slowWrite, slowLock           = 0.25, 0.5
	fewCommits, fewRequests       = 3, 20
	refusedShare, connectionShare = 0.05, 1.0
	fewForbidden                  = 4
)

// recent compares what the process has counted with a minute and with five minutes ago. Averages are of a minute, events
// of five: so an operator sees a slow disk soon, and a refusal for a while.
type recent struct {
	totals func() telemetry.Totals
	// waited is the total time of waits for connections of the database, in seconds.
	waited func() float64

	mu      sync.Mutex
	samples []sample
}

type sample struct {
	telemetry.Totals

	waited float64
}

func newRecent(totals func() telemetry.Totals, waited func() float64) *recent {
	r := &recent{totals: totals, waited: waited}
	r.take()
	return r
}

// run takes samples until ctx ends.
func (r *recent) run(ctx context.Context) {
	for wait.For(ctx, sampleInterval) == nil {
		r.take()
	}
}

func (r *recent) take() {
	now := sample{r.totals(), r.waited()}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.samples = append(r.samples, now); len(r.samples) > samplesKept {
		r.samples = slices.Delete(r.samples, 0, len(r.samples)-samplesKept)
	}
}

// parts warn of what these minutes show. stalled says what commits wait for now.
func (r *recent) parts(stalled error) []api.Part {
	now := r.totals()
	r.mu.Lock()
	start := r.samples[max(0, len(r.samples)-samplesOfMinute)]
	minute, minutes := now.Since(start.Totals), now.Since(r.samples[0].Totals)
	waited := (r.waited() - start.waited) / time.Minute.Seconds()
	r.mu.Unlock()
	requests, refused := minute.Of(telemetry.Requests), minute.Of(telemetry.RefusedForLoad)
	load := ""
	if requests >= fewRequests && refused > refusedShare*requests {
		load = fmt.Sprintf("%.0f of %.0f requests of the last minute were refused for load", refused, requests)
	}
	lock := slow(minute, telemetry.LockSeconds, slowLock, "a commit waits %.2f s for the head lock on average")
	if stalled != nil {
		lock = stalled.Error()
	}
	connections := ""
	if waited > connectionShare {
		connections = fmt.Sprintf("requests wait %.1f s for database connections in each second", waited)
	}
	return []api.Part{
		{Name: "disk", Warning: slow(minute, telemetry.WriteSeconds, slowWrite, "the write of a commit takes %.2f s on average")},
		{Name: "lock", Warning: lock},
		{Name: "load", Warning: load},
		{Name: "connections", Warning: connections},
		{Name: "errors", Warning: many(minutes.Of(telemetry.ServerErrors), 0, "requests got 5xx")},
		{Name: "rights", Warning: many(minutes.Of(telemetry.Forbidden), fewForbidden, "requests were refused for missing rights")},
		{Name: "forged", Warning: many(minutes.Of(telemetry.Forged), 0, "submissions had no seal of this ledger")},
		{Name: "code", Warning: many(minutes.Of(telemetry.ExpensiveCode), 0,
			"submissions used more than half of the budget of code of packages")},
		{Name: "traffic", Warning: many(minutes.Submissions(fault.SequencerNotEnoughTrafficCredit.ID), 0,
			"submissions were refused because no traffic is left")},
	}
}

// slow warns if a step of the commits takes long on average.
func slow(minute telemetry.Totals, seconds telemetry.Total, limit float64, format string) string {
	commits := minute.Of(telemetry.Commits)
	if commits < fewCommits || minute.Of(seconds) <= limit*commits {
		return ""
	}
	return fmt.Sprintf(format, minute.Of(seconds)/commits)
}

// many warns of more than a few events.
func many(count, few float64, what string) string {
	if count <= few {
		return ""
	}
	return fmt.Sprintf("%.0f %s in the last five minutes", count, what)
}

const (
	// nearlyFull is the part of a limit that may be in use.
	nearlyFull = 0.9
	// longWait is how long a submission may wait, failingTries how often an activity may fail in a row, farBehind how many
	// offsets the audit may lack, and renewal the time before its end at which a certificate should be renewed.
	longWait     = 30 * time.Second
	failingTries = 3
	farBehind    = 100_000
	renewal      = 14 * 24 * time.Hour
)

// warnings are the parts that never make a node not ready.
func (n *Node) warnings(stalled error) []api.Part {
	parts := n.recent.parts(stalled)
	if n.options.Roles.API {
		parts = append(parts, api.Part{
			Name: "submissions", Warning: tooLong("a submission has waited %s for its completion", n.client.OldestWait(), longWait),
		}, n.limitsPart())
	}
	if n.options.Roles.Worker {
		parts = append(parts, n.activitiesPart())
	}
	if known := n.audited.Load(); known != nil {
		parts = append(parts, known.parts()...)
	}
	if n.certificate != nil {
		parts = append(parts, certificatePart(n.certificate.end(), time.Now()))
	}
	if n.exporter.On() {
		parts = append(parts, api.Part{Name: "telemetry", Warning: n.exporter.Trouble()})
	}
	return parts
}

func (n *Node) limitsPart() api.Part {
	var full []string
	for _, use := range n.uses() {
		if use.Max > 0 && float64(use.InUse) > nearlyFull*float64(use.Max) {
			full = append(full, fmt.Sprintf("%s: %d of %d", use.Limit, use.InUse, use.Max))
		}
	}
	return api.Part{Name: "limits", Warning: strings.Join(full, ", ")}
}

func (n *Node) activitiesPart() api.Part {
	part := api.Part{Name: "activities"}
	if longest, _ := n.failures.Longest(); longest.Tries >= failingTries {
		part.Warning = fmt.Sprintf("%s has failed %d times in a row; the log says why", longest.Activity, longest.Tries)
	}
	return part
}

func (a *audited) parts() []api.Part {
	audit, auditor := api.Part{Name: "audit"}, api.Part{Name: "auditor"}
	if !a.state.Clean() {
		audit.Warning = fmt.Sprintf("findings of the audit up to offset %d: %d", a.state.Offset, a.state.FindingCount)
	}
	if lag := a.end - a.state.Offset; lag > farBehind {
		auditor.Warning = fmt.Sprintf("the audit is %d offsets behind", lag)
	}
	return []api.Part{audit, auditor}
}

func certificatePart(end, now time.Time) api.Part {
	part := api.Part{Name: "certificate"}
	if end.Sub(now) < renewal {
		part.Warning = "the certificate ends at " + end.UTC().Format(time.RFC3339)
	}
	return part
}
