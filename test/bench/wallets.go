package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/test/calls"
)

const (
	// holdingAmount is the amount of a holding, transferAmount the part that a transfer sends; the rest is change.
	holdingAmount  = "10.0"
	transferAmount = "4.0"
	// A tap of fundAmount is split into holdingsPerTap holdings, the most outputs that a transfer may have.
	fundAmount     = "1000.0"
	holdingsPerTap = 100
	// tapsPerSubmission limits the size of submissions that fund wallets.
	tapsPerSubmission = 4
	// setupParallel is the number of parallel requests during the setup.
	setupParallel = 16
)

// wallet is for one client of a load: a sender, a receiver, and holdings of the sender that no other client spends.
type wallet struct {
	// client is of the user that may act as the parties.
	client           *client.Client
	calls            *calls.Client
	sender, receiver string
	// owner is the client's own user, for taps by the wallet's route; nil until it is onboarded.
	owner *resident

	// goods are uploaded contracts of the sender, prices those of the receiver; only the client of the wallet uses them.
	goods, prices []string

	mu       sync.Mutex
	holdings []string
	// spends is the number of times that take returns a holding; more than one is contention.
	spends, spent int
}

// take returns a holding to spend; false if none is left.
func (w *wallet) take() (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.holdings) == 0 {
		return "", false
	}
	holding := w.holdings[0]
	w.spent++
	if w.spent >= w.spends {
		w.holdings, w.spent = w.holdings[1:], 0
	}
	return holding, true
}

// missing is the number of holdings that the wallet needs to have at least enough.
func (w *wallet) missing(enough int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(enough-len(w.holdings), 0)
}

func (w *wallet) put(holdings []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holdings = append(w.holdings, holdings...)
}

// setUp allocates the parties, creates the users that act for them, and finds the coin.
func (r *run) setUp(ctx context.Context) error {
	admin := r.client.With(client.Token(r.target.Secret, r.target.Audience, adminUser))
	var err error
	if r.version, err = admin.Version(ctx); err != nil {
		return fmt.Errorf("the node at %s does not answer like Florin: %w", r.target.URL, err)
	}
	if r.target.DSO == "" {
		if r.target.DSO, err = findDSO(ctx, admin); err != nil {
			return err
		}
	}
	r.options.Progress(fmt.Sprintf("allocate %d parties", 2*len(r.wallets)))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(setupParallel)
	for i, w := range r.wallets {
		for role, party := range map[string]*string{"sender": &w.sender, "receiver": &w.receiver} {
			group.Go(func() (err error) {
				*party, err = admin.AllocateParty(groupCtx, fmt.Sprintf("%s-%s-%d", r.name, role, i), "")
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("allocate parties: %w", err)
	}
	for wallets := range slices.Chunk(r.wallets, clientsOfUser) {
		if err := r.makeUser(ctx, admin, wallets); err != nil {
			return err
		}
	}
	r.client = r.wallets[0].client
	if r.coin, err = r.client.FindCoin(ctx, r.target.DSO); err != nil {
		return fmt.Errorf("find the contracts of the coin: %w", err)
	}
	return nil
}

func (r *run) makeUser(ctx context.Context, admin *client.Client, wallets []*wallet) error {
	user := fmt.Sprintf("%s-%d", r.name, len(r.users)+1)
	rights := []client.Right{client.CanReadAs(r.target.DSO)}
	for _, w := range wallets {
		rights = append(rights, client.CanActAs(w.sender), client.CanActAs(w.receiver))
	}
	if err := admin.CreateUser(ctx, user, wallets[0].sender, rights...); err != nil {
		return fmt.Errorf("create a user of the bench: %w", err)
	}
	r.users = append(r.users, user)
	token := client.Token(r.target.Secret, r.target.Audience, user)
	for _, w := range wallets {
		w.client = r.client.With(token)
		if r.calls != nil {
			w.calls = r.calls.With(token)
		}
	}
	return nil
}

// onboard gives each client its own user with a wallet.
func (r *run) onboard(ctx context.Context, wallets []*wallet) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(setupParallel)
	for i, w := range wallets {
		if w.owner != nil {
			continue
		}
		group.Go(func() (err error) {
			w.owner, err = r.settleIn(ctx, fmt.Sprintf("wallet-%d", i+1))
			return err
		})
	}
	return group.Wait()
}

// provide makes what a number of submissions of a scenario needs.
func (r *run) provide(ctx context.Context, scenario string, wallets []*wallet, submissions int) error {
	if isUploaded(scenario) {
		if err := r.uploadGoods(ctx); err != nil {
			return err
		}
		return r.stock(ctx, wallets, needsGoods(scenario, submissions, len(wallets)))
	}
	return r.fund(ctx, wallets, needsHoldings(scenario, submissions, len(wallets)))
}

// fund adds holdings until each wallet has a number of them.
func (r *run) fund(ctx context.Context, wallets []*wallet, each int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(setupParallel)
	for _, w := range wallets {
		for missing := w.missing(each); missing > 0; missing -= tapsPerSubmission * holdingsPerTap {
			taps := min((missing+holdingsPerTap-1)/holdingsPerTap, tapsPerSubmission)
			group.Go(func() error {
				holdings, err := r.mint(ctx, w, taps)
				w.put(holdings)
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("mint holdings to transfer: %w", err)
	}
	return nil
}

// mint taps coin for the sender of a wallet and splits it into holdings, in two submissions.
func (r *run) mint(ctx context.Context, w *wallet, taps int) ([]string, error) {
	owner := w.sender
	tap := r.submission("fund", owner)
	for range taps {
		tap.Commands = append(tap.Commands, r.coin.Tap(owner, fundAmount))
	}
	minted, err := w.client.SubmitAndWaitForTransaction(ctx, tap)
	if err != nil {
		return nil, err
	}
	split := r.submission("fund", owner)
	for _, created := range minted.Created(client.AmuletEntity) {
		outputs := make([]client.Output, holdingsPerTap)
		for i := range outputs {
			outputs[i] = client.Output{Receiver: owner, Amount: holdingAmount}
		}
		split.Commands = append(split.Commands, r.coin.Transfer(owner, []string{created.ContractID}, outputs...))
	}
	transaction, err := w.client.SubmitAndWaitForTransaction(ctx, split)
	if err != nil {
		return nil, err
	}
	var holdings []string
	for _, created := range transaction.Created(client.AmuletEntity) {
		holdings = append(holdings, created.ContractID)
	}
	if want := taps * holdingsPerTap; len(holdings) != want {
		return nil, fmt.Errorf("split of %d taps made %d holdings, expected %d", taps, len(holdings), want)
	}
	return holdings, nil
}
