//go:build long

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger/decimal"
)

const (
	// tapAmount and transferAmount are the amounts of a tap and of a transfer, in whole coins.
	tapAmount      = 10
	transferAmount = "3.0"
	// retryPause is the pause of clients while a node does not answer.
	retryPause = 100 * time.Millisecond
	// offerLife is longer than any run.
	offerLife = 48 * time.Hour
)

// crashLoad is clients that submit until they are stopped, and store the answers.
type crashLoad struct {
	coin         client.Coin
	account      account
	clients      []*crashClient
	acknowledged atomic.Int64
	// overGRPC are the acknowledged submissions over gRPC.
	overGRPC atomic.Int64
	// think is the pause of a client after each submission.
	think time.Duration

	mu       sync.Mutex
	failures []error
	// forgiven counts the calls of forgive: failures of requests that began earlier do not count.
	forgiven int

	ctx  context.Context //nolint:containedctx // ends all clients of the load at once
	stop context.CancelFunc
}

// attempt is one submission: a tap, a transfer to the next client's party, an offer, the withdrawal of one, or a contract
// of an uploaded package.
type attempt struct {
	commandID, submissionID string
	isTap                   bool
	// acknowledged attempts must have a completion; others may have one.
	acknowledged bool
	// updateID and refusal are the outcome for a client that waited; "" without an answer.
	updateID, refusal string
}

// crashClient submits one thing after the other.
type crashClient struct {
	load     *crashLoad
	target   *target
	number   int
	party    string
	receiver string
	// signer holds the party's key outside the node; nil for a party of the node.
	signer *signer
	// callsGRPC is true for a client that submits over gRPC.
	callsGRPC bool
	random    *rand.Rand
	holdings  []string // not spent, as far as the client knows
	spent     []string
	offers    []string // known to the client, withdrawn or not
	goods     []string // of an uploaded package, known to the client, moved or not
	attempts  []*attempt
	// surprise is an unexpected answer.
	surprise error
}

// target is the current address of a node, which changes with a restart.
type target struct{ atomic.Pointer[endpoint] }

func newTarget(e endpoint) *target {
	created := &target{}
	created.Store(&e)
	return created
}

// newCrashLoad prepares clients that use the targets in turn.
func newCrashLoad(t *testing.T, dso string, seed uint64, targets ...*target) *crashLoad {
	t.Helper()
	e := *targets[0].Load()
	coin, err := e.admin().FindCoin(t.Context(), dso)
	require.NoError(t, err)
	uploadGoods(t, e)
	hints := make([]string, crashClients)
	for i := range hints {
		hints[i] = fmt.Sprintf("client-%d", i)
	}
	l := &crashLoad{coin: coin, account: newAccount(t, e, dso, "crash", hints...)}
	l.ctx, l.stop = context.WithCancel(t.Context())
	for i, party := range l.account.parties {
		l.clients = append(l.clients, &crashClient{
			load: l, target: targets[i%len(targets)], number: i, party: party, receiver: l.account.parties[(i+1)%crashClients],
			callsGRPC: i%3 == 1 && e.calls != nil, random: rand.New(rand.NewPCG(seed, uint64(i)+1)),
		})
	}
	// One more client signs for itself. It cannot pay a party that must sign as well.
	signer := newSigner(t, e, &l.account)
	l.clients = append(l.clients, &crashClient{
		load: l, target: targets[0], number: crashClients, party: signer.party, receiver: signer.party, signer: signer,
		random: rand.New(rand.NewPCG(seed, crashClients+1)),
	})
	return l
}

// start runs the clients; the returned function ends them.
func (l *crashLoad) start() (stop func()) {
	var group sync.WaitGroup
	for _, client := range l.clients {
		group.Go(client.run)
	}
	return sync.OnceFunc(func() { l.stop(); group.Wait() })
}

// awaitProgress waits for more acknowledged submissions.
func (l *crashLoad) awaitProgress(t *testing.T, more int) {
	t.Helper()
	goal := l.acknowledged.Load() + int64(more)
	await(t, "submissions are acknowledged", func() error {
		if now := l.acknowledged.Load(); now < goal {
			return fmt.Errorf("%d of %d", now, goal)
		}
		return nil
	})
}

