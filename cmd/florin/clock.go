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
		for {
			err := admin.Post(ctx, clockPath, request, &clock)
			if refused, ok := errors.AsType[*client.Error](err); ok && goesOn(refused) {
				continue // a long way takes more than one request
			}
			if err != nil {
				return err
			}
			return c.Print(showClock(clock))
		}
	})
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
