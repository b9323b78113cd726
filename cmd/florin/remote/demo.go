package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/decimal"
)

// The parties of the demo.
const (
	demoSender   = "alice"
	demoSwept    = "bob"
	demoReceiver = "carol"
)

const (
	sweepPath = "/v0/admin/automation/settings/sweeps/"
	// demoOffer is the amount of the offer, demoWait its lifetime.
	demoOffer = "25"
	demoWait  = 30 * 24 * time.Hour
	// delegationTimeout limits the wait until the operator accepts the merge delegation.
	delegationTimeout = 3 * time.Minute

	delegationTemplate = "#splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation"
	proposalTemplate   = delegationTemplate + "Proposal"
)

// demoCoin is the first coin of each party.
func demoCoin() map[string]string {
	return map[string]string{demoSender: "1000", demoSwept: "500", demoReceiver: "100"}
}

// demo creates the demo for pages and examples, once on a ledger.
type demo struct {
	*Session

	admin   *client.Client
	parties map[string]string
}

// Demo creates three parties with coin, an open offer, preapprovals, a merge delegation and a sweep, and returns a line
// for each party. It finishes an interrupted demo, and does not change a complete one: the sweep comes last, so if
// there is a sweep, the demo is complete.
func (n Node) Demo(ctx context.Context) (lines []string, err error) {
	err = n.with(ctx, func(ctx context.Context, s *Session) error {
		admin, err := s.Admin()
		if err != nil {
			return err
		}
		d := demo{s, admin, map[string]string{}}
		if err := d.make(ctx); err != nil {
			return err
		}
		lines, err = d.show(ctx)
		return err
	})
	return lines, err
}

func (d demo) make(ctx context.Context) error {
	for _, name := range []string{demoSender, demoSwept, demoReceiver} {
		var out struct {
			Party string `json:"party_id"`
		}
		in := map[string]any{"name": name, "createPartyIfMissing": true}
		if err := d.admin.Post(ctx, "/v0/admin/users", in, &out); err != nil {
			return err
		}
		d.parties[name] = out.Party
	}
	if made, err := d.swept(ctx); err != nil || made {
		return err
	}
	for name, amount := range demoCoin() {
		if err := d.mint(ctx, name, amount); err != nil {
			return err
		}
	}
	for _, name := range []string{demoSender, demoSwept} {
		client, err := d.as(name)
		if err != nil {
			return err
		}
		if _, _, err := approve(ctx, client); err != nil {
			return err
		}
	}
	if err := d.offer(ctx); err != nil {
		return err
	}
	if err := d.delegate(ctx); err != nil {
		return err
	}
	return d.admin.Call(ctx, http.MethodPut, sweepPath+url.PathEscape(d.parties[demoSwept]), map[string]any{
		"max_balance_usd": "10", "min_balance_usd": "5", "receiver": d.parties[demoSender], "use_transfer_preapproval": true,
	}, nil)
}

// swept reports whether the party has a sweep setting, which the demo makes at its end.
func (d demo) swept(ctx context.Context) (bool, error) {
	var out struct {
		Source string `json:"source"`
	}
	err := d.admin.Get(ctx, sweepPath+url.PathEscape(d.parties[demoSwept]), &out)
	return out.Source == "operator", err
}

func (d demo) mint(ctx context.Context, name, amount string) error {
	api, err := d.as(name)
	if err != nil {
		return err
	}
	var history struct {
		Items []struct{} `json:"items"`
	}
	if err := api.Post(ctx, "/v0/wallet/transactions", map[string]any{"page_size": 1}, &history); err != nil {
		return err
	}
	if len(history.Items) > 0 {
		return nil
	}
	_, err = mint(ctx, api, d.parties[name], "demo-"+name, func(decimal.Decimal) (decimal.Decimal, error) {
		return decimal.Parse(amount)
	})
	if client.Code(err) == "DUPLICATE_COMMAND" {
		return nil
	}
	return err
}

// offer offers coin to the party without a preapproval.
func (d demo) offer(ctx context.Context) error {
	client, err := d.as(demoSender)
	if err != nil {
		return err
	}
	offers, err := offersOf(ctx, client)
	if err != nil {
		return err
	}
	for _, one := range offers {
		if one.Receiver == d.parties[demoReceiver] {
			return nil
		}
	}
	return client.Post(ctx, transfersPath, map[string]any{
		"receiver_party_id": d.parties[demoReceiver], "amount": demoOffer, "description": "lunch",
		"expires_at": d.now(ctx, client).Add(demoWait).UnixMicro(), "tracking_id": "demo-offer",
	}, nil)
}

