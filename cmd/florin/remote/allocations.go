package remote

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// HoldingsRequestsCommand lists requests for allocations.
type HoldingsRequestsCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" help:"User or party."`
}

// requestedLeg is a leg that a party is asked to set aside, in JSON.
type requestedLeg struct {
	ContractID     string    `json:"contract_id"`
	Leg            string    `json:"leg"`
	Amount         string    `json:"amount"`
	Receiver       string    `json:"receiver"`
	Executor       string    `json:"executor"`
	Reference      string    `json:"reference"`
	AllocateBefore time.Time `json:"allocate_before"`
	SettleBefore   time.Time `json:"settle_before"`
	// Token is null for coin.
	Token *client.Instrument `json:"token"`
}

func requestedLegOf(request client.AllocationRequest, leg client.Leg) requestedLeg {
	of := request.Settlement
	shown := requestedLeg{
		ContractID: request.ContractID, Leg: leg.ID, Amount: leg.Amount.String(), Receiver: leg.Receiver,
		Executor: of.Executor, Reference: of.Reference.ID, AllocateBefore: of.AllocateBefore, SettleBefore: of.SettleBefore,
	}
	if !leg.IsCoin {
		shown.Token = &leg.Instrument
	}
	return shown
}

// legAmount is the amount of a leg with its unit. The name of a token says little without its administrator.
func legAmount(reader string, leg client.Leg) string {
	if leg.IsCoin {
		return coins(leg.Amount)
	}
	return tokens(&leg.Amount, client.TokenKind{Instrument: leg.Instrument}) + " of " +
		client.PartyFor(reader, leg.Instrument.Admin)
}

// Run prints the requests.
func (c *HoldingsRequestsCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, _ *Session, owner account, wallet *client.Client) error {
		all, err := wallet.AllocationRequests(ctx, owner.Party)
		if err != nil {
			return c.withoutWallet(owner, err)
		}
		legs := []requestedLeg{}
		answer := console.Answer{
			Table: console.Table{Head: []string{"ID", "LEG", "AMOUNT", "FOR", "SETTLED BY", "SETTLEMENT", "SET ASIDE BEFORE"}},
		}
		for _, request := range all {
			for _, leg := range request.Legs {
				shown := requestedLegOf(request, leg)
				legs = append(legs, shown)
				answer.Table.Rows = append(answer.Table.Rows, []string{
					shortID(request.ContractID), client.ShowName(leg.ID), legAmount(owner.Party, leg),
					client.PartyFor(owner.Party, leg.Receiver), client.PartyFor(owner.Party, shown.Executor),
					client.Short(shown.Reference), shown.AllocateBefore.Local().Format(time.DateTime),
				})
			}
			answer.Names = append(answer.Names, request.ContractID)
		}
		if len(legs) == 0 {
			answer.Text = "no app asks " + owner.Name + " to set anything aside"
		}
		answer.Data = map[string]any{"requests": legs}
		return c.Print(answer)
	})
}

// HoldingsAllocateCommand makes an allocation.
type HoldingsAllocateCommand struct {
	Node
	console.Output

	Name  string   `complete:"name" arg:"" help:"User or party."`
	ID    string   `arg:"" help:"Contract id of the request, or the beginning of the id."`
	Leg   string   `help:"Which leg of the request to set aside. Not needed if the party pays only one." placeholder:"ID"`
	Trust []string `help:"Packages of the token whose code may act in the party's name, on their own contracts."`
}

// setAside is the outcome of an allocation.
type setAside struct {
	requestedLeg

	// Status is completed, or pending while the token's administrator has to act.
	Status string `json:"status"`
	// Allocation is its contract id; null while it is pending.
	Allocation *string `json:"allocation"`
}

// Run sets the leg aside.
func (c *HoldingsAllocateCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, wallet *client.Client) error {
		all, err := wallet.AllocationRequests(ctx, owner.Party)
		if err != nil {
			return c.withoutWallet(owner, err)
		}
		request, err := oneWithID(all, c.ID, func(r client.AllocationRequest) string { return r.ContractID },
			"requests to "+owner.Name, c.Florin("holdings", "requests", c.Name))
		if err != nil {
			return err
		}
		leg, err := c.leg(request, owner.Name)
		if err != nil {
			return err
		}
		if err := c.checkTrust(ctx, wallet, owner, leg); err != nil {
			return err
		}
		var out struct {
			Output struct {
				Allocation *string `json:"allocation_cid"`
			} `json:"output"`
		}
		if err := wallet.Post(ctx, client.AllocationsPath, request.Allocate(leg, c.Trust), &out); err != nil {
			again := []string{"holdings", "allocate", c.Name, request.ContractID, "--leg", leg.ID}
			if len(c.Trust) > 0 {
				again = append(again, "--trust", strings.Join(c.Trust, ","))
			}
			return s.mayHaveHappened(s.explainLack(ctx, owner, wallet, leg.Amount, err), again...)
		}
		done, names := setAside{requestedLegOf(request, leg), "completed", out.Output.Allocation}, []string(nil)
		text := fmt.Sprintf("%s set %s aside for %s until %s", owner.Name, legAmount(owner.Party, leg),
			client.PartyFor(owner.Party, leg.Receiver), done.SettleBefore.Local().Format(time.DateTime))
		if done.Allocation != nil {
			names = []string{*done.Allocation}
		} else {
			done.Status = "pending"
			text = fmt.Sprintf("%s asked to set %s aside; the token's administrator has to agree", owner.Name,
				legAmount(owner.Party, leg))
		}
		return c.Print(console.Answer{Data: done, Text: text, Names: names})
	})
}

