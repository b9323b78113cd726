package telemetry

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Total is a sum since the process began, of one kind of event.
type Total int

// The totals that tell of troubles.
const (
	// Commits counts commits, LockSeconds and WriteSeconds their waits for the head lock and their writes.
	Commits Total = iota
	LockSeconds
	WriteSeconds
	// Requests counts answered requests: RefusedForLoad with 429 or 503, Forbidden with 403, ServerErrors with another
	// 5xx.
	Requests
	RefusedForLoad
	Forbidden
	ServerErrors
	// Forged counts submissions without a seal of this ledger.
	Forged
	// ExpensiveCode counts submissions whose code used more than half of its budget.
	ExpensiveCode
	totalCount
)

// halfBudget is the bucket of the cost of code that ends at half of the budget.
const halfBudget = 0.5

// Totals are all totals at one moment.
type Totals struct {
	sums [totalCount]float64
	// outcomes counts submissions by outcome.
	outcomes map[string]float64
}

// Of is one total.
func (t Totals) Of(total Total) float64 { return t.sums[total] }

// Submissions is the number of submissions with an outcome.
func (t Totals) Submissions(outcome string) float64 { return t.outcomes[outcome] }

// Since is what came after an earlier moment.
func (t Totals) Since(before Totals) Totals {
	after := Totals{outcomes: make(map[string]float64, len(t.outcomes))}
	for i := range t.sums {
		after.sums[i] = t.sums[i] - before.sums[i]
	}
	for outcome, count := range t.outcomes {
		after.outcomes[outcome] = count - before.outcomes[outcome]
	}
	return after
}

// Totals reads the totals.
func (m *Metrics) Totals() Totals {
	totals := Totals{outcomes: map[string]float64{}}
	each(m.requests, func(metric *dto.Metric) {
		count := metric.GetCounter().GetValue()
		totals.sums[Requests] += count
		switch status := labelOf(metric, "status"); {
		case status == "429" || status == "503":
			totals.sums[RefusedForLoad] += count
		case status == "403":
			totals.sums[Forbidden] += count
		case strings.HasPrefix(status, "5"):
			totals.sums[ServerErrors] += count
		}
	})
	each(m.commitSteps, func(metric *dto.Metric) {
		switch labelOf(metric, "step") {
		case "lock":
			totals.sums[LockSeconds] = metric.GetHistogram().GetSampleSum()
		case "write":
			totals.sums[WriteSeconds] = metric.GetHistogram().GetSampleSum()
			totals.sums[Commits] = float64(metric.GetHistogram().GetSampleCount())
		}
	})
	each(m.submissions, func(metric *dto.Metric) {
		totals.outcomes[labelOf(metric, "outcome")] = metric.GetCounter().GetValue()
	})
	each(m.forged, func(metric *dto.Metric) { totals.sums[Forged] = metric.GetCounter().GetValue() })
	each(m.codeCost, func(metric *dto.Metric) {
		histogram := metric.GetHistogram()
		totals.sums[ExpensiveCode] = float64(histogram.GetSampleCount())
		for _, bucket := range histogram.GetBucket() {
			if bucket.GetUpperBound() == halfBudget {
				totals.sums[ExpensiveCode] -= float64(bucket.GetCumulativeCount())
			}
		}
	})
	return totals
}

// each calls read with each series of a metric.
func each(from prometheus.Collector, read func(*dto.Metric)) {
	series := make(chan prometheus.Metric)
	go func() {
		defer close(series)
		from.Collect(series)
	}()
	for one := range series {
		var metric dto.Metric
		if one.Write(&metric) == nil { // metrics of the library itself always can
			read(&metric)
		}
	}
}

func labelOf(metric *dto.Metric, name string) string {
	for _, label := range metric.GetLabel() {
		if label.GetName() == name {
			return label.GetValue()
		}
	}
	return ""
}
