package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

const (
	// alone is the largest average number of submissions in a workflow that counts as 1.
	alone = 1.005
	// goalClients is the number of clients of most goals, goalLoad the part of the highest rate of the latencies.
	goalClients = 64
	goalLoad    = 0.7
)

// goal is a goal of the project. A run judges its worst measurement.
type goal struct {
	name  string
	limit float64
	// most is true if the limit is the highest allowed figure, not the lowest.
	most bool
	// needs says what to run to measure it.
	needs   string
	measure func(*Report) []measurement
}

// measurement is one figure. Without a unit in the name of the goal it is a ratio.
type measurement struct {
	figure float64
	of     string
}

func least(limit float64, name, needs string, measure func(*Report) []measurement) goal {
	return goal{name: name, limit: limit, needs: needs, measure: measure}
}

func most(limit float64, name, needs string, measure func(*Report) []measurement) goal {
	return goal{name: name, limit: limit, most: true, needs: needs, measure: measure}
}

func goals() []goal {
	const (
		singly  = "a node with --max-batch 1, --concurrency 16,64"
		batches = "a node with batches, --concurrency 64"
		many    = "a node with batches, --concurrency 256"
		local   = "a node of florin up on this machine"
	)
	return []goal{
		least(0.9, "without batches, 16 and 64 clients, of bare Temporal", singly, singlyOfTemporal),
		least(12, "taps, 64 clients, of bare Temporal", batches, ofTemporal(ScenarioTap, ModeAsync, 64)),
		least(8, "transfers, 64 clients, of bare Temporal", batches, ofTemporal(ScenarioTransfer, ModeAsync, 64)),
		least(15, "taps, 256 clients, of bare Temporal", many, ofTemporal(ScenarioTap, ModeAsync, 256)),
		least(10, "transfers, 256 clients, of bare Temporal", many, ofTemporal(ScenarioTransfer, ModeAsync, 256)),
		least(10, "taps waited for, 64 clients, of bare Temporal", batches, ofTemporal(ScenarioTap, ModeWait, 64)),
		least(7, "transfers waited for, 64 clients, of bare Temporal", batches,
			ofTemporal(ScenarioTransfer, ModeWait, 64)),
		least(0.9, "taps by the wallet's route, of taps by /v2, waited for", "--scenario tap,wallet-tap", walletOfTaps),
		least(0.6, "waited for, 64 clients, of PostgreSQL alone", batches, ofPostgres),
		least(15, "waited for, 64 clients, of Formance Ledger", "make bench/peers PEER=DIR", ofPeer),
		most(0.07, "CPU of a tap at the highest rate, of an empty workflow's", batches, cpuOf(ScenarioTap)),
		most(0.10, "CPU of a transfer at the highest rate, of an empty workflow's", batches, cpuOf(ScenarioTransfer)),
		most(5, "99 % at 70 % of the highest rate, 64 clients, in medians of an idle node", "--concurrency 64", tails),
		most(2, "acknowledged by an idle node, of a bare start", "Temporal's address", ofBareStart),
		most(250, "MiB of memory of a node at rest", local, memoryAtRest),
		most(1, "% of a core for a node at rest", local, cpuAtRest),
		least(0.9, "completed under overload, of the highest rate", "--overload", ofPeak),
		most(3, "a request beside a busy user, of alone (or of 2 ms)", "--neighbour", slowdowns),
		least(0.9, "taps beside hostile code, of alone", "--hostile", tapsBesideTraps),
		most(1.1, "all CPU for a tap beside hostile code, of alone", "--hostile", cpuBesideTraps),
		most(2, "99 % of taps beside hostile code, of alone", "--hostile", latencyBesideTraps),
		most(15_000, "bytes of disk for a submission", "--disk", bytesOnDisk),
	}
}

// judge compares the figures with the goals. A run that measures one thing says nothing about the others.
func (r *Report) judge() {
	special := r.Overload != nil || r.Neighbour != nil || r.Hostile != nil || r.Disk != nil || r.Peers != nil
	r.Goals = nil
	for _, goal := range goals() {
		if judged := goal.judge(r); judged.Met != nil || !special {
			r.Goals = append(r.Goals, judged)
		}
	}
}