// run submits until the load is stopped.
func (c *crashClient) run() {
	for sequence := 0; c.load.ctx.Err() == nil && c.surprise == nil; sequence++ {
		first := &attempt{commandID: fmt.Sprintf("command-%d-%d", c.number, sequence)}
		commands := c.next(first)
		for try := first; ; {
			commands.SubmissionID = fmt.Sprintf("%s-try-%d", try.commandID, len(c.attempts))
			try.submissionID = commands.SubmissionID
			c.attempts = append(c.attempts, try)
			c.submit(try, commands)
			_ = wait.For(c.load.ctx, c.load.think)
			if try.acknowledged || c.load.ctx.Err() != nil {
				break
			}
			_ = wait.For(c.load.ctx, retryPause)
			if c.random.IntN(4) == 0 {
				break
			}
			// Its outcome is unknown. A retry of the same command has an effect at most once.
			try = &attempt{commandID: first.commandID, isTap: first.isTap}
		}
	}
}

// next chooses a submission: a tap, a transfer, an offer, its withdrawal, or sometimes a transfer or a withdrawal that
// cannot succeed.
func (c *crashClient) next(try *attempt) client.Commands {
	commands := client.Commands{
		CommandID: try.commandID, ActAs: []string{c.party, c.receiver}, ReadAs: []string{c.load.coin.DSO},
	}
	if c.party == c.receiver {
		commands.ActAs = commands.ActAs[:1]
	}
	const often = 8
	var holding string
	switch last := len(c.holdings) - 1; {
	case c.random.IntN(often) == 0:
		commands.ActAs, commands.Commands = []string{c.party}, []client.Command{c.offering(try.commandID)}
		return commands
	case c.random.IntN(often) == 0:
		commands.ActAs, commands.Commands = []string{c.party}, []client.Command{c.trading()}
		return commands
	case len(c.spent) > 0 && c.random.IntN(often) == 0:
		holding = c.spent[c.random.IntN(len(c.spent))]
	case last >= 0 && c.random.IntN(2) == 0:
		holding = c.holdings[last]
		c.holdings = c.holdings[:last]
		c.spent = append(c.spent, holding)
	default:
		try.isTap = true
		commands.ActAs = []string{c.party}
		commands.Commands = []client.Command{c.load.coin.Tap(c.party, fmt.Sprintf("%d.0", tapAmount))}
		return commands
	}
	commands.Commands = []client.Command{c.load.coin.Transfer(c.party, []string{holding},
		client.Output{Receiver: c.receiver, Amount: transferAmount})}
	return commands
}

// Names of the offer's template.
const (
	offerTemplate = "#splice-wallet:Splice.Wallet.TransferOffer:TransferOffer"
	offerEntity   = "Splice.Wallet.TransferOffer:TransferOffer"
)

// offering creates an offer, or withdraws a known one, which may not be active any more.
func (c *crashClient) offering(id string) client.Command {
	if len(c.offers) > 0 && c.random.IntN(2) == 0 {
		return client.Command{Exercise: &client.Exercise{
			TemplateID: offerTemplate, ContractID: c.offers[c.random.IntN(len(c.offers))],
			Choice: "TransferOffer_Withdraw", ChoiceArgument: map[string]string{"reason": "changed my mind"},
		}}
	}
	return client.Command{Create: &client.Create{
		TemplateID: offerTemplate, CreateArguments: map[string]any{
			"sender": c.party, "receiver": c.load.account.parties[0], "dso": c.load.coin.DSO,
			"amount":      map[string]string{"amount": "1.0", "unit": "AmuletUnit"},
			"description": "never taken", "trackingId": id,
			"expiresAt": time.Now().Add(offerLife).UTC().Format(time.RFC3339),
		},
	}}
}

// trading makes a good, or moves a known one, which may have moved before.
func (c *crashClient) trading() client.Command {
	if len(c.goods) == 0 || c.random.IntN(3) == 0 {
		return makeGood(c.party)
	}
	return moveGood(c.goods[c.random.IntN(len(c.goods))], c.party, c.random.IntN(2) == 0)
}