// leg is the leg of the flags, or the only one.
func (c *HoldingsAllocateCommand) leg(request client.AllocationRequest, owner string) (leg client.Leg, err error) {
	var ids []string
	for _, one := range request.Legs {
		if one.ID == c.Leg || c.Leg == "" && len(request.Legs) == 1 {
			return one, nil
		}
		ids = append(ids, client.ShowName(one.ID))
	}
	hint := "choose one with --leg: " + strings.Join(ids, ", ")
	if c.Leg == "" {
		return leg, console.Fail(console.ExitFailed, hint, "the request asks %s for %d legs", owner, len(ids))
	}
	return leg, console.Fail(console.ExitFailed, hint, "the request asks %s for no leg %q", owner, c.Leg)
}

// checkTrust refuses a leg in a token without a trusted package, and trust where the leg is in coin.
func (c *HoldingsAllocateCommand) checkTrust(
	ctx context.Context, wallet *client.Client, owner account, leg client.Leg,
) error {
	switch {
	case leg.IsCoin && len(c.Trust) > 0:
		return console.Fail(console.ExitFailed, "leave it out", "--trust is for tokens, and this leg is in coin")
	case leg.IsCoin || len(c.Trust) > 0:
		return nil
	}
	held, err := wallet.TokenHoldings(ctx)
	if err != nil {
		return err
	}
	var packages []string
	for _, one := range held.Tokens {
		if one.Instrument == leg.Instrument {
			packages = append(packages, one.Package)
		}
	}
	if len(packages) == 0 {
		return console.Fail(console.ExitFailed, c.Florin("holdings", owner.Name)+" lists the tokens",
			"%s holds no %s of %s", owner.Name, client.ShowName(leg.Instrument.ID), client.PartyFor(owner.Party, leg.Instrument.Admin))
	}
	return untrusted(owner.Name, leg.Instrument.ID, packages)
}

// HoldingsAllocationsCommand lists allocations.
type HoldingsAllocationsCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" help:"User or party."`
}

// allocated is the amount of an allocation with its unit.
func allocated(one client.Allocation) string {
	return offer{Amount: one.Amount, Token: one.Token}.shown()
}

// Run prints the allocations.
func (c *HoldingsAllocationsCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, _ *Session, owner account, wallet *client.Client) error {
		all, err := wallet.Allocations(ctx)
		if err != nil {
			return c.withoutWallet(owner, err)
		}
		answer := console.Answer{
			Data:  map[string]any{"allocations": all},
			Table: console.Table{Head: []string{"ID", "AMOUNT", "FOR", "SETTLED BY", "SETTLEMENT", "UNTIL"}},
		}
		for _, one := range all {
			answer.Table.Rows = append(answer.Table.Rows, []string{
				shortID(one.ContractID), allocated(one), client.PartyFor(owner.Party, one.Receiver),
				client.PartyFor(owner.Party, one.Executor), client.Short(one.Reference),
				one.SettleBefore.Local().Format(time.DateTime),
			})
			answer.Names = append(answer.Names, one.ContractID)
		}
		if len(all) == 0 {
			answer.Text = "nothing is set aside"
		}
		return c.Print(answer)
	})
}

// HoldingsWithdrawCommand withdraws an allocation.
type HoldingsWithdrawCommand struct {
	Node
	console.Output

	Name  string   `complete:"name" arg:"" help:"User or party."`
	ID    string   `arg:"" help:"Id of the allocation, or the beginning of the id."`
	Trust []string `help:"For tokens: packages whose code may act in the party's name, on their own contracts."`
}

// Run withdraws the allocation.
func (c *HoldingsWithdrawCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, _ *Session, owner account, wallet *client.Client) error {
		all, err := wallet.Allocations(ctx)
		if err != nil {
			return c.withoutWallet(owner, err)
		}
		one, err := oneWithID(all, c.ID, func(a client.Allocation) string { return a.ContractID },
			"allocations of "+owner.Name, c.Florin("holdings", "allocations", c.Name))
		if err != nil {
			return err
		}
		if one.Token != nil && len(c.Trust) == 0 {
			return untrusted(owner.Name, one.Token.Instrument.ID, []string{one.Token.Package})
		}
		if err := wallet.Post(ctx, client.WithdrawalPath(one.ContractID), client.Trusting(c.Trust), nil); err != nil {
			return err
		}
		return c.Print(console.Answer{
			Data: one, Text: owner.Name + " took back " + allocated(one), Names: []string{one.ContractID},
		})
	})
}

// oneWithID is the only one of some contracts whose id begins with a text.
func oneWithID[T any](all []T, begins string, idOf func(T) string, what, list string) (one T, err error) {
	count := 0
	for _, candidate := range all {
		if strings.HasPrefix(idOf(candidate), begins) {
			one = candidate
			count++
		}
	}
	if count != 1 {
		return one, console.Fail(console.ExitFailed, list+" lists them", "%d %s have an id that begins with %q", count, what, begins)
	}
	return one, nil
}

// untrusted refuses a change of a token without a trusted package.
func untrusted(owner, token string, packages []string) error {
	return console.Fail(console.ExitFailed, "add --trust "+strings.Join(packages, ",")+" if you trust it",
		"the code of the package of %s would act in the name of %s", client.ShowName(token), owner)
}