func (g goal) judge(r *Report) Goal {
	bound := "at least"
	if g.most {
		bound = "at most"
	}
	judged := Goal{Name: fmt.Sprintf("%s, %s %s", g.name, bound, number(g.limit)), Figure: "not measured: needs " + g.needs}
	all := g.measure(r)
	if len(all) == 0 {
		return judged
	}
	worst := slices.MinFunc(all, func(a, b measurement) int {
		if g.most {
			a, b = b, a
		}
		return cmp.Compare(a.figure, b.figure)
	})
	met := worst.figure >= g.limit
	if g.most {
		met = worst.figure <= g.limit
	}
	judged.Met = &met
	judged.Figure = fmt.Sprintf("%s (%s)", number(worst.figure), worst.of)
	if len(all) > 1 {
		judged.Figure = fmt.Sprintf("%s at worst (%s)", number(worst.figure), worst.of)
	}
	return judged
}

// number has three digits, or all before the point.
func number(figure float64) string {
	const threeDigits = 1000
	if figure >= threeDigits {
		return fmt.Sprintf("%.0f", figure)
	}
	return fmt.Sprintf("%.3g", figure)
}

// known is a figure that may be unknown.
func known(figure *float64, of string) []measurement {
	if figure == nil {
		return nil
	}
	return []measurement{{*figure, of}}
}

// ofStages measures the stages that count.
func (r *Report) ofStages(counts func(Stage) bool, figure func(Stage) *float64) []measurement {
	var all []measurement
	for _, s := range r.Stages {
		if counts(s) {
			all = append(all, known(figure(s), s.name())...)
		}
	}
	return all
}

func (s Stage) name() string {
	return fmt.Sprintf("%s, %s, %d clients", s.Scenario, s.Mode, s.Concurrency)
}

// batched is false if the number of workflows is unknown.
func (s Stage) batched() bool { return s.PerWorkflow != nil && *s.PerWorkflow > alone }

func singlyOfTemporal(r *Report) []measurement {
	return r.ofStages(func(s Stage) bool {
		return s.PerWorkflow != nil && !s.batched() && (s.Concurrency == 16 || s.Concurrency == goalClients)
	}, func(s Stage) *float64 { return s.OfTemporal })
}

func ofTemporal(scenario, mode string, clients int) func(*Report) []measurement {
	return func(r *Report) []measurement {
		return r.ofStages(func(s Stage) bool {
			return s.Scenario == scenario && s.Mode == mode && s.Concurrency == clients && s.batched()
		}, func(s Stage) *float64 { return s.OfTemporal })
	}
}

func ofPostgres(r *Report) []measurement {
	return r.ofStages(func(s Stage) bool {
		return s.Mode == ModeWait && s.Concurrency == goalClients && s.batched()
	}, func(s Stage) *float64 { return s.OfPostgres })
}

func walletOfTaps(r *Report) []measurement {
	return r.ofStages(func(s Stage) bool { return s.Scenario == ScenarioWalletTap }, func(s Stage) *float64 {
		for _, tap := range r.Stages {
			if tap.Scenario == ScenarioTap && tap.Mode == ModeWait && tap.Concurrency == s.Concurrency {
				return quotient(&s.PerSecond, &tap.PerSecond)
			}
		}
		return nil
	})
}

// cpuOf measures the stage of the scenario with the highest rate.
func cpuOf(scenario string) func(*Report) []measurement {
	return func(r *Report) []measurement {
		var fastest Stage
		for _, s := range r.Stages {
			if s.Scenario == scenario && s.batched() && s.PerSecond > fastest.PerSecond {
				fastest = s
			}
		}
		return known(fastest.CPUOfTemporal, fastest.name())
	}
}

func tails(r *Report) []measurement {
	return r.ofStages(func(s Stage) bool {
		return r.Idle != nil && s.Concurrency == goalClients && r.Settings.Load == goalLoad
	}, func(s Stage) *float64 {
		idle := r.Idle.Completion.P50
		if s.Mode == ModeAsync {
			idle = r.Idle.Acknowledgement.P50
		}
		return quotient(&s.Latency.P99, &idle)
	})
}

