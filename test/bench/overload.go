package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// bystanderPause is the pause between two requests of the user who only reads.
	bystanderPause = 50 * time.Millisecond
	// memoryPause is the pause between two measurements of the node's memory.
	memoryPause = 200 * time.Millisecond
)

// Overload is the behaviour of a node under a load far above its highest rate. Rates are per second; latencies are in
// milliseconds.
type Overload struct {
	// Factor is the load as a multiple of the highest rate.
	Factor float64 `json:"factor"`
	// Peak is the highest rate of completed taps in a closed loop, and PeakAfter the same after the overload: if they
	// differ much, other programs have used the machine.
	Peak        float64 `json:"peakPerSecond"`
	PeakAfter   float64 `json:"peakAfterPerSecond"`
	PeakClients int     `json:"peakClients"`
	// Clients is the number of connections of the overload.
	Clients int `json:"clients"`
	// Asked is Factor times Peak. Made is the rate of answers: it is lower, because the node delays refusals and each
	// connection has one request at a time.
	Asked float64 `json:"askedPerSecond"`
	Made  float64 `json:"madePerSecond"`
	// Goodput is the rate of completed taps during the overload.
	Goodput float64 `json:"goodputPerSecond"`
	// OfPeak is Goodput over the mean of Peak and PeakAfter.
	OfPeak float64 `json:"ofPeak"`
	// Answers counts the answers by status and code.
	Answers map[string]int `json:"answers"`
	// BystanderAtPeak and Bystander are the latencies of reads by another user, Failed the number of refused reads.
	BystanderAtPeak Latency `json:"bystanderAtPeakMs"`
	Bystander       Latency `json:"bystanderMs"`
	Failed          int     `json:"bystanderFailed"`
	// NodeBefore and NodeMax are the node's resident memory in MB, before the overload and at most.
	NodeBefore *float64 `json:"nodeBeforeMb"`
	NodeMax    *float64 `json:"nodeMostMb"`
	// CPUAtPeak and CPU are the CPU milliseconds for a completed tap, including the cost of refusals. Unlike rates they
	// do not depend on other programs on the machine.
	CPUAtPeak CPU `json:"cpuAtPeakMs"`
	CPU       CPU `json:"cpuMs"`
}

// overload measures the highest rate, then the goodput at a multiple of it, then the highest rate again.
func (r *run) overload(ctx context.Context) error {
	o := &Overload{
		Factor: r.options.OverloadFactor, Clients: r.options.OverloadClients,
		PeakClients: slices.Max(r.options.Concurrency),
	}
	bystander, err := r.makeBystander(ctx)
	if err != nil {
		return err
	}
	r.options.Progress(fmt.Sprintf("%d clients: highest rate", o.PeakClients))
	if _, err := r.flood(ctx, "warm", o.PeakClients, 0, min(warmUpDuration, r.options.Duration), bystander); err != nil {
		return err
	}
	peak, err := r.flood(ctx, "peak", o.PeakClients, 0, r.options.Duration, bystander)
	if err != nil {
		return err
	}
	o.CPUAtPeak, o.Peak, o.BystanderAtPeak = peak.cpu, peak.perSecond(), spread(peak.bystander)
	if o.Peak == 0 {
		return errors.New("the node accepted no tap, so there is no highest rate to multiply")
	}
	o.Asked = o.Peak * o.Factor
	o.NodeBefore = r.meter.nodeMemory()
	r.options.Progress(fmt.Sprintf("%.0f per second; next: send %.0f per second over %d connections",
		o.Peak, o.Asked, o.Clients))
	flood, err := r.flood(ctx, "overload", o.Clients, o.Asked, r.options.Duration, bystander)
	if err != nil {
		return err
	}
	o.CPU, o.Goodput, o.Bystander, o.Failed = flood.cpu, flood.perSecond(), spread(flood.bystander), flood.failed
	o.Answers, o.NodeMax = flood.answers, flood.nodeMax
	for _, count := range flood.answers {
		o.Made += float64(count) / flood.duration.Seconds()
	}
	r.options.Progress(fmt.Sprintf("%.0f per second; next: the highest rate again", o.Goodput))
	after, err := r.flood(ctx, "after", o.PeakClients, 0, r.options.Duration, bystander)
	if err != nil {
		return err
	}
	o.PeakAfter = after.perSecond()
	o.OfPeak = 2 * o.Goodput / (o.Peak + o.PeakAfter)
	r.report.Overload = o
	return nil
}

// makeBystander is the client of a user without rights.
func (r *run) makeBystander(ctx context.Context) (*client.Client, error) {
	admin := r.client.With(client.Token(r.target.Secret, r.target.Audience, adminUser))
	if err := admin.CreateUser(ctx, r.name+"-bystander", ""); err != nil {
		return nil, fmt.Errorf("create the bystander: %w", err)
	}
	return r.client.With(client.Token(r.target.Secret, r.target.Audience, r.name+"-bystander")), nil
}

type floodResult struct {
	answers   map[string]int
	completed int
	// inTime is the number of taps that were acknowledged within the duration.
	inTime    int64
	duration  time.Duration
	bystander []time.Duration
	failed    int
	nodeMax   *float64
	// cpu is the CPU time of all work, for each completed tap.
	cpu CPU
}

