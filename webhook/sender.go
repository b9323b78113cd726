package webhook

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger/fault"
)

// Options are the parts of a [Sender]. Record, Ledger, Wallets, Alarm, Now and Log are required.
type Options struct {
	Record  *db.DB
	Ledger  LedgerRenderer
	Wallets WalletRenderer
	// Alarm gives a change of an alarm the shape of the API.
	Alarm func(db.AlarmChange) any
	// AllowPrivate allows receivers on private addresses and over http, for development.
	AllowPrivate bool
	// Lookup resolves names; nil for the machine's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Timeout bounds one attempt; 0 for 15 seconds.
	Timeout time.Duration
	// Now is real time.
	Now func() time.Time
	Log *slog.Logger
	// Count gets the state of each attempt; nil counts nothing.
	Count func(state string)
}

// Sender sends the messages of webhooks. It is safe for concurrent use.
type Sender struct {
	options Options
	client  *http.Client
	// delivering limits the deliveries of one owner at the same time: its slow receivers must not hold up others.
	delivering *turns.Turns
	// byHand holds a place for each message that an owner sends by hand.
	byHand chan struct{}
}

const (
	// Deliveries is how many receivers a process calls at the same time, and ownerDeliveries those of one owner.
	Deliveries      = 16
	ownerDeliveries = Deliveries / 4
	// handPlaces is how many messages owners may send by hand at the same time.
	handPlaces = 4
)

// New makes a sender. The error names the missing options.
func New(options Options) (*Sender, error) {
	if options.Record == nil || options.Ledger == nil || options.Wallets == nil || options.Alarm == nil ||
		options.Now == nil || options.Log == nil {
		return nil, errors.New("webhooks need Record, Ledger, Wallets, Alarm, Now and Log")
	}
	if options.Timeout == 0 {
		options.Timeout = sendTimeout
	}
	return &Sender{
		options: options, client: newClient(newDialer(options.AllowPrivate, options.Lookup)),
		delivering: turns.New(turns.Limits{Each: ownerDeliveries}),
		byHand:     make(chan struct{}, handPlaces),
	}, nil
}

// CheckURL explains what is wrong with a URL on this node; "" for nothing.
func (s *Sender) CheckURL(url string) string { return CheckURL(url, s.options.AllowPrivate) }

// NewTestID makes the id of a message for [Sender.Test].
func NewTestID(hook string) string { return "msg_" + hook + "_test_" + strings.ToLower(rand.Text()) }

// Test sends a message of the type webhook.test now, once, and returns the attempt. If the receiver accepts it, a message
// that waits for its next attempt goes now.
func (s *Sender) Test(ctx context.Context, hook db.Webhook, id string) (db.WebhookAttempt, error) {
	m := message{id: id, kind: Test}
	var err error
	m.body, err = bodyOf(Test, s.options.Now(), map[string]string{"webhook": hook.ID})
	if err != nil {
		return db.WebhookAttempt{}, err
	}
	return s.sendByHand(ctx, hook, m, func(tx *db.Tx, attempt db.WebhookAttempt) error {
		current, found, err := tx.HoldWebhook(ctx, hook.ID)
		if err != nil || !found || current.Tries == 0 || attempt.State != db.AttemptSent {
			return err
		}
		current.RetryAt, current.CallAfter = time.Unix(0, 0), time.Unix(0, 0) // it works again: do not wait
		return tx.StoreWebhook(ctx, current)
	})
}

// Resend sends a dead letter now, once, and returns the attempt. If the receiver accepts it, it is no dead letter any
// more.
func (s *Sender) Resend(ctx context.Context, hook db.Webhook, letter db.DeadLetter) (db.WebhookAttempt, error) {
	m := message{id: letter.MessageID, kind: letter.Kind, body: letter.Body}
	return s.sendByHand(ctx, hook, m, func(tx *db.Tx, attempt db.WebhookAttempt) error {
		if attempt.State != db.AttemptSent {
			return nil
		}
		return tx.DropDeadLetter(ctx, hook.ID, letter.MessageID)
	})
}

// accountOf is the owner of a webhook, as limits count it.
func accountOf(hook db.Webhook) turns.Account {
	return turns.Account{Name: hook.Owner.IdentityProviderID + "/" + hook.Owner.UserID}
}

func (s *Sender) sendByHand(
	ctx context.Context, hook db.Webhook, m message, after func(*db.Tx, db.WebhookAttempt) error,
) (db.WebhookAttempt, error) {
	select {
	case s.byHand <- struct{}{}:
		defer func() { <-s.byHand }()
	default:
		return db.WebhookAttempt{}, fault.ServerOverloaded.New("%d messages are sent by hand already", handPlaces)
	}
	attempt := s.newAttempt(m)
	err := s.options.Record.InTx(ctx, func(tx *db.Tx) (err error) {
		attempt.Number, err = tx.BeginAttempt(ctx, hook.ID, attempt)
		return err
	})
	if err != nil {
		return attempt, err
	}
	s.post(ctx, hook, m, &attempt)
	s.count(attempt.State)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout) // what was sent is noted
	defer cancel()
	return attempt, s.options.Record.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.EndAttempt(ctx, hook.ID, attempt); err != nil {
			return err
		}
		return after(tx, attempt)
	})
}

// newAttempt is an attempt before its request: until its result is stored, nobody knows what became of it.
func (s *Sender) newAttempt(m message) db.WebhookAttempt {
	return db.WebhookAttempt{
		MessageID: m.id, Kind: m.kind, StartedAt: s.options.Now(), State: db.AttemptUnknown,
		Error: "the process ended before it could note the result",
	}
}

func (s *Sender) count(state string) {
	if s.options.Count != nil {
		s.options.Count(state)
	}
}
