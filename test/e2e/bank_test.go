//go:build long

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/test/torture"
)

const (
	bankParties = 4
	// bankClients race for the same coins.
	bankClients = 6
	// defaultOperations is the number of submissions; operationsVariable changes it.
	defaultOperations  = 400
	operationsVariable = "FLORIN_TEST_OPERATIONS"
	// bankOffer is the lifetime of an offer: receivers accept some of them in time.
	bankOffer = 3 * time.Second
)

// bank is a run of the bank test: two nodes on one database, racing clients, and readers.
type bank struct {
	t       *testing.T
	pair    *pair
	account account
	nodes   []*client.Client
	began   time.Time
	factory factory

	mu      sync.Mutex
	history torture.History
	// coins and offers are the latest ones, spent or not, so that clients use the same ones.
	coins  []torture.Contract
	goods  []torture.Contract // of an uploaded package
	offers []bankTransfer
	failed error
}

// bankTransfer is an open transfer of the token standard.
type bankTransfer struct {
	id, locked, sender, receiver string
	deadline                     time.Time
}

type intent struct {
	operation torture.Operation
	actAs     []string
	command   client.Command
}

// TestCoin_SurvivesRacesForTheSameHoldings lets clients of two nodes on one database spend, lock, accept and withdraw
// the same few coins at once, and move the same few contracts of an uploaded package, while the node's own workflows
// expire offers, and checks the whole history.
func TestCoin_SurvivesRacesForTheSameHoldings(t *testing.T) {
	t.Parallel()
	seed, _ := newRandom(t)
	operations := intVariable(operationsVariable, defaultOperations)
	b := newBank(t)
	stopped := make(chan struct{})
	stop := sync.OnceFunc(func() { close(stopped) })
	defer stop()
	var clients, readers sync.WaitGroup
	for i := range bankClients {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		clients.Go(func() { b.work(i, operations/bankClients, random) })
	}
	for i, node := range b.nodes {
		readers.Go(func() { b.read(stopped, fmt.Sprintf("reader of node %d", i), node) })
		readers.Go(func() { b.follow(stopped, fmt.Sprintf("follower of node %d", i), node) })
	}
	clients.Wait()
	stop()
	readers.Wait()
	require.NoError(t, b.failed)
	b.record()
	b.log()
	require.Empty(t, torture.Check(b.history))
}

func newBank(t *testing.T) *bank {
	t.Helper()
	p := newPair(t, "--list-limit", "1000000", "--request-timeout", "1m")
	hints := make([]string, bankParties)
	for i := range hints {
		hints[i] = fmt.Sprintf("holder-%d", i)
	}
	b := &bank{t: t, pair: p, account: newAccount(t, p.first.endpoint, p.dso, "bank", hints...), began: time.Now()}
	for _, node := range []endpoint{p.first.endpoint, p.second.endpoint} {
		b.nodes = append(b.nodes, node.as(b.account.user))
	}
	uploadGoods(t, p.first.endpoint)
	b.factory = newFactory(t, p.first.endpoint, b.account, p.dso)
	return b
}

// since is the time on the clock of all clients.
func (b *bank) since() time.Duration { return time.Since(b.began) }

// fail keeps the first unexpected error.
func (b *bank) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed == nil {
		b.failed = err
	}
}

func (b *bank) isFailed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed != nil
}

// work makes submissions at random nodes, one after the other.
func (b *bank) work(client, operations int, random *rand.Rand) {
	var last *intent
	for i := 0; i < operations && !b.isFailed(); i++ {
		next := b.choose(random)
		next.operation.CommandID = fmt.Sprintf("client-%d-%d", client, i)
		if last != nil && random.IntN(15) == 0 {
			next = *last // the same command again
		}
		next.operation.SubmissionID = fmt.Sprintf("client-%d-try-%d", client, i)
		b.submit(b.nodes[random.IntN(len(b.nodes))], next)
		last = &next
	}
}

// choose chooses the next submission. All clients choose from the same few contracts, active or not.
func (b *bank) choose(random *rand.Rand) intent {
	b.mu.Lock()
	defer b.mu.Unlock()
	parties := b.account.parties
	one, other := parties[random.IntN(bankParties)], parties[random.IntN(bankParties)]
	const recent = 8
	coins, offers := tail(b.coins, recent), tail(b.offers, recent)
	if random.IntN(3) == 0 {
		return b.chooseGood(random, other)
	}
	switch what := random.IntN(10); {
	case what < 2 || len(coins) == 0:
		return intent{actAs: []string{one}, command: b.pair.coin.Tap(one, "10.0")}
	case what < 5:
		coin := coins[random.IntN(len(coins))]
		return intent{
			operation: torture.Operation{Inputs: []string{coin.ID}}, actAs: distinct(coin.Owner, other),
			command: b.pair.coin.Transfer(coin.Owner, []string{coin.ID},
				client.Output{Receiver: other, Amount: half(coin.Amount)}),
		}
	case what < 7 || len(offers) == 0:
		coin := coins[random.IntN(len(coins))]
		if other == coin.Owner {
			other = parties[(slices.Index(parties, other)+1)%bankParties]
		}
		deadline := time.Now().Add(time.Duration(random.Int64N(int64(bankOffer)))).Truncate(time.Microsecond)
		return intent{
			operation: torture.Operation{Inputs: []string{coin.ID}, NotAfter: deadline}, actAs: []string{coin.Owner},
			command: b.factory.offer(coin, other, half(coin.Amount), deadline),
		}
	default:
		return b.factory.answer(offers[random.IntN(len(offers))], random.IntN(4))
	}
}

