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
	// overloadGoal is the part of its highest rate that a node must keep however much is asked of it.
	overloadGoal = 0.9
	// bystanderPause is between two requests of the user who does nothing but read.
	bystanderPause = 50 * time.Millisecond
	// memoryPause is between two looks at the node's memory.
	memoryPause = 200 * time.Millisecond
)

// Overload tells what a node does when far more is asked of it than it can do. Rates are per second; latencies are in
// milliseconds.
type Overload struct {
	// Factor is how many times the highest rate was asked for.
	Factor float64 `json:"factor"`
	// Peak is the highest rate of taps that the node acknowledged and completed, in a closed loop, and PeakAfter the same
	// when the overload was over: where they differ much, the machine was not the same for both.
	Peak        float64 `json:"peakPerSecond"`
	PeakAfter   float64 `json:"peakAfterPerSecond"`
	PeakClients int     `json:"peakClients"`
	// Clients is how many connections the overload came over.
	Clients int `json:"clients"`
	// Asked is Factor times Peak. Made is how many requests were answered: no more, because a refusal is held back and
	// each connection carries one request at a time.
	Asked float64 `json:"askedPerSecond"`
	Made  float64 `json:"madePerSecond"`
	// Goodput is the rate of taps that were acknowledged and completed meanwhile.
	Goodput float64 `json:"goodputPerSecond"`
	// OfPeak is Goodput over the mean of Peak and PeakAfter.
	OfPeak float64 `json:"ofPeak"`
	// Answers counts the answers by status and code.
	Answers map[string]int `json:"answers"`
	// BystanderAtPeak and Bystander are the latencies of reads by another user, and Failed those that were refused.
	BystanderAtPeak Latency `json:"bystanderAtPeakMs"`
	Bystander       Latency `json:"bystanderMs"`
	Failed          int     `json:"bystanderFailed"`
	// NodeBefore and NodeMax are the node's resident memory in MB before the overload and at its greatest.
	NodeBefore *float64 `json:"nodeBeforeMb"`
	NodeMax    *float64 `json:"nodeMostMb"`
	// CPUAtPeak and CPU are what a completed tap costs, what is done for refusals included, in milliseconds. Unlike rates
	// they do not depend on what else the machine does.
	CPUAtPeak CPU `json:"cpuAtPeakMs"`
	CPU       CPU `json:"cpuMs"`
}

// overload measures the highest rate, asks for a multiple of it and counts what is still done, then measures the
// highest rate again.
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

// makeBystander is the client of a user who has a token and no right.
func (r *run) makeBystander(ctx context.Context) (*client.Client, error) {
	admin := r.client.With(client.Token(r.target.Secret, r.target.Audience, adminUser))
	if err := admin.CreateUser(ctx, r.name+"-bystander", ""); err != nil {
		return nil, fmt.Errorf("create the bystander: %w", err)
	}
	return r.client.With(client.Token(r.target.Secret, r.target.Audience, r.name+"-bystander")), nil
}

// floodResult is what came of many taps.
type floodResult struct {
	answers   map[string]int
	completed int
	// inTime is how many of them were acknowledged within the duration.
	inTime    int64
	duration  time.Duration
	bystander []time.Duration
	failed    int
	nodeMax   *float64
	// cpu is what a completed tap cost, with all that was done besides.
	cpu CPU
}

func (f floodResult) perSecond() float64 { return float64(f.inTime) / f.duration.Seconds() }

// flood has clients tap for a while: at a rate, or with 0 as fast as each is answered. Every tap that was acknowledged
// must complete.
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

// standBy reads a number again and again, and notes how long each took.
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

// watchMemory finds out how much memory the node took at most.
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

// rawTaps are the connections that taps are sent over. Each has a request that is ready but for its command id.
type rawTaps struct {
	run     *run
	clients []*rawClient
	prefix  string
	// until is when taps stop to count, and inTime how many were acknowledged before.
	until  time.Time
	inTime atomic.Int64
}

// idDigits is how long the number of a command id is, so that it can be replaced in a request.
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

// answers are those of all clients.
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

// judgeOverload compares the goodput with the aim.
func judgeOverload(o *Overload) Goal {
	met := o.OfPeak >= overloadGoal
	return Goal{
		Name: fmt.Sprintf("at %g times the load: goodput of at least %.0f %% of the highest rate", o.Factor,
			overloadGoal*percent),
		Met: &met, Figure: fmt.Sprintf("%.0f %%", o.OfPeak*percent),
	}
}
