package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Report has the results of a run; --json writes it. Figures without a measurement are null.
type Report struct {
	StartedAt time.Time `json:"startedAt"`
	Machine   Machine   `json:"machine"`
	Settings  Settings  `json:"settings"`
	Ceilings  []Ceiling `json:"ceilings"`
	Stages    []Stage   `json:"stages"`
	Idle      *Idle     `json:"idle"`
	// Rest is null if the node's processes are unknown.
	Rest *Rest `json:"rest"`
	// Overload is null without --overload.
	Overload *Overload `json:"overload"`
	// Neighbour is null without --neighbour.
	Neighbour *Neighbour `json:"neighbour"`
	// Hostile is null without --hostile.
	Hostile *Hostile `json:"hostile"`
	// Disk is null without --disk.
	Disk *Disk `json:"disk"`
	// Peers is null without --peer.
	Peers *Peers `json:"peers"`
	Goals []Goal `json:"goals"`
}

// Settings are the options that the figures depend on.
type Settings struct {
	DurationSeconds float64 `json:"durationSeconds"`
	Count           int     `json:"count"`
	Load            float64 `json:"load"`
	Contention      bool    `json:"contention"`
	Smoke           bool    `json:"smoke"`
}

// The parts that a [Ceiling] measures.
const (
	CeilingHTTP     = "http"     // requests with a token that read one number
	CeilingTemporal = "temporal" // an empty workflow, from start to result
	CeilingPostgres = "postgres" // the rows of a scenario's submissions, committed in groups
)

// Ceiling is the highest rate of one part alone, at a number of clients: operations per second.
type Ceiling struct {
	Of string `json:"of"`
	// Scenario whose rows PostgreSQL committed; "" for the others.
	Scenario    string `json:"scenario,omitempty"`
	Concurrency int    `json:"concurrency"`
	// PerSecond is the mean of Before and After, the rates before and after the stages. Their difference shows how
	// steady the machine was.
	PerSecond float64  `json:"perSecond"`
	Before    float64  `json:"before"`
	After     *float64 `json:"after"`
	// Latency of an operation at that rate, in milliseconds.
	Latency Latency `json:"latencyMs"`
	CPU     CPU     `json:"cpuMs"` // per operation
}

// Stage is one scenario in one mode at one number of clients.
type Stage struct {
	Scenario    string `json:"scenario"`
	Mode        string `json:"mode"`
	Concurrency int    `json:"concurrency"`

	// At the highest rate: every client submits as soon as its last submission is done.
	Accepted int     `json:"accepted"`
	Refused  int     `json:"refused"`
	Refusal  string  `json:"refusal,omitempty"` // one of them
	Seconds  float64 `json:"seconds"`           // until the last completion
	// PerSecond counts accepted submissions.
	PerSecond float64 `json:"perSecond"`
	// PerWorkflow is the average number of submissions in a workflow.
	PerWorkflow *float64 `json:"perWorkflow"`
	CPU         CPU      `json:"cpuMs"` // per submission
	LoadAverage float64  `json:"loadAverage"`

	// At a part of the highest rate, in an open loop: the time from the due moment of a submission to its
	// acknowledgement (async) or completion (wait).
	OfferedPerSecond float64 `json:"offeredPerSecond"`
	Latency          Latency `json:"latencyMs"`

	Memory Memory `json:"memoryMb"` // afterwards

	// CPUOfTemporal is the CPU time of all parts for a submission, divided by that for an empty workflow. Unlike rates
	// it hardly depends on other programs on the machine.
	CPUOfTemporal *float64 `json:"cpuOfTemporal"`

	// The highest rate divided by that of each ceiling.
	OfHTTP     *float64 `json:"ofHttp"`
	OfTemporal *float64 `json:"ofTemporal"`
	OfPostgres *float64 `json:"ofPostgres"`
}

// Idle compares single submissions on an idle node with single bare workflows: milliseconds to acknowledgement and end.
type Idle struct {
	Acknowledgement Latency `json:"acknowledgementMs"`
	Completion      Latency `json:"completionMs"`
	BareStart       Latency `json:"bareStartMs"`
	BareResult      Latency `json:"bareResultMs"`
}

// Goal is a goal of the project and its result.
type Goal struct {
	Name string `json:"name"`
	// Met is null if this run could not measure it.
	Met    *bool  `json:"met"`
	Figure string `json:"figure"`
}

// relate sets the ratios after both measurements of the ceilings.
func (r *Report) relate() {
	for i := range r.Ceilings {
		c := &r.Ceilings[i]
		c.PerSecond = c.Before
		if c.After != nil {
			c.PerSecond = (c.Before + *c.After) / 2
		}
	}
	for i := range r.Stages {
		s := &r.Stages[i]
		s.OfHTTP = r.ratio(s, CeilingHTTP, "")
		s.OfTemporal = r.ratio(s, CeilingTemporal, "")
		s.OfPostgres = r.ratio(s, CeilingPostgres, s.Scenario)
		if c := r.ceiling(CeilingTemporal, "", s.Concurrency); c != nil {
			s.CPUOfTemporal = quotient(s.CPU.total(), c.CPU.total())
		}
	}
}

func (r *Report) ratio(s *Stage, of, scenario string) *float64 {
	c := r.ceiling(of, scenario, s.Concurrency)
	if c == nil || c.PerSecond == 0 {
		return nil
	}
	ratio := s.PerSecond / c.PerSecond
	return &ratio
}

// quotient is nil unless both are known.
func quotient(a, b *float64) *float64 {
	if a == nil || b == nil || *b == 0 {
		return nil
	}
	q := *a / *b
	return &q
}

func (r *Report) ceiling(of, scenario string, concurrency int) *Ceiling {
	for i, c := range r.Ceilings {
		if c.Of == of && c.Scenario == scenario && c.Concurrency == concurrency {
			return &r.Ceilings[i]
		}
	}
	return nil
}

// save writes the report as JSON.
func (r *Report) save(path string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(content, '\n'), 0o644) //nolint:gosec // figures are no secret
	}
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return nil
}
