package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/api/endpoint"
	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/ledgerclient"
)

type clockCommand struct {
	Show    clockShowCommand    `cmd:"" help:"Print the ledger's time."`
	Advance clockAdvanceCommand `cmd:"" help:"Advance the time of a node that runs with --clock simulated."`
}

// nodeAddress is how a command finds a running node and speaks to it as its administrator.
type nodeAddress struct {
	DataDir      string `help:"Data directory of a node started by florin up; its address is read from there." default:".florin" env:"FLORIN_DATA_DIR"`
	URL          string `name:"url" help:"Base URL of another node's API." env:"FLORIN_URL"`
	AuthSecret   string `help:"Secret of development tokens; that of the data directory when left out." env:"FLORIN_AUTH_SECRET"`
	AuthAudience string `help:"Audience of development tokens." env:"FLORIN_AUTH_AUDIENCE"`
	AdminUser    string `help:"Participant administrator to speak as." default:"${adminUser}" env:"FLORIN_ADMIN_USER"`
}

// client is a client of the node, with a token of the administrator.
func (a nodeAddress) client() (*ledgerclient.Client, error) {
	found := runfile.Info{URL: a.URL, Secret: auth.DefaultSecret, Audience: auth.DefaultAudience}
	if a.URL == "" {
		var err error
		if found, err = runfile.Read(a.DataDir); err != nil {
			return nil, fmt.Errorf("%w; a node elsewhere is named with --url", err)
		}
	}
	token, err := auth.Mint(cmp.Or(a.AuthSecret, found.Secret), cmp.Or(a.AuthAudience, found.Audience), a.AdminUser, 0,
		time.Now())
	return ledgerclient.New(found.URL, 1).With(token), err
}

type clockShowCommand struct{ nodeAddress }

// Run prints the ledger's time.
func (c *clockShowCommand) Run(ctx context.Context) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	defer client.Close()
	var clock devapi.ClockResponse
	if err := client.Get(ctx, "/v0/dev/clock", &clock); err != nil {
		return refusalText(err)
	}
	return printClock(clock)
}

type clockAdvanceCommand struct {
	nodeAddress
	By string `arg:"" optional:"" help:"How far, such as 90d, 36h or 1d12h30m."`
	To string `help:"To which ledger time, such as 2027-01-31T12:00:00Z."`
	// Jump passes over deadlines.
	Jump bool `help:"Move at once, without stopping at each deadline on the way until what is due there has happened."`
}

// Run advances the ledger's time.
func (c *clockAdvanceCommand) Run(ctx context.Context) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	defer client.Close()
	var clock devapi.ClockResponse
	if err := client.Get(ctx, "/v0/dev/clock", &clock); err != nil {
		return refusalText(err)
	}
	request := devapi.AdvanceClockRequest{AdvanceBy: c.By, AdvanceTo: c.To, Jump: c.Jump}
	if by, err := devapi.ParseDuration(c.By); err == nil && c.To == "" {
		target := endpoint.Timestamp(time.Time(clock.LedgerTime).Add(by))
		request = devapi.AdvanceClockRequest{AdvanceTo: target.String(), Jump: c.Jump}
	}
	for {
		err := client.Post(ctx, "/v0/dev/clock", request, &clock)
		if refused, ok := errors.AsType[*ledgerclient.Error](err); ok && goesOn(refused) {
			continue // a long way takes more than one request
		}
		if err != nil {
			return refusalText(err)
		}
		return printClock(clock)
	}
}

// goesOn tells that the node came as far as it could within one request.
func goesOn(refused *ledgerclient.Error) bool {
	return refused.Status == http.StatusServiceUnavailable && strings.Contains(string(refused.Body), "advance_to")
}

func printClock(clock devapi.ClockResponse) error {
	_, err := fmt.Printf("ledger time %s (%s clock, %s ahead of real time)\n",
		clock.LedgerTime, clock.Clock, clock.Ahead)
	return err
}

// refusalText leaves the text of a refusal.
func refusalText(err error) error {
	refused, ok := errors.AsType[*ledgerclient.Error](err)
	if !ok {
		return err
	}
	var body v0.ErrorResponse
	if json.Unmarshal(refused.Body, &body) == nil && body.Error != "" {
		return errors.New(body.Error)
	}
	return refused
}