// submitter submits over HTTP or over gRPC.
type submitter interface {
	Submit(context.Context, client.Commands) error
	SubmitAndWait(context.Context, client.Commands) (client.Outcome, error)
	SubmitAndWaitForTransaction(context.Context, client.Commands) (client.Transaction, error)
}

// api is the API of the client's node, in the encoding of the client.
func (c *crashClient) api() submitter {
	node := c.target.Load()
	if c.callsGRPC {
		return node.calls.With(c.load.account.token())
	}
	return node.as(c.load.account.user)
}

// submit makes one attempt and stores the answer.
func (c *crashClient) submit(try *attempt, commands client.Commands) {
	// The end of the load does not cancel requests in progress: their answers count.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.load.ctx), patience)
	defer cancel()
	api := c.api()
	begun := c.load.forgave()
	var err error
	switch way := c.random.IntN(3); {
	case c.signer != nil:
		err = c.submitSigned(ctx, c.target.Load().as(c.load.account.user), try, commands, way)
	case way == 0:
		err = api.Submit(ctx, commands)
	case way == 1:
		var outcome client.Outcome
		outcome, err = api.SubmitAndWait(ctx, commands)
		try.updateID = outcome.UpdateID
	default:
		var transaction client.Transaction
		transaction, err = api.SubmitAndWaitForTransaction(ctx, commands)
		try.updateID = transaction.UpdateID
		c.keep(transaction)
	}
	try.acknowledged, try.refusal, c.surprise = judge(err)
	if try.acknowledged {
		c.load.acknowledged.Add(1)
		if c.callsGRPC {
			c.load.overGRPC.Add(1)
		}
	}
	c.load.note(begun, err)
}

// forgave is the number of calls of forgive.
func (l *crashLoad) forgave() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.forgiven
}

// note stores the failure of a request: no answer, or an error of the server.
func (l *crashLoad) note(begun int, err error) {
	answered := answer(err)
	if err == nil || answered != nil && answered.Status < 500 && answered.Status != http.StatusTooManyRequests {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if begun == l.forgiven {
		l.failures = append(l.failures, err)
	}
}

// failed are the failures of requests until now.
func (l *crashLoad) failed() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.failures)
}

// judge reports whether an answer promises a completion. Refusals without a completion, and all transport errors,
// promise none.
func judge(err error) (acknowledged bool, refusal string, surprise error) {
	switch code := client.Code(err); {
	case err == nil:
		return true, "", nil
	case errors.Is(err, errPreparing) && (answer(err) == nil || code == "CONTRACT_NOT_FOUND" || answer(err).Status == 503):
		return false, "", nil // nothing was submitted yet
	case slices.Contains([]string{
		"CONTRACT_NOT_FOUND", "DUPLICATE_COMMAND", "LOCAL_VERDICT_INACTIVE_CONTRACTS",
	}, code):
		return true, code, nil
	case slices.Contains([]string{
		"SERVICE_NOT_RUNNING", "SUBMISSION_ALREADY_IN_FLIGHT", "REQUEST_TIME_OUT", "LEDGER_API_INTERNAL_ERROR",
	}, code):
		return false, "", nil
	case answer(err) != nil && answer(err).Status != 503:
		return false, "", fmt.Errorf("%w: %s", err, answer(err).Body)
	default: // no connection, a broken connection, or a timeout
		return false, "", nil
	}
}

// answer is the answer of a node; nil without one.
func answer(err error) *client.Error {
	if answered, ok := errors.AsType[*client.Error](err); ok {
		return answered
	}
	return nil
}

// keep stores the new holdings of the client's party that suffice for a transfer, and the new offers.
func (c *crashClient) keep(transaction client.Transaction) {
	for _, created := range transaction.Created(offerEntity) {
		c.offers = append(c.offers, created.ContractID)
	}
	goods, err := goodsIn(transaction)
	if err != nil {
		c.surprise = err
	}
	for _, good := range goods {
		c.goods = append(c.goods, good.ID)
	}
	for _, created := range transaction.Created(client.AmuletEntity) {
		holding, err := readHolding(created)
		if err != nil {
			c.surprise = err
		}
		if holding.Owner == c.party && holding.Amount.InitialAmount.Cmp(decimal.MustParse(transferAmount)) >= 0 {
			c.holdings = append(c.holdings, created.ContractID)
		}
	}
}
