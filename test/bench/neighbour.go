package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// Times in ms below neighbourLeast count as that: if all CPUs are busy, a request waits so long for one.
	neighbourLeast = 2
	// neighbourClients is the number of the busy user's connections, neighbourTaps of its first taps, and readerTaps of
	// the other user's taps.
	neighbourClients = 64
	neighbourTaps    = 1000
	readerTaps       = 100
	// neighbourPause is the pause between two requests of the other user.
	neighbourPause = 20 * time.Millisecond
)

// Neighbour is the times of a user's requests, alone and beside a busy user.
type Neighbour struct {
	Requests []NeighbourRequest `json:"requests"`
	// Lists and Taps are the busy user's rates per second.
	Lists float64 `json:"listsPerSecond"`
	Taps  float64 `json:"tapsPerSecond"`
}

// NeighbourRequest is one kind of request. Latencies are in milliseconds.
type NeighbourRequest struct {
	Name        string  `json:"name"`
	Alone       Latency `json:"aloneMs"`
	BesideLists Latency `json:"besideListsMs"`
	BesideTaps  Latency `json:"besideTapsMs"`
}

type request struct {
	name string
	do   operation
}

// resident is a user with a wallet.
type resident struct {
	client *client.Client
	user   string
	party  string
}

// settleIn onboards a new user.
func (r *run) settleIn(ctx context.Context, name string) (*resident, error) {
	user := &resident{user: r.name + "-" + name}
	user.client = r.client.With(client.Token(r.target.Secret, r.target.Audience, user.user))
	var registered struct {
		Party string `json:"party_id"`
	}
	if err := user.client.Post(ctx, "/v0/register", map[string]any{}, &registered); err != nil {
		return nil, fmt.Errorf("open the wallet of %s: %w", name, err)
	}
	user.party = registered.Party
	return user, nil
}

func (u *resident) tap(ctx context.Context, _ int) error {
	return u.client.Post(ctx, "/v0/wallet/tap", map[string]string{"amount": "1.0"}, nil)
}

// list reads the updates of the user's party from the beginning.
func (u *resident) list(limit int) operation {
	return func(ctx context.Context, _ int) error {
		end, err := u.client.LedgerEnd(ctx)
		if err != nil {
			return err
		}
		filter := map[string]any{"filtersByParty": map[string]any{u.party: map[string]any{"cumulative": []any{map[string]any{
			"identifierFilter": map[string]any{"WildcardFilter": map[string]any{"value": map[string]any{
				"includeCreatedEventBlob": true,
			}}},
		}}}}}
		return u.client.Post(ctx, fmt.Sprintf("/v2/updates/flats?limit=%d", limit), map[string]any{
			"beginExclusive": 0, "endInclusive": end, "verbose": true, "filter": filter,
		}, nil)
	}
}

// neighbour measures the requests of one user alone, then while another one reads long lists, then while it taps.
func (r *run) neighbour(ctx context.Context) error {
	busy, err := r.settleIn(ctx, "busy")
	if err != nil {
		return err
	}
	modest, err := r.settleIn(ctx, "modest")
	if err != nil {
		return err
	}
	// The reader's contracts do not change, so its answers stay the same.
	reader, err := r.settleIn(ctx, "reader")
	if err != nil {
		return err
	}
	for i := range readerTaps {
		if err := reader.tap(ctx, i); err != nil {
			return fmt.Errorf("fund the reader: %w", err)
		}
	}
	var tickets sync.Mutex
	left := neighbourTaps
	fund := func() (time.Time, bool) {
		tickets.Lock()
		defer tickets.Unlock()
		left--
		return time.Now(), left >= 0
	}
	if _, err := drive(ctx, neighbourClients, fund, busy.tap); err != nil {
		return fmt.Errorf("fund the busy user: %w", err)
	}
	read := func(path string) operation {
		return func(ctx context.Context, _ int) error { return reader.client.Get(ctx, path, nil) }
	}
	requests := []request{
		{"end of the ledger", read("/v2/state/ledger-end")},
		{"20 updates", reader.list(20)},
		{"balance", read("/v0/wallet/balance")},
		{"holdings", read("/v0/wallet/amulets")},
		{"tap, waited for", modest.tap},
	}
	found := make([]NeighbourRequest, len(requests))
	for i := range requests {
		found[i].Name = requests[i].name
	}
	var none, lists, taps float64
	for _, load := range []struct {
		name string
		busy operation
		of   func(*NeighbourRequest) *Latency
		rate *float64
	}{
		{"alone", nil, func(n *NeighbourRequest) *Latency { return &n.Alone }, &none},
		{"beside long lists", busy.list(200), func(n *NeighbourRequest) *Latency { return &n.BesideLists }, &lists},
		{"beside taps", busy.tap, func(n *NeighbourRequest) *Latency { return &n.BesideTaps }, &taps},
	} {
		r.options.Progress(load.name)
		latencies, rate, err := r.beside(ctx, requests, load.busy)
		if err != nil {
			return fmt.Errorf("%s: %w", load.name, err)
		}
		*load.rate = rate
		for i := range found {
			*load.of(&found[i]) = spread(latencies[i])
		}
	}
	r.report.Neighbour = &Neighbour{Requests: found, Lists: lists, Taps: taps}
	return nil
}

// beside makes the requests in turn while the busy user, if there is one, repeats one operation over all its
// connections. It returns the latencies of each request, and the busy user's rate.
func (r *run) beside(ctx context.Context, requests []request, busy operation) ([][]time.Duration, float64, error) {
	var failure error
	var had load
	var group sync.WaitGroup
	if busy != nil {
		group.Go(func() {
			had, failure = drive(ctx, neighbourClients, schedule(ctx, 0, r.options.Duration), busy)
		})
	}
	latencies := make([][]time.Duration, len(requests))
	next := schedule(ctx, 0, r.options.Duration)
	for _, more := next(); more; _, more = next() {
		for i, request := range requests {
			began := time.Now()
			if err := request.do(ctx, 0); err != nil {
				return nil, 0, fmt.Errorf("%s: %w", request.name, err)
			}
			latencies[i] = append(latencies[i], time.Since(began))
			if err := wait.For(ctx, neighbourPause); err != nil {
				return nil, 0, err
			}
		}
	}
	group.Wait()
	return latencies, had.perSecond(), failure
}

// times is the quotient of a median and the median alone.
func (n NeighbourRequest) times(beside Latency) float64 {
	return beside.P50 / max(n.Alone.P50, neighbourLeast)
}

func (r *Report) printNeighbour(w io.Writer, n *Neighbour) {
	writeText(w, "\nOne user beside another that asks over %d connections; median and 99 %% in ms", neighbourClients)
	line(w, "", "alone", "99 %", "beside lists of 200", "99 %", "times", "beside taps", "99 %", "times")
	for _, one := range n.Requests {
		line(w, one.Name, ms(one.Alone.P50), ms(one.Alone.P99),
			ms(one.BesideLists.P50), ms(one.BesideLists.P99), fmt.Sprintf("%.1f", one.times(one.BesideLists)),
			ms(one.BesideTaps.P50), ms(one.BesideTaps.P99), fmt.Sprintf("%.1f", one.times(one.BesideTaps)))
	}
	writeText(w, "In a second the busy user had %.0f lists, and %.0f taps", n.Lists, n.Taps)
}
