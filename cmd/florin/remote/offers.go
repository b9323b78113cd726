package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/decimal"
)

// OffersCommand lists and answers open transfers.
type OffersCommand struct {
	List     OffersListCommand     `cmd:"" default:"withargs" help:"List the offers to and from a party."`
	Accept   OffersAcceptCommand   `cmd:"" help:"Accept an offer."`
	Reject   OffersRejectCommand   `cmd:"" help:"Reject an offer."`
	Withdraw OffersWithdrawCommand `cmd:"" help:"Withdraw an open offer."`
}

// The kinds of offers, as the beginnings of their paths.
const (
	kindTransfer = "transfer"       // of the token standard: the coin is locked
	kindOffer    = "transfer-offer" // the older kind of the wallet
)

type offer struct {
	ContractID string          `json:"contract_id"`
	Kind       string          `json:"kind"`
	Sender     string          `json:"sender"`
	Receiver   string          `json:"receiver"`
	Amount     decimal.Decimal `json:"amount"`
	ExpiresAt  time.Time       `json:"expires_at"`
	Note       string          `json:"note"`
	// Token is the token that the package's code claims; null for coin.
	Token *client.TokenKind `json:"token"`
}

// shown is the amount with its unit. The name of a token is a claim of its package, so it has that, too.
func (o offer) shown() string {
	if o.Token == nil {
		return coins(o.Amount)
	}
	return claimed(o.Amount, *o.Token)
}

// shortID is the beginning of a contract id, enough to distinguish the contracts of a list.
func shortID(id string) string {
	const length = 12
	return id[:min(length, len(id))]
}

func (o offer) path(answer string) string {
	base := transfersPath
	if o.Kind == kindOffer {
		base = "/v0/wallet/transfer-offers"
	}
	return base + "/" + o.ContractID + "/" + answer
}

// OffersListCommand lists offers.
type OffersListCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" help:"User or party."`
}

// Run lists the offers.
func (c *OffersListCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, client *client.Client) error {
		all, err := offersOf(ctx, client)
		if err != nil {
			return s.node.withoutWallet(owner, err)
		}
		answer := offersAnswer(owner.Party, all)
		if len(all) == 0 {
			answer.Text = "no open offers"
		}
		return c.Print(answer)
	})
}

func offersAnswer(reader string, all []offer) console.Answer {
	answer := console.Answer{
		Data:  map[string]any{"offers": all},
		Table: console.Table{Head: []string{"ID", "FROM", "TO", "AMOUNT", "EXPIRES", "NOTE"}},
	}
	for _, one := range all {
		answer.Table.Rows = append(answer.Table.Rows, []string{
			shortID(one.ContractID), client.PartyFor(reader, one.Sender), client.PartyFor(reader, one.Receiver),
			one.shown(),
			one.ExpiresAt.Local().Format(time.DateTime), client.Short(one.Note),
		})
		answer.Names = append(answer.Names, one.ContractID)
	}
	return answer
}

// offersOf lists the offers of both kinds, to and from the client's user.
func offersOf(ctx context.Context, client *client.Client) ([]offer, error) {
	found, err := client.Offers(ctx)
	if err != nil {
		return nil, err
	}
	all := []offer{}
	for _, o := range found {
		kind := kindOffer
		if o.Standard {
			kind = kindTransfer
		}
		all = append(all, offer{o.ContractID, kind, o.Sender, o.Receiver, o.Amount, o.ExpiresAt, o.Note, o.Token})
	}
	return all, nil
}

// answerCommand has the flags of the commands that answer offers.
type answerCommand struct {
	Node
	console.Output

	Name string   `complete:"name" arg:"" help:"User or party that answers."`
	IDs  []string `arg:"" optional:"" name:"id" help:"Ids of the offers, or the beginnings of the ids. Not needed if only one offer is open."`
	All  bool     `help:"All open offers."`

	Trust []string `help:"For offers of tokens: packages whose code may act in the party's name, on their own contracts."`
}

// Validate is called by kong.
func (a *answerCommand) Validate() error {
	if a.All && len(a.IDs) > 0 {
		return errors.New("--all and ids of offers are both given: leave one out")
	}
	return nil
}

