//go:build long

package e2e_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

const preapprovalTemplate = "#splice-amulet:Splice.AmuletRules:TransferPreapproval"

// The intervals of the users' actions.
const (
	everyTap     = 10 * day // a till gets tapCoins
	everyReward  = 40 * day // an earner earns rewardCoins of app activity
	everyOffer   = 8 * day  // the payer offers offerCoins to the guest, who does not answer, and to the shop, who accepts
	everyRequest = 16 * day // the shop asks the payer for money, who does not answer

	tapCoins, rewardCoins, offerCoins = "30000.0", "100.0", "5.0"

	offerLasts, requestLasts = 30 * time.Hour, 50 * time.Hour
)

// times lists the times of an action with an interval, from first after the base. The last ones are early enough that
// their consequences happen before the end.
func (s lifeSize) times(first, every time.Duration) (times []time.Duration) {
	const rest = 7 * day
	for at := first; at < s.length()-rest; at += every {
		times = append(times, at)
	}
	return times
}

// events are the users' actions, in order.
func (l *life) events() []lifeEvent {
	var events []lifeEvent
	add := func(at time.Duration, do func(context.Context) error) {
		events = append(events, lifeEvent{at, do})
	}
	for n, at := range l.size.times(day+time.Hour, everyTap) {
		name := till(n % 4)
		add(at, func(ctx context.Context) error {
			return l.tap(ctx, fmt.Sprintf("%s-%d", name, n), l.party(name), tapCoins)
		})
	}
	for n, at := range l.size.times(day+2*time.Hour, everyReward) {
		add(at, func(ctx context.Context) error { return l.earn(ctx, n) })
	}
	for n, at := range l.size.times(day+3*time.Hour, everyOffer) {
		add(at, func(ctx context.Context) error { return l.offer(ctx, n, at, "guest") })
		add(at+time.Hour, func(ctx context.Context) error { return l.offer(ctx, n, at+time.Hour, "shop") })
	}
	for n, at := range l.size.times(day+5*time.Hour, everyRequest) {
		add(at, func(ctx context.Context) error { return l.request(ctx, n, at) })
	}
	for i, f := range l.size.fates() {
		if f.cancelled > 0 {
			add(f.cancelled, func(ctx context.Context) error { return l.cancel(ctx, i) })
		}
	}
	add(day/2, func(ctx context.Context) error { return l.propose(ctx, "shop") })
	slices.SortStableFunc(events, func(a, b lifeEvent) int { return cmp.Compare(a.at, b.at) })
	return events
}

// propose asks the operator for a preapproval, which the operator creates.
func (l *life) propose(ctx context.Context, hint string) error {
	dso := ledger.Party(l.info.dso)
	command, err := lifeCreate(l, walletapp.TransferPreapprovalProposal{
		Receiver: ledger.Party(l.party(hint)), Provider: ledger.Party(l.info.operator), ExpectedDSO: &dso,
	})
	if err != nil {
		return err
	}
	return l.submit(ctx, "people", "propose-"+hint, []string{l.party(hint)}, command)
}

// offer offers coin of the payer.
func (l *life) offer(ctx context.Context, n int, at time.Duration, to string) error {
	id := fmt.Sprintf("offer-%s-%d", to, n)
	command, err := lifeCreate(l, walletapp.TransferOffer{
		Sender: ledger.Party(l.party("payer")), Receiver: ledger.Party(l.party(to)), DSO: ledger.Party(l.info.dso),
		Amount:      payments.PaymentAmount{Amount: decimal.MustParse(offerCoins), Unit: payments.AmuletUnit},
		Description: "a present", ExpiresAt: lf.TimestampOf(l.at(at + offerLasts)), TrackingID: id,
	})
	if err != nil {
		return err
	}
	return l.submit(ctx, "people", id, []string{l.party("payer")}, command)
}

// request asks the payer for money.
func (l *life) request(ctx context.Context, n int, at time.Duration) error {
	amount := payments.PaymentAmount{Amount: decimal.MustParse(offerCoins), Unit: payments.AmuletUnit}
	shop := ledger.Party(l.party("shop"))
	command, err := lifeCreate(l, payments.AppPaymentRequest{
		Sender: ledger.Party(l.party("payer")), Provider: shop, DSO: ledger.Party(l.info.dso), Description: "a book",
		ExpiresAt:       lf.TimestampOf(l.at(at + requestLasts)),
		ReceiverAmounts: []payments.ReceiverAmount{{Receiver: shop, Amount: amount}},
	})
	if err != nil {
		return err
	}
	return l.submit(ctx, "people", fmt.Sprintf("request-%d", n), []string{l.party("payer"), l.party("shop")}, command)
}

// earn records app activity of an earner in the newest open round.
func (l *life) earn(ctx context.Context, n int) error {
	earner := fmt.Sprintf("earner-%d", n%2)
	return l.submitMade(ctx, "people", fmt.Sprintf("earn-%d", n), []string{l.info.dso},
		func(ctx context.Context) ([]client.Command, error) {
			round, err := l.openRound(ctx)
			if err != nil {
				return nil, err
			}
			command, err := lifeCreate(l, coin.AppRewardCoupon{
				DSO: ledger.Party(l.info.dso), Provider: ledger.Party(l.party(earner)),
				Amount: decimal.MustParse(rewardCoins), Round: round,
			})
			return []client.Command{command}, err
		})
}

func (l *life) openRound(ctx context.Context) (newest coin.Round, err error) {
	now, err := l.clock(ctx)
	if err != nil {
		return newest, err
	}
	found, err := l.active(ctx, l.info.dso, client.OpenMiningRoundTemplate)
	for _, contract := range found {
		var round struct {
			OpensAt time.Time `json:"opensAt"`
			Round   struct {
				Number int64 `json:"number,string"`
			} `json:"round"`
		}
		if err := json.Unmarshal(contract.CreateArgument, &round); err != nil {
			return newest, err
		}
		if !round.OpensAt.After(now) {
			newest.Number = max(newest.Number, round.Round.Number)
		}
	}
	return newest, err
}

// cancel cancels the preapproval of a receiver, if there is one.
func (l *life) cancel(ctx context.Context, i int) error {
	party := l.party(receiver(i))
	return l.submitMade(ctx, l.user(receiver(i)), "cancel-"+receiver(i), []string{party},
		func(ctx context.Context) ([]client.Command, error) {
			found, err := l.active(ctx, party, preapprovalTemplate)
			if err != nil || len(found) == 0 {
				return nil, err
			}
			return []client.Command{{Exercise: &client.Exercise{
				TemplateID: preapprovalTemplate, ContractID: found[0].ContractID, Choice: "TransferPreapproval_Cancel",
				ChoiceArgument: map[string]string{"p": party},
			}}}, nil
		})
}

// active lists the active contracts of a template that a party sees.
func (l *life) active(ctx context.Context, party, template string) ([]client.CreatedEvent, error) {
	client := l.node.Load().as("people")
	end, err := client.LedgerEnd(ctx)
	if err != nil {
		return nil, err
	}
	return client.ActiveContracts(ctx, end, party, template)
}
