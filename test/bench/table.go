package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// print writes the report for people.
func (r *Report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	r.printMachine(w)
	if r.Overload != nil {
		r.printOverload(w, r.Overload)
		r.printGoals(w)
		return w.Flush()
	}
	if r.Neighbour != nil {
		r.printNeighbour(w, r.Neighbour)
		r.printGoals(w)
		return w.Flush()
	}
	if r.Hostile != nil {
		r.printHostile(w, r.Hostile)
		r.printGoals(w)
		return w.Flush()
	}
	if r.Disk != nil {
		r.printDisk(w, r.Disk)
		r.printGoals(w)
		return w.Flush()
	}
	if r.Peers != nil {
		r.printPeers(w, r.Peers)
		r.printGoals(w)
		return w.Flush()
	}
	r.printCeilings(w)
	r.printStages(w)
	r.printCosts(w)
	r.printIdle(w)
	r.printGoals(w)
	return w.Flush()
}

// line writes cells that align with those of the lines before and after.
func line(w io.Writer, cells ...string) {
	_, _ = fmt.Fprintln(w, strings.Join(cells, "\t")+"\t") // a tabwriter fails at Flush
}

func writeText(w io.Writer, format string, arguments ...any) {
	_, _ = fmt.Fprintf(w, format+"\n", arguments...)
}

func (r *Report) printMachine(w io.Writer) {
	m := r.Machine
	writeText(w, "florin %s (API %s), %s, PostgreSQL %s, Temporal %s", m.Florin, m.API, m.Go,
		cmp.Or(m.Postgres, unknown), cmp.Or(m.Temporal, unknown))
	writeText(w, "%d cores of %s, %d MB memory, %s", m.Cores, m.CPU, m.MemoryMB, m.Kernel)
	writeText(w, "load average %.2f before, %.2f after; %s", m.LoadBefore, m.LoadAfter,
		r.StartedAt.Format("2006-01-02 15:04 MST"))
	if r.Settings.Smoke {
		writeText(w, "SMOKE TEST: the figures have no value")
	}
}

func (r *Report) printCeilings(w io.Writer) {
	writeText(w, "\nCeilings: each part alone, per second")
	line(w, "part", "clients", "rate", "before", "after", "p50 ms", "p99 ms")
	for _, c := range r.Ceilings {
		name := map[string]string{
			CeilingHTTP: "HTTP with a token", CeilingTemporal: "Temporal, empty workflow",
			CeilingPostgres: "PostgreSQL, rows of ",
		}[c.Of] + c.Scenario
		line(w, name, strconv.Itoa(c.Concurrency), rate(&c.PerSecond), rate(&c.Before), rate(c.After),
			ms(c.Latency.P50), ms(c.Latency.P99))
	}
}

func (r *Report) printStages(w io.Writer) {
	writeText(w, "\nThe node: highest rate, and latencies at %.0f %% of it", r.Settings.Load*percent)
	line(w, "scenario", "mode", "clients", "rate", "refused", "per workflow", "of Temporal", "of PostgreSQL", "of HTTP",
		"p50 ms", "p99 ms", "load")
	for _, s := range r.Stages {
		line(w, s.Scenario, s.Mode, strconv.Itoa(s.Concurrency), rate(&s.PerSecond), strconv.Itoa(s.Refused),
			figure("%.2f", s.PerWorkflow), figure("%.2f", s.OfTemporal), figure("%.3f", s.OfPostgres),
			figure("%.3f", s.OfHTTP), ms(s.Latency.P50), ms(s.Latency.P99), fmt.Sprintf("%.1f", s.LoadAverage))
	}
	for _, s := range r.Stages {
		if s.Refusal != "" {
			writeText(w, "a refusal of %s, %s, %d clients: %.100s…", s.Scenario, s.Mode, s.Concurrency, s.Refusal)
		}
	}
}

const percent = 100

func (r *Report) printCosts(w io.Writer) {
	writeText(w, "\nCost of one at the highest rate: milliseconds of CPU, and what PostgreSQL did")
	line(w, "what", "", "clients", "all", "of Temporal", "node", "Temporal", "PostgreSQL", "(record", "Temporal's)",
		"bench", "commits", "WAL kB")
	for _, c := range r.Ceilings {
		if c.Of == CeilingTemporal {
			printCost(w, "empty workflow", "", c.Concurrency, c.CPU, nil)
		}
	}
	for _, s := range r.Stages {
		printCost(w, s.Scenario, s.Mode, s.Concurrency, s.CPU, s.CPUOfTemporal)
	}
	if len(r.Stages) > 0 {
		m := r.Stages[len(r.Stages)-1].Memory
		writeText(w, "memory at the end: node %s MB, Temporal %s MB (resident), PostgreSQL %s MB (shared parts once)",
			figure("%.0f", m.NodeRSS), figure("%.0f", m.TemporalRSS), figure("%.0f", m.PostgresPSS))
	}
}