// delegate lets the operator merge the sender's coin. The operator's user accepts at once, because the node itself
// would accept half a minute later.
func (d demo) delegate(ctx context.Context) error {
	api, err := d.as(demoSender)
	if err != nil {
		return err
	}
	found, err := d.delegations(ctx, api, delegationTemplate, proposalTemplate)
	if err != nil {
		return err
	}
	operator, err := d.operator(ctx)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		_, err = api.SubmitAndWait(ctx, client.Commands{
			CommandID: "demo-delegation", ActAs: []string{d.parties[demoSender]},
			Commands: []client.Command{{Create: &client.Create{
				TemplateID: proposalTemplate, CreateArguments: map[string]any{"delegation": map[string]any{
					"operator": operator.Party, "owner": d.parties[demoSender], "meta": map[string]any{"values": map[string]any{}},
				}},
			}}},
		})
		if err != nil && client.Code(err) != "DUPLICATE_COMMAND" {
			return err
		}
	}
	if err := d.accept(ctx, api, operator); err != nil {
		return err
	}
	err = until(ctx, delegationTimeout, func(ctx context.Context) (bool, error) {
		found, err := d.delegations(ctx, api, delegationTemplate)
		return len(found) > 0, err
	})
	if console.CodeOf(err) == console.ExitTooLate {
		return errors.New("the operator did not accept the merge delegation of " + demoSender + " within " +
			delegationTimeout.String() + "; " + OnData("", "logs") + " may say why")
	}
	return err
}

// accept accepts the sender's proposal as the operator, unless the node has accepted it.
func (d demo) accept(ctx context.Context, sender *client.Client, operator account) error {
	proposals, err := d.delegations(ctx, sender, proposalTemplate)
	if err != nil || len(proposals) == 0 {
		return err
	}
	api, err := d.as(operator.User)
	if err != nil {
		return err
	}
	_, err = api.SubmitAndWait(ctx, client.Commands{
		CommandID: "demo-accepts-delegation", ActAs: []string{operator.Party},
		Commands: []client.Command{{Exercise: &client.Exercise{
			TemplateID: proposalTemplate, ContractID: proposals[0].ContractID, Choice: "MergeDelegationProposal_Accept",
			ChoiceArgument: map[string]any{},
		}}},
	})
	switch client.Code(err) {
	case "DUPLICATE_COMMAND", "CONTRACT_NOT_FOUND", "LOCAL_VERDICT_INACTIVE_CONTRACTS":
		return nil
	}
	return err
}

func (d demo) delegations(
	ctx context.Context, client *client.Client, templates ...string,
) ([]client.CreatedEvent, error) {
	end, err := client.LedgerEnd(ctx)
	if err != nil {
		return nil, err
	}
	return client.ActiveContracts(ctx, end, d.parties[demoSender], templates...)
}

// show describes each party in a line.
func (d demo) show(ctx context.Context) ([]string, error) {
	var lines []string
	for _, name := range []string{demoSender, demoSwept, demoReceiver} {
		owner, client, err := d.wallet(ctx, name)
		if err != nil {
			return nil, err
		}
		has, err := balanceOf(ctx, owner, client)
		if err != nil {
			return nil, err
		}
		facts := []string{"has " + coins(has.Available)}
		approved, err := showPreapproval(ctx, owner, client)
		if err != nil {
			return nil, err
		}
		if approved.ContractID != nil {
			facts = append(facts, "receives coin automatically")
		}
		more, err := d.about(ctx, owner, client)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("%-6s %s", name, strings.Join(append(facts, more...), ", ")))
	}
	return lines, nil
}

// about describes the party's part in the demo.
func (d demo) about(ctx context.Context, owner account, api *client.Client) ([]string, error) {
	switch owner.Name {
	case demoSender:
		found, err := d.delegations(ctx, api, delegationTemplate)
		if len(found) == 0 {
			return nil, err
		}
		return []string{"lets the operator merge its coin"}, nil
	case demoSwept:
		var sweep struct {
			Setting *struct {
				Above    decimal.Decimal `json:"max_balance_usd"`
				Receiver string          `json:"receiver"`
			} `json:"setting"`
		}
		err := d.admin.Get(ctx, sweepPath+url.PathEscape(owner.Party), &sweep)
		if err != nil || sweep.Setting == nil {
			return nil, err
		}
		return []string{fmt.Sprintf("sends to %s what it has above %s USD",
			client.PartyFor(owner.Party, sweep.Setting.Receiver), short(sweep.Setting.Above))}, nil
	default:
		offers, err := offersOf(ctx, api)
		var facts []string
		for _, one := range offers {
			if isReceiver(one, owner.Party) {
				facts = append(facts, "has an offer of "+coins(one.Amount)+" from "+client.PartyFor(owner.Party, one.Sender))
			}
		}
		return facts, err
	}
}
