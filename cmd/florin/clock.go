package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/internal/wait"
)

type clockCommand struct {
	Show    clockShowCommand    `cmd:"" help:"Print the ledger's time."`
	Advance clockAdvanceCommand `cmd:"" help:"Advance the time of a node that runs with --clock simulated or static."`
}

type clockShowCommand struct {
	remote.Node
	console.Output
}

// Run prints the ledger's time.
func (c *clockShowCommand) Run(ctx context.Context) error {
	return c.AsAdmin(ctx, func(ctx context.Context, admin *client.Client) error {
		var clock devapi.ClockResponse
		if err := admin.Get(ctx, clockPath, &clock); err != nil {
			return err
		}
		return c.Print(showClock(clock))
	})
}

type clockAdvanceCommand struct {
	remote.Node
	console.Output

	By   string `arg:"" optional:"" help:"Duration, such as 90d, 36h or 1d12h30m."`
	To   string `help:"Ledger time to advance to, such as 2027-01-31T12:00:00Z."`
	Jump bool   `help:"Move at once. Without it, the clock stops at each deadline on the way until everything due then has happened."`
}

const clockPath = "/v0/dev/clock"

// Run advances the ledger's time.
func (c *clockAdvanceCommand) Run(ctx context.Context) error {
	return c.AsAdmin(ctx, func(ctx context.Context, admin *client.Client) error {
		var clock devapi.ClockResponse
		if err := admin.Get(ctx, clockPath, &clock); err != nil {
			return err
		}
		request := devapi.AdvanceClockRequest{AdvanceBy: c.By, AdvanceTo: c.To, Jump: c.Jump}
		if by, err := devapi.ParseDuration(c.By); err == nil && c.To == "" {
			target := endpoint.Timestamp(time.Time(clock.LedgerTime).Add(by))
			request = devapi.AdvanceClockRequest{AdvanceTo: target.String(), Jump: c.Jump}
		}
		progress := c.NewProgress(ctx)
		defer progress.End()
		if target, err := time.Parse(time.RFC3339, request.AdvanceTo); err == nil && progress.Shows() {
			watching, stop := context.WithCancel(ctx)
			defer stop()
			go watchClock(watching, admin, progress, time.Time(clock.LedgerTime), target)
		}
		for {
			err := admin.Post(ctx, clockPath, request, &clock)
			if refused, ok := errors.AsType[*client.Error](err); ok && goesOn(refused) {
				continue // a long way takes more than one request
			}
			if err != nil {
				return err
			}
			progress.End()
			return c.Print(showClock(clock))
		}
	})
}

// watchClock shows how far the ledger's time is on its way to a target, until ctx ends.
func watchClock(ctx context.Context, admin *client.Client, progress *console.Progress, from, target time.Time) {
	const pause = 500 * time.Millisecond
	total := int64(target.Sub(from))
	progress.Begin("advance the ledger's time", total)
	for wait.For(ctx, pause) == nil {
		var clock devapi.ClockResponse
		if err := admin.Get(ctx, clockPath, &clock); err != nil {
			continue // the command itself reports what is wrong with the node
		}
		progress.Set(int64(time.Time(clock.LedgerTime).Sub(from)), total)
	}
}

// goesOn reports whether one request was too short for the whole way.
func goesOn(refused *client.Error) bool {
	return refused.Status == http.StatusServiceUnavailable && strings.Contains(string(refused.Body), "advance_to")
}

func showClock(clock devapi.ClockResponse) console.Answer {
	return console.Answer{
		Data: clock, Names: []string{clock.LedgerTime.String()},
		Text: fmt.Sprintf("ledger time %s (%s clock, %s ahead of real time)", clock.LedgerTime, clock.Clock, clock.Ahead),
	}
}