func (f floodResult) perSecond() float64 { return float64(f.inTime) / f.duration.Seconds() }

// flood lets clients tap for a while: at a rate, or in a closed loop for 0. Every acknowledged tap must complete.
func (r *run) flood(
	ctx context.Context, stage string, clients int, rate float64, duration time.Duration, bystander *client.Client,
) (floodResult, error) {
	taps, err := r.rawTaps(stage, clients, duration)
	if err != nil {
		return floodResult{}, err
	}
	defer taps.close()
	collector, err := r.collect(ctx, stage, r.wallets)
	if err != nil {
		return floodResult{}, err
	}
	aside, stop := context.WithCancel(ctx)
	defer stop()
	before := r.meter.read(ctx)
	var f floodResult
	var group sync.WaitGroup
	group.Go(func() { f.bystander, f.failed = standBy(aside, bystander) })
	group.Go(func() { f.nodeMax = r.watchMemory(aside) })
	l, err := drive(ctx, clients, schedule(ctx, rate, duration), taps.tap)
	stop()
	group.Wait()
	if err != nil {
		return floodResult{}, err
	}
	f.duration, f.inTime, f.answers = duration, taps.inTime.Load(), taps.answers()
	acknowledged := make(chan int, 1)
	acknowledged <- l.done
	if err := collector.follow(ctx, acknowledged); err != nil {
		return floodResult{}, err
	}
	f.completed = collector.accepted
	f.cpu = perSubmission(before, r.meter.read(ctx), f.completed)
	if f.completed != l.done {
		return floodResult{}, fmt.Errorf("%d taps were acknowledged and %d completed: %s", l.done, f.completed, collector.refusal)
	}
	return f, nil
}

// schedule makes operations due at a rate, for a while; with a rate of 0 each is due at once.
func schedule(ctx context.Context, rate float64, duration time.Duration) func() (time.Time, bool) {
	started := time.Now()
	var tickets atomic.Int64
	return func() (time.Time, bool) {
		now := time.Now()
		if now.Sub(started) >= duration {
			return now, false
		}
		if rate == 0 {
			return now, ctx.Err() == nil
		}
		due := started.Add(time.Duration(float64(tickets.Add(1)-1) / rate * float64(time.Second)))
		return due, due.Sub(started) < duration && wait.For(ctx, time.Until(due)) == nil
	}
}

// standBy repeats a read, and returns the latencies.
func standBy(ctx context.Context, client *client.Client) (latencies []time.Duration, failed int) {
	for wait.For(ctx, bystanderPause) == nil {
		began := time.Now()
		_, err := client.LedgerEnd(ctx)
		switch {
		case ctx.Err() != nil:
			return latencies, failed
		case err != nil:
			failed++
		default:
			latencies = append(latencies, time.Since(began))
		}
	}
	return latencies, failed
}

// watchMemory returns the largest memory of the node.
func (r *run) watchMemory(ctx context.Context) *float64 {
	var max *float64
	for {
		if now := r.meter.nodeMemory(); now != nil && (max == nil || *now > *max) {
			max = now
		}
		if wait.For(ctx, memoryPause) != nil {
			return max
		}
	}
}

// rawTaps are the connections for taps. Each has a prepared request without a command id.
type rawTaps struct {
	run     *run
	clients []*rawClient
	prefix  string
	// until is the end of the counting, inTime the number of acknowledgements before it.
	until  time.Time
	inTime atomic.Int64
}

// idDigits is the length of the number in a command id, which is fixed so that a request needs no other change.
const idDigits = 12

func (r *run) rawTaps(stage string, clients int, duration time.Duration) (*rawTaps, error) {
	taps := &rawTaps{run: r, clients: make([]*rawClient, clients), prefix: r.name + "-" + stage + "-"}
	placeholder := strings.Repeat("0", idDigits)
	for i := range taps.clients {
		of := i % len(r.wallets)
		token := client.Token(r.target.Secret, r.target.Audience, r.users[of/clientsOfUser])
		commands := r.tap(stage, r.wallets[of])
		commands.CommandID = taps.prefix + placeholder
		body, err := json.Marshal(commands)
		if err != nil {
			return nil, fmt.Errorf("write the tap: %w", err)
		}
		taps.clients[i], err = newRawClient(r.target.URL, token, "/v2/commands/async/submit", body, taps.prefix)
		if err != nil {
			return nil, err
		}
	}
	taps.until = time.Now().Add(duration)
	return taps, nil
}

// tap is the [operation] of one client.
func (t *rawTaps) tap(ctx context.Context, worker int) error {
	number := fmt.Sprintf("%0*d", idDigits, t.run.sequence.Add(1))
	err := t.clients[worker].send(ctx, number)
	if err == nil && time.Now().Before(t.until) {
		t.inTime.Add(1)
	}
	return err
}

func (t *rawTaps) answers() map[string]int {
	all := map[string]int{}
	for _, client := range t.clients {
		for _, answer := range slices.Sorted(maps.Keys(client.answers)) {
			all[answer] += client.answers[answer]
		}
	}
	return all
}

func (t *rawTaps) close() {
	for _, client := range t.clients {
		client.close()
	}
}
