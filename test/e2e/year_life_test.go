//go:build long

package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	day = 24 * time.Hour
	// lifeTick is half the life of a round: a year has a few hundred.
	lifeTick = day
	// lifePatience limits the tries of one step, while parts of the node are killed.
	lifePatience = 4 * time.Minute
	// rightsEach is the number of parties of one user of the driver; a user can have a thousand rights.
	rightsEach = 300
	// createsEach is the number of contracts in one submission of the driver.
	createsEach = 50
)

// life drives a node through days of ledger time: it makes the users' actions at fixed times, over the node's API. The
// node does the rest.
type life struct {
	size     lifeSize
	packages *ledger.Packages
	node     target
	info     struct{ dso, operator string }
	// base is the midnight of the beginning.
	base time.Time
	// day is the number of past days.
	day atomic.Int64
	// checkpoints are the days of audits.
	checkpoints chan int64
}

// lifeSize is the size of a life.
type lifeSize struct{ days, preapprovals int }

func (s lifeSize) length() time.Duration { return time.Duration(s.days) * day }

// lifeEvent is an action of a user at a time after the base.
type lifeEvent struct {
	at time.Duration
	do func(context.Context) error
}

// party is the id of a party of the node by its hint.
func (l *life) party(hint string) string {
	_, namespace, _ := strings.Cut(l.info.operator, "::")
	return hint + "::" + namespace
}

func (l *life) at(after time.Duration) time.Time { return l.base.Add(after) }

// user is the driver's user for a party: one for all active parties, and one for each group of receivers.
func (l *life) user(hint string) string {
	var number int
	if _, err := fmt.Sscanf(hint, "receiver-%d", &number); err == nil {
		return fmt.Sprintf("receivers-%d", number/rightsEach)
	}
	return "people"
}

// lifePeople are the active parties; the first ones have wallets.
func lifePeople() (all []string, wallets int) {
	all = []string{"payer", "guest", "shop", "till-0", "till-1", "till-2", "till-3", "earner-0", "earner-1"}
	return append(all, "provider"), len(all)
}

// newLife prepares a node: parties, wallets, preapprovals and the settings of the automation.
func newLife(t *testing.T, n *upNode, size lifeSize) *life {
	t.Helper()
	l := &life{size: size, checkpoints: make(chan int64, size.days)}
	var err error
	l.packages, err = ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	l.info.dso, l.info.operator = n.info.DSO, n.info.Operator
	l.node.Store(&n.endpoint)
	clock, err := l.clock(t.Context())
	require.NoError(t, err)
	l.base = clock.Truncate(day).Add(day)
	require.NoError(t, l.advance(t.Context(), l.base))
	people, wallets := lifePeople()
	hints := slices.Clone(people)
	for i := range size.preapprovals {
		hints = append(hints, receiver(i))
	}
	l.allocate(t, hints)
	ctx := t.Context()
	require.NoError(t, l.openWallets(ctx, people[:wallets]))
	require.NoError(t, l.preapproveAll(ctx))
	require.NoError(t, l.configure(ctx))
	require.NoError(t, l.tap(ctx, "operator", l.info.operator, "1000000.0"))
	require.NoError(t, l.tap(ctx, "payer", l.party("payer"), "10000.0"))
	return l
}

func receiver(i int) string { return fmt.Sprintf("receiver-%d", i) }