// run answers the offers that the party may answer.
func (a *answerCommand) run(ctx context.Context, verb, done string, turn func(offer, string) bool) error {
	return a.withWallet(ctx, a.Name, func(ctx context.Context, s *Session, owner account, api *client.Client) error {
		all, err := offersOf(ctx, api)
		if err != nil {
			return s.node.withoutWallet(owner, err)
		}
		waiting := []offer{}
		for _, one := range all {
			isMeant := !a.All || one.Token == nil || slices.Contains(a.Trust, one.Token.Package)
			if isMeant && turn(one, owner.Party) {
				waiting = append(waiting, one)
			}
		}
		chosen, err := a.choose(waiting, owner.Name, verb)
		if err != nil {
			return err
		}
		lines := make([]string, 0, len(chosen))
		for _, one := range chosen {
			var body any
			if one.Token != nil {
				body = client.Trusting(a.Trust)
			}
			if err := api.Post(ctx, one.path(verb), body, nil); err != nil {
				return a.untrusted(one, verb, err)
			}
			lines = append(lines, fmt.Sprintf("%s %s the %s from %s to %s", owner.Name, done, one.shown(),
				client.PartyFor(owner.Party, one.Sender), client.PartyFor(owner.Party, one.Receiver)))
		}
		answer := offersAnswer(owner.Party, chosen)
		answer.Text, answer.Table.Rows = strings.Join(lines, "\n"), nil
		return a.Print(answer)
	})
}

// untrusted adds how to trust the package of an offer to its refusal.
func (a *answerCommand) untrusted(one offer, verb string, err error) error {
	if one.Token == nil || slices.Contains(a.Trust, one.Token.Package) || asRefusal(err) == nil {
		return err
	}
	text, _ := words(asRefusal(err))
	return console.Fail(console.ExitFailed, a.Florin("offers", verb, a.Name, shortID(one.ContractID), "--trust", one.Token.Package)+
		" lets the code of this package act for "+a.Name, "%w", errors.New(text))
}

// choose finds the offers of the arguments.
func (a *answerCommand) choose(waiting []offer, owner, verb string) ([]offer, error) {
	if a.All {
		return waiting, nil
	}
	list := a.Florin("offers", owner) + " lists them"
	if len(a.IDs) == 0 {
		switch len(waiting) {
		case 0:
			return nil, console.Fail(console.ExitFailed, list, "there is no offer that %s could %s", owner, verb)
		case 1:
			return waiting, nil
		default:
			return nil, console.Fail(console.ExitFailed, list+"; choose one by its id, or use --all",
				"there are %d offers that %s could %s", len(waiting), owner, verb)
		}
	}
	var chosen []offer
	for _, id := range a.IDs {
		var found []offer
		for _, one := range waiting {
			if id != "" && strings.HasPrefix(one.ContractID, id) {
				found = append(found, one)
			}
		}
		if len(found) != 1 {
			return nil, console.Fail(console.ExitFailed, list, "%d offers that %s could %s have an id that begins with %q",
				len(found), owner, verb, id)
		}
		chosen = append(chosen, found...)
	}
	return chosen, nil
}

// OffersAcceptCommand accepts offers.
type OffersAcceptCommand struct{ answerCommand }

// Run accepts the offers.
func (c *OffersAcceptCommand) Run(ctx context.Context) error {
	return c.run(ctx, "accept", "took", isReceiver)
}

// OffersRejectCommand rejects offers.
type OffersRejectCommand struct{ answerCommand }

// Run rejects the offers.
func (c *OffersRejectCommand) Run(ctx context.Context) error {
	return c.run(ctx, "reject", "declined", isReceiver)
}

// OffersWithdrawCommand withdraws offers.
type OffersWithdrawCommand struct{ answerCommand }

// Run withdraws the offers.
func (c *OffersWithdrawCommand) Run(ctx context.Context) error {
	return c.run(ctx, "withdraw", "took back", func(o offer, party string) bool { return o.Sender == party })
}

func isReceiver(o offer, party string) bool { return o.Receiver == party }