// chooseGood makes a good, or moves a recent one.
func (b *bank) chooseGood(random *rand.Rand, to string) intent {
	const recent = 4
	goods := tail(b.goods, recent)
	if len(goods) < recent || random.IntN(5) == 0 {
		issuer := b.account.parties[0]
		return intent{actAs: []string{issuer}, command: makeGood(issuer)}
	}
	good := goods[random.IntN(len(goods))]
	return intent{
		operation: torture.Operation{Inputs: []string{good.ID}}, actAs: []string{good.Owner},
		command: moveGood(good.ID, to, random.IntN(2) == 0),
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func tail[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }

func distinct(a, b string) []string { return slices.Compact([]string{a, b}) }

// half is half of an amount, rounded.
func half(amount decimal.Decimal) string {
	result, err := amount.Div(decimal.FromInt(2))
	if err != nil {
		return amount.String()
	}
	return result.String()
}

// submit makes a submission and stores its outcome.
func (b *bank) submit(node *client.Client, what intent) {
	commands := client.Commands{
		CommandID: what.operation.CommandID, SubmissionID: what.operation.SubmissionID, ActAs: what.actAs,
		ReadAs: []string{b.pair.dso}, Commands: []client.Command{what.command},
	}
	operation := what.operation
	operation.Started = b.since()
	outcome, err := node.SubmitAndWaitForTransaction(context.WithoutCancel(b.t.Context()), commands)
	operation.Ended = b.since()
	code := client.Code(err)
	switch {
	case err == nil:
		operation.Outcome, operation.Offset, operation.UpdateID = torture.Accepted, outcome.Offset, outcome.UpdateID
	case code == "SUBMISSION_ALREADY_IN_FLIGHT": // only the node refused it; the record has no completion
	case code == "":
		b.fail(err)
	default:
		operation.Outcome, operation.Code = torture.Refused, code
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.history.Operations = append(b.history.Operations, operation)
	if err == nil {
		b.learn(outcome)
	}
}

// learn stores the coins and offers that a transaction created.
func (b *bank) learn(transaction client.Transaction) {
	coins, transfers, err := contractsIn(transaction)
	goods, other := goodsIn(transaction)
	if err = errors.Join(err, other); err != nil && b.failed == nil {
		b.failed = err
	}
	b.goods = append(b.goods, goods...)
	for _, coin := range coins {
		if !coin.locked {
			b.coins = append(b.coins, coin.Contract)
		}
	}
	b.offers = append(b.offers, transfers...)
}

// read reads all coins repeatedly until stopped.
func (b *bank) read(stopped <-chan struct{}, name string, node *client.Client) {
	for !isClosed(stopped) && !b.isFailed() {
		read := torture.Read{Reader: name, Started: b.since(), Active: map[string]torture.Contract{}}
		var err error
		if read.Offset, err = node.LedgerEnd(b.t.Context()); err == nil {
			var found []client.CreatedEvent
			found, err = node.ActiveContracts(b.t.Context(), read.Offset, b.pair.dso, client.AmuletTemplate,
				lockedTemplate)
			for _, created := range found {
				coin, wrong := readCoin(created)
				if wrong != nil {
					err = wrong
				}
				read.Active[created.ContractID] = coin.Contract
			}
		}
		if err != nil {
			b.fail(err)
			return
		}
		read.Ended = b.since()
		b.mu.Lock()
		b.history.Reads = append(b.history.Reads, read)
		b.mu.Unlock()
	}
}

// follow reads the updates page by page, and once more at the end.
func (b *bank) follow(stopped <-chan struct{}, name string, node *client.Client) {
	followed := torture.Follow{Reader: name}
	for last := false; !last && !b.isFailed(); {
		last = isClosed(stopped)
		end, err := node.LedgerEnd(b.t.Context())
		if err == nil && end > followed.End {
			var updates []client.Transaction
			updates, err = updatesBetween(b.t.Context(), node, followed.End, end, b.witnesses()...)
			for _, update := range updates {
				followed.Offsets = append(followed.Offsets, update.Offset)
			}
			followed.End = end
		}
		if err != nil {
			b.fail(err)
			return
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.history.Follows = append(b.history.Follows, followed)
}

func (b *bank) witnesses() []string { return append(slices.Clone(b.account.parties), b.pair.dso) }