// allocate creates the parties and the users who act for them.
func (l *life) allocate(t *testing.T, hints []string) {
	t.Helper()
	admin := l.node.Load().admin()
	rights := map[string][]client.Right{}
	for _, hint := range hints {
		rights[l.user(hint)] = nil
	}
	for user := range rights {
		require.NoError(t, admin.CreateUser(t.Context(), user, "", client.CanReadAsAnyParty(),
			client.CanActAs(l.info.dso), client.CanActAs(l.info.operator)))
	}
	const atOnce = 8
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, hint := range hints {
		group.Go(func() error {
			party, err := admin.AllocateParty(t.Context(), hint, l.user(hint))
			if err == nil && party != l.party(hint) {
				err = fmt.Errorf("%s is %s and not %s", hint, party, l.party(hint))
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
	for user := range rights { // the provider signs the preapprovals of others
		if user != l.user("provider") {
			path := "/v2/users/" + user + "/rights"
			require.NoError(t, admin.Post(t.Context(), path, map[string]any{
				"userId": user, "rights": []client.Right{client.CanActAs(l.party("provider"))},
			}, nil))
		}
	}
}

// lifeCreate is a command that creates a contract.
func lifeCreate[T any](l *life, payload T) (client.Command, error) {
	name, err := ledger.TemplateName[T](l.packages)
	if err != nil {
		return client.Command{}, err
	}
	encoded, err := ledger.Encode(l.packages, payload)
	return client.Command{Create: &client.Create{
		TemplateID: name.String(), CreateArguments: json.RawMessage(encoded),
	}}, err
}

// openWallets creates wallets of the operator for parties.
func (l *life) openWallets(ctx context.Context, hints []string) error {
	for _, hint := range hints {
		command, err := lifeCreate(l, walletapp.WalletAppInstall{
			DSOParty: ledger.Party(l.info.dso), ValidatorParty: ledger.Party(l.info.operator), EndUserName: hint,
			EndUserParty: ledger.Party(l.party(hint)),
		})
		if err != nil {
			return err
		}
		actAs := []string{l.info.dso, l.info.operator, l.party(hint)}
		if err := l.submit(ctx, l.user(hint), "wallet-"+hint, actAs, command); err != nil {
			return err
		}
	}
	return nil
}

// configure sets the automation: sweeps of the tills to the shop, half of them by offers that the shop accepts and half
// with its preapproval, and top-ups of traffic.
func (l *life) configure(ctx context.Context) error {
	const path = "/v0/admin/automation/settings"
	put := func(path string, value map[string]any) error {
		return l.node.Load().admin().Call(ctx, "PUT", path, value, nil)
	}
	shop := l.party("shop")
	for i := range 4 {
		if err := put(path+"/sweeps/"+url.PathEscape(l.party(till(i))), map[string]any{
			"max_balance_usd": "100", "min_balance_usd": "10", "receiver": shop, "use_transfer_preapproval": i >= 2,
		}); err != nil {
			return err
		}
	}
	return errors.Join(
		put(path+"/auto-accept/"+url.PathEscape(shop), map[string]any{
			"from_parties": []string{l.party("payer"), l.party(till(0)), l.party(till(1))},
		}),
		put(path+"/top-up", map[string]any{
			"target_throughput": 20_000, "min_topup_interval": "1m", "reserved_traffic": 100_000,
		}),
	)
}

func till(i int) string { return fmt.Sprintf("till-%d", i) }

// fate is the fate of a preapproval.
type fate struct {
	// kept: it is the operator's, who renews it; others expire.
	kept bool
	// first is its first expiry, after the base; cancelled is the time of its cancellation, 0 for never.
	first, cancelled time.Duration
}

// fates spreads the preapprovals over the days. Of ten, six are renewed, three expire and one is renewed until it is
// cancelled. Of a thousand, ten that are renewed have the same deadline, fifteen expire together, and five are
// cancelled together.
func (s lifeSize) fates() []fate {
	const period, window = 90 * day, 30 * day
	fates := make([]fate, s.preapprovals)
	part := func(of time.Duration, i int) time.Duration {
		return (of / time.Duration(s.preapprovals) * time.Duration(i)).Truncate(time.Second)
	}
	for i := range fates {
		first := window + day + part(min(period-window, s.length())-2*day, i-i%100)
		first += time.Duration(i%10) * time.Minute
		switch i % 10 {
		case 6, 7, 8:
			fates[i] = fate{first: day + part(s.length(), i-i%50)}
		case 9:
			fates[i] = fate{kept: true, first: first, cancelled: 2*day + part(s.length()-9*day, s.preapprovals-i+i%50)}
		default:
			fates[i] = fate{kept: true, first: first}
		}
	}
	return fates
}

// preapproveAll creates the preapprovals as if they were bought.
func (l *life) preapproveAll(ctx context.Context) error {
	type batch struct {
		actAs    []string
		commands []client.Command
	}
	batches := map[string]*batch{}
	for i, f := range l.size.fates() {
		provider := l.party("provider")
		if f.kept {
			provider = l.info.operator
		}
		command, err := lifeCreate(l, coin.TransferPreapproval{
			DSO: ledger.Party(l.info.dso), Receiver: ledger.Party(l.party(receiver(i))), Provider: ledger.Party(provider),
			ValidFrom: lf.TimestampOf(l.base), LastRenewedAt: lf.TimestampOf(l.base),
			ExpiresAt: lf.TimestampOf(l.at(f.first)),
		})
		if err != nil {
			return err
		}
		id := fmt.Sprintf("preapprovals-%d", i/createsEach)
		if batches[id] == nil {
			batches[id] = &batch{actAs: []string{l.info.dso, l.info.operator, l.party("provider")}}
		}
		batches[id].actAs = append(batches[id].actAs, l.party(receiver(i)))
		batches[id].commands = append(batches[id].commands, command)
	}
	for id, b := range batches {
		var first int
		if _, err := fmt.Sscanf(id, "preapprovals-%d", &first); err != nil {
			return err
		}
		if err := l.submit(ctx, l.user(receiver(first*createsEach)), id, b.actAs, b.commands...); err != nil {
			return err
		}
	}
	return nil
}

// retried repeats do until it succeeds: the node may be down, and a change without an answer may have happened.
func (l *life) retried(ctx context.Context, what string, do func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, lifePatience)
	defer cancel()
	for {
		err := do(limited)
		if err == nil {
			return nil
		}
		if limited.Err() != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		_ = wait.For(limited, retryPause)
	}
}

// submit submits commands until they are committed, once.
func (l *life) submit(
	ctx context.Context, user, commandID string, actAs []string, commands ...client.Command,
) error {
	return l.submitMade(ctx, user, commandID, actAs, func(context.Context) ([]client.Command, error) {
		return commands, nil
	})
}

// submitMade is submit with a function that makes the commands of each try; no commands mean that nothing is left to
// do.
func (l *life) submitMade(
	ctx context.Context, user, commandID string, actAs []string,
	commands func(context.Context) ([]client.Command, error),
) error {
	return l.retried(ctx, commandID, func(ctx context.Context) error {
		made, err := commands(ctx)
		if err != nil || len(made) == 0 {
			return err
		}
		_, err = l.node.Load().as(user).SubmitAndWait(ctx, client.Commands{
			CommandID: commandID, ActAs: actAs, ReadAs: []string{l.info.dso}, Commands: made,
		})
		if client.Code(err) == "DUPLICATE_COMMAND" {
			return nil
		}
		return err
	})
}

// tap mints coin for a party.
func (l *life) tap(ctx context.Context, name, party, amount string) error {
	return l.submitMade(ctx, "people", "tap-"+name, []string{party},
		func(ctx context.Context) ([]client.Command, error) {
			found, err := l.node.Load().as("people").FindCoin(ctx, l.info.dso)
			return []client.Command{found.Tap(party, amount)}, err
		})
}

// clock is the ledger's time.
func (l *life) clock(ctx context.Context) (time.Time, error) {
	var shown devapi.ClockResponse
	err := l.node.Load().admin().Get(ctx, "/v0/dev/clock", &shown)
	return time.Time(shown.LedgerTime), err
}

// advance advances the ledger's clock. If an answer is lost, the node may be at the target without having done
// everything due there: another microsecond makes it finish that first.
func (l *life) advance(ctx context.Context, to time.Time) error {
	return l.retried(ctx, "advance to "+to.String(), func(ctx context.Context) error {
		now, err := l.clock(ctx)
		if err != nil {
			return err
		}
		aim := to
		if !now.Before(to) {
			aim = now.Add(time.Microsecond)
		}
		request := devapi.AdvanceClockRequest{AdvanceTo: aim.Format(time.RFC3339Nano)}
		return l.node.Load().admin().Post(ctx, "/v0/dev/clock", request, nil)
	})
}

// live makes all events happen at their times.
func (l *life) live(ctx context.Context) error {
	const checkpoint = 50
	for _, event := range l.events() {
		if err := l.advance(ctx, l.at(event.at)); err != nil {
			return err
		}
		today := int64(event.at / day)
		if before := l.day.Swap(today); before/checkpoint < today/checkpoint {
			l.checkpoints <- today
		}
		if err := event.do(ctx); err != nil {
			return err
		}
	}
	// Merges of wallets come a little later.
	return errors.Join(l.advance(ctx, l.at(l.size.length())), l.advance(ctx, l.at(l.size.length()+time.Hour)))
}