func ofBareStart(r *Report) []measurement {
	if r.Idle == nil {
		return nil
	}
	acknowledged, started := r.Idle.Acknowledgement.P50, r.Idle.BareStart.P50
	return known(quotient(&acknowledged, &started), fmt.Sprintf("%.1f ms against %.1f ms", acknowledged, started))
}

func memoryAtRest(r *Report) []measurement {
	if r.Rest == nil {
		return nil
	}
	m := r.Rest.Memory
	return known(m.total(), parts("%.0f", m.NodeRSS, m.TemporalRSS, m.PostgresPSS))
}

func cpuAtRest(r *Report) []measurement {
	if r.Rest == nil {
		return nil
	}
	c := r.Rest.CPU
	return known(r.Rest.cpu(), parts("%.2f", c.Node, c.Temporal, c.Postgres))
}

func parts(format string, node, temporal, postgres *float64) string {
	return fmt.Sprintf("node %s, Temporal %s, PostgreSQL %s",
		figure(format, node), figure(format, temporal), figure(format, postgres))
}

func ofPeak(r *Report) []measurement {
	if r.Overload == nil {
		return nil
	}
	return []measurement{{r.Overload.OfPeak, fmt.Sprintf("%g times the load", r.Overload.Factor)}}
}

// slowdowns are those of each request, beside each load.
func slowdowns(r *Report) []measurement {
	if r.Neighbour == nil {
		return nil
	}
	var all []measurement
	for _, one := range r.Neighbour.Requests {
		all = append(all, measurement{one.times(one.BesideLists), one.Name + " beside lists"},
			measurement{one.times(one.BesideTaps), one.Name + " beside taps"})
	}
	return all
}

func tapsBesideTraps(r *Report) []measurement {
	return besideTraps(r, func(phase HostilePhase) float64 { return phase.Taps })
}

func latencyBesideTraps(r *Report) []measurement {
	return besideTraps(r, func(phase HostilePhase) float64 { return phase.Latency.P99 })
}

func cpuBesideTraps(r *Report) []measurement {
	return besideTraps(r, func(phase HostilePhase) float64 {
		if total := phase.CPU.total(); total != nil {
			return *total
		}
		return math.NaN()
	})
}

// besideTraps compares a figure beside hostile accounts with the mean of the phases alone before and after. It has the
// median for each number of accounts: a single phase may have housekeeping that the ones around it do not have.
func besideTraps(r *Report, figure func(HostilePhase) float64) []measurement {
	if r.Hostile == nil {
		return nil
	}
	times := map[int][]float64{}
	for i, phase := range r.Hostile.Phases {
		if phase.Accounts > 0 {
			alone := (figure(r.Hostile.Phases[i-1]) + figure(r.Hostile.Phases[i+1])) / 2
			times[phase.Accounts] = append(times[phase.Accounts], figure(phase)/alone)
		}
	}
	var all []measurement
	for _, accounts := range slices.Sorted(maps.Keys(times)) {
		all = append(all, measurement{median(times[accounts]), fmt.Sprintf("%d hostile accounts", accounts)})
	}
	return all
}

func median(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	return (values[(len(values)-1)/2] + values[middle]) / 2
}

func bytesOnDisk(r *Report) []measurement {
	if r.Disk == nil {
		return nil
	}
	return []measurement{{r.Disk.Total(), fmt.Sprintf("%d taps", r.Disk.Submissions)}}
}

func ofPeer(r *Report) []measurement {
	if r.Peers == nil {
		return nil
	}
	var all []measurement
	for _, rates := range r.Peers.Rates {
		if rates.Concurrency == goalClients {
			all = append(all, measurement{mean(rates.WalletTap) / mean(rates.Peer), "taps by the wallet's route"},
				measurement{mean(rates.Tap) / mean(rates.Peer), "taps by /v2"})
		}
	}
	return all
}
