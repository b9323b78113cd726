package audit

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
)

// Watcher tells when the record has grown.
type Watcher interface {
	WaitAfter(ctx context.Context, offset ledger.Offset) (ledger.Offset, error)
}

const (
	// A follower rests restFactor times as long as it worked: it uses at most a tenth of a connection and of a processor.
	restFactor = 9
	// DefaultCloseEvery is how often the holdings are added up.
	DefaultCloseEvery = time.Hour
	// retryAfter is how long a follower waits when the database fails.
	retryAfter = 5 * time.Second
)

// FollowerOptions are the parts of a [Follower]. All are required but CloseEvery and Observe.
type FollowerOptions struct {
	Auditor     *Auditor
	Checkpoints Checkpoints
	Watcher     Watcher
	// Now measures how long the follower works. It need not be the ledger's clock.
	Now func() time.Time
	Log *slog.Logger
	// CloseEvery is how often the holdings are added up, which reads all of them; 0 means DefaultCloseEvery.
	CloseEvery time.Duration
	// Observe is told of each step, with the end of the record; nil tells nobody.
	Observe func(state State, end ledger.Offset)
}

// Follower audits the record as it grows. Any number of processes may follow one record: the loser of a race takes over
// the checkpoint of the winner, and adds its own findings of the sums.
type Follower struct {
	options FollowerOptions
	closed  time.Time
}

// NewFollower makes a follower.
func NewFollower(options FollowerOptions) (*Follower, error) {
	if options.Auditor == nil || options.Checkpoints == nil || options.Watcher == nil || options.Now == nil ||
		options.Log == nil {
		return nil, errors.New("a follower needs an auditor, checkpoints, a watcher, a clock and a log")
	}
	if options.CloseEvery == 0 {
		options.CloseEvery = DefaultCloseEvery
	}
	if options.Observe == nil {
		options.Observe = func(State, ledger.Offset) {}
	}
	return &Follower{options: options}, nil
}

// Run follows until ctx ends. It logs a database error and tries again; it logs a finding once, as an error, and
// continues after it.
func (f *Follower) Run(ctx context.Context) {
	var known *savedCheckpoint
	trouble := wait.Trouble{Log: f.options.Log, What: "the audit cannot go on, and will try again"}
	for ctx.Err() == nil {
		state, err := f.step(ctx, known)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, db.ErrWatcherClosed):
			return
		case err != nil:
			trouble.Note(ctx, err)
			known = nil // somebody else may have moved it
			if wait.For(ctx, retryAfter) != nil {
				return
			}
		default:
			trouble.Note(ctx, nil)
			known = state
		}
	}
}

// step waits for something to audit, audits a page of it, and rests. Nil means that the checkpoint must be read again.
func (f *Follower) step(ctx context.Context, known *savedCheckpoint) (*savedCheckpoint, error) {
	store := checkpointStore{f.options.Auditor, f.options.Checkpoints}
	if known == nil {
		loaded, err := store.load(ctx)
		if err != nil {
			return nil, err
		}
		known = &loaded
		f.tell(ctx, State{}, loaded.state)
	}
	f.options.Observe(known.state, known.state.Offset)
	end, err := f.options.Watcher.WaitAfter(ctx, known.state.Offset)
	if err != nil {
		return nil, err
	}
	started := f.options.Now()
	next, err := f.options.Auditor.Advance(ctx, known.state, end)
	if err != nil {
		return nil, err
	}
	closes := next.Offset == end && started.Sub(f.closed) >= f.options.CloseEvery
	var found []Finding
	if closes {
		report, err := f.options.Auditor.Close(ctx, next)
		if err != nil {
			return nil, err
		}
		next, found = report.State, report.foundSince(next)
	}
	moved, ok, err := store.save(ctx, known.version, next)
	if err == nil && !ok { // another worker audits the page, but does not add up
		err = store.keepFindings(ctx, found)
	}
	if err != nil {
		return nil, err
	}
	if closes {
		f.closed = started
	}
	if !ok {
		return nil, wait.For(ctx, retryAfter)
	}
	f.tell(ctx, known.state, next)
	f.options.Observe(next, end)
	return &moved, wait.For(ctx, restFactor*f.options.Now().Sub(started))
}

// tell logs the findings that are new.
func (f *Follower) tell(ctx context.Context, before, after State) {
	for _, finding := range after.Findings[len(before.Findings):] {
		f.options.Log.ErrorContext(ctx, "the audit failed: the record breaks a rule",
			"rule", finding.Rule, "ledger_offset", finding.Offset, "contract_id", finding.ContractID,
			"party", finding.Party, "detail", finding.Detail)
	}
	if unsaid := after.FindingCount - before.FindingCount - int64(len(after.Findings)-len(before.Findings)); unsaid > 0 {
		f.options.Log.ErrorContext(ctx, "the audit failed in more places than the list shows", "findings", unsaid)
	}
}