func printCost(w io.Writer, what, mode string, clients int, c CPU, ofTemporal *float64) {
	wal := c.WALBytes
	if wal != nil {
		kilobytes := *wal / (1 << 10)
		wal = &kilobytes
	}
	line(w, what, mode, strconv.Itoa(clients), figure("%.2f", c.total()), figure("%.2f", ofTemporal),
		figure("%.2f", c.Node), figure("%.2f", c.Temporal), figure("%.2f", c.Postgres), figure("%.2f", c.PostgresRecord),
		figure("%.2f", c.PostgresTemporal), figure("%.2f", c.Bench), figure("%.1f", c.Commits), figure("%.1f", wal))
}

func (r *Report) printIdle(w io.Writer) {
	if r.Rest != nil {
		c, m := r.Rest.CPU, r.Rest.Memory
		writeText(w, "\nThe node at rest before the measurements, for %g s", r.Rest.Seconds)
		line(w, "", "all", "node", "Temporal", "PostgreSQL")
		line(w, "% of a core", figure("%.2f", r.Rest.cpu()), figure("%.2f", c.Node), figure("%.2f", c.Temporal),
			figure("%.2f", c.Postgres))
		line(w, "MiB", figure("%.0f", m.total()), figure("%.0f", m.NodeRSS), figure("%.0f", m.TemporalRSS),
			figure("%.0f", m.PostgresPSS))
	}
	if r.Idle == nil {
		return
	}
	writeText(w, "\nOne at a time on an idle node")
	line(w, "", "p50 ms", "p90 ms", "p99 ms")
	for _, row := range []struct {
		name    string
		latency Latency
	}{
		{"submission acknowledged", r.Idle.Acknowledgement},
		{"bare workflow started", r.Idle.BareStart},
		{"submission completed", r.Idle.Completion},
		{"bare workflow ended", r.Idle.BareResult},
	} {
		line(w, row.name, ms(row.latency.P50), ms(row.latency.P90), ms(row.latency.P99))
	}
}

func (r *Report) printOverload(w io.Writer, o *Overload) {
	writeText(w, "\nOverload: %g times the highest rate, over %d connections, for %g s", o.Factor, o.Clients,
		r.Settings.DurationSeconds)
	line(w, "", "clients", "asked", "answered", "completed", "bystander p50 ms", "p99 ms")
	line(w, "highest rate", strconv.Itoa(o.PeakClients), "", "", rate(&o.Peak), ms(o.BystanderAtPeak.P50),
		ms(o.BystanderAtPeak.P99))
	line(w, "overload", strconv.Itoa(o.Clients), rate(&o.Asked), rate(&o.Made), rate(&o.Goodput), ms(o.Bystander.P50),
		ms(o.Bystander.P99))
	line(w, "afterwards", strconv.Itoa(o.PeakClients), "", "", rate(&o.PeakAfter), "", "")
	writeText(w, "the bystander was refused %d times in %d", o.Failed, o.Failed+o.Bystander.Count)
	for _, answer := range slices.Sorted(maps.Keys(o.Answers)) {
		writeText(w, "answered %s: %d", answer, o.Answers[answer])
	}
	writeText(w, "CPU of a completed tap in ms: node, Temporal, PostgreSQL, load generator, all")
	for _, cost := range []struct {
		name string
		cpu  CPU
	}{{"highest rate", o.CPUAtPeak}, {"overload", o.CPU}} {
		line(w, cost.name, figure("%.2f", cost.cpu.Node), figure("%.2f", cost.cpu.Temporal),
			figure("%.2f", cost.cpu.Postgres), figure("%.2f", cost.cpu.Bench), figure("%.2f", cost.cpu.total()))
	}
	writeText(w, "memory of the node in MB: %s before, %s at most",
		figure("%.0f", o.NodeBefore), figure("%.0f", o.NodeMax))
}

func (r *Report) printGoals(w io.Writer) {
	writeText(w, "\nGoals")
	for _, goal := range r.Goals {
		verdict := "  ?   "
		if goal.Met != nil {
			verdict = map[bool]string{true: "met   ", false: "MISSED"}[*goal.Met]
		}
		writeText(w, "%s  %s: %s", verdict, goal.Name, goal.Figure)
	}
}

// unknown stands for what could not be measured.
const unknown = "–"

func figure(format string, value *float64) string {
	if value == nil {
		return unknown
	}
	return fmt.Sprintf(format, *value)
}

func rate(value *float64) string { return figure("%.0f", value) }

func ms(value float64) string { return fmt.Sprintf("%.1f", value) }
