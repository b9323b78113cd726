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

// Watcher waits until the record grows.
type Watcher interface {
	WaitAfter(ctx context.Context, offset ledger.Offset) (ledger.Offset, error)
}

const (
	// A follower rests restFactor times as long as it worked: it uses at most a tenth of a connection and of a processor.
	restFactor = 9
	// DefaultCloseEvery is the default of [FollowerOptions].CloseEvery.
	DefaultCloseEvery = time.Hour
	// retryAfter is the wait after a database error.
	retryAfter = 5 * time.Second
)

// FollowerOptions configure a [Follower]. CloseEvery and Observe are optional.
type FollowerOptions struct {
	Auditor     *Auditor
	Checkpoints Checkpoints
	Watcher     Watcher
	// Now measures how long the follower works. It need not be the ledger's clock.
	Now func() time.Time
	Log *slog.Logger
	// CloseEvery is the interval of [Auditor.Close], which reads all contracts; 0 means DefaultCloseEvery.
	CloseEvery time.Duration
	// Observe gets the state after each step, and the end of the record; may be nil.
	Observe func(state State, end ledger.Offset)
}

// Follower audits the record as it grows. Many processes may follow one record: the loser of a race continues from the
// checkpoint of the winner, and adds the findings of its own Close.
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

// Run audits until ctx ends. It logs database errors and tries again. It logs each finding once, as an error, and
// continues.
func (f *Follower) Run(ctx context.Context) {
	var known *savedCheckpoint
	trouble := wait.Trouble{Log: f.options.Log, What: "audit: cannot read the record; trying again"}
	for ctx.Err() == nil {
		state, err := f.step(ctx, known)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, db.ErrWatcherClosed):
			return
		case err != nil:
			trouble.Note(ctx, err)
			known = nil // another process may have moved the checkpoint
			if wait.For(ctx, retryAfter) != nil {
				return
			}
		default:
			trouble.Note(ctx, nil)
			known = state
		}
	}
}

// step waits for new entries, audits a page and rests. It returns nil if the caller must read the checkpoint again.
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
	var findings []Finding
	if closes {
		report, err := f.options.Auditor.Close(ctx, next)
		if err != nil {
			return nil, err
		}
		next, findings = report.State, report.findingsAfter(next)
	}
	moved, ok, err := store.save(ctx, known.version, next)
	if err == nil && !ok { // another worker saved the page, but may not have closed
		err = store.keepFindings(ctx, findings)
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

// tell logs the new findings.
func (f *Follower) tell(ctx context.Context, before, after State) {
	for _, finding := range after.Findings[len(before.Findings):] {
		f.options.Log.ErrorContext(ctx, "audit: the record breaks a rule",
			"rule", finding.Rule, "ledger_offset", finding.Offset, "contract_id", finding.ContractID,
			"party", finding.Party, "detail", finding.Detail)
	}
	if more := after.FindingCount - before.FindingCount - int64(len(after.Findings)-len(before.Findings)); more > 0 {
		f.options.Log.ErrorContext(ctx, "audit: the record breaks rules in more places than the list has", "findings", more)
	}
}
