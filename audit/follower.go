package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wait"
)

// Checkpoints are where a follower keeps how far it has come.
type Checkpoints interface {
	AuditCheckpoint(ctx context.Context) (db.AuditCheckpoint, bool, error)
	InsertAuditCheckpoint(ctx context.Context, checkpoint db.AuditCheckpoint) (bool, error)
	MoveAuditCheckpoint(ctx context.Context, from ledger.Offset, to db.AuditCheckpoint) (bool, error)
}

// Watcher tells when the record has grown.
type Watcher interface {
	WaitAfter(ctx context.Context, offset ledger.Offset) (ledger.Offset, error)
}

const (
	// restFactor is how many times as long as it worked a follower rests: it takes a tenth of a connection and of a
	// processor at most.
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

// Follower audits the record as it grows. Any number of processes may follow one record: who loses a race takes over
// what the other found.
type Follower struct {
	options FollowerOptions
	closed  time.Time
}

// NewFollower makes a follower.
func NewFollower(options FollowerOptions) (*Follower, error) {
	if options.Auditor == nil || options.Checkpoints == nil || options.Watcher == nil || options.Now == nil ||
		options.Log == nil {
		return nil, errors.New("following the record needs an auditor, checkpoints, a watcher, a clock and a log")
	}
	if options.CloseEvery == 0 {
		options.CloseEvery = DefaultCloseEvery
	}
	if options.Observe == nil {
		options.Observe = func(State, ledger.Offset) {}
	}
	return &Follower{options: options}, nil
}

// Run follows until ctx ends. A failing database is logged and asked again; a finding is logged once, as an error, and
// the audit goes on behind it.
func (f *Follower) Run(ctx context.Context) {
	var known *State
	for ctx.Err() == nil {
		state, err := f.step(ctx, known)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, db.ErrWatcherClosed):
			return
		case err != nil:
			f.options.Log.WarnContext(ctx, "the audit cannot go on, and will try again", "error", err)
			known = nil // somebody else may have moved it
			if wait.For(ctx, retryAfter) != nil {
				return
			}
		default:
			known = state
		}
	}
}

// step waits for something to audit, audits a page of it, and rests. Nil for the state means that the checkpoint must
// be read again.
func (f *Follower) step(ctx context.Context, known *State) (*State, error) {
	if known == nil {
		loaded, err := f.load(ctx)
		if err != nil {
			return nil, err
		}
		known = &loaded
		f.tell(ctx, State{}, loaded)
	}
	f.options.Observe(*known, known.Offset)
	end, err := f.options.Watcher.WaitAfter(ctx, known.Offset)
	if err != nil {
		return nil, err
	}
	started := f.options.Now()
	next, err := f.options.Auditor.Advance(ctx, *known, end)
	if err != nil {
		return nil, err
	}
	if next.Offset == end && started.Sub(f.closed) >= f.options.CloseEvery {
		report, err := f.options.Auditor.Close(ctx, next)
		if err != nil {
			return nil, err
		}
		next, f.closed = report.State, started
	}
	moved, err := f.save(ctx, known.Offset, next)
	if err != nil {
		return nil, err
	}
	if !moved {
		return nil, wait.For(ctx, retryAfter)
	}
	f.tell(ctx, *known, next)
	f.options.Observe(next, end)
	return &next, wait.For(ctx, restFactor*f.options.Now().Sub(started))
}

// load reads the checkpoint, or begins. A record that was pruned beyond the checkpoint is taken up where it begins now;
// what was found before stays.
func (f *Follower) load(ctx context.Context) (State, error) {
	state, ok, err := Load(ctx, f.options.Checkpoints)
	if err != nil {
		return State{}, err
	}
	pruned, err := f.options.Auditor.pruned(ctx)
	if err != nil || ok && state.Offset >= pruned {
		return state, err
	}
	begin, err := f.options.Auditor.Begin(ctx)
	if err != nil {
		return State{}, err
	}
	if !ok {
		return begin, f.insert(ctx, begin)
	}
	f.options.Log.WarnContext(ctx, "the record was pruned before it was audited",
		"ledger_offset", state.Offset, "pruned_offset", begin.Start)
	begin.Findings, begin.FindingCount = state.Findings, state.FindingCount
	_, err = f.save(ctx, state.Offset, begin)
	return begin, err
}

// Load reads the state that followers have reached; false before they begin.
func Load(ctx context.Context, checkpoints Checkpoints) (State, bool, error) {
	stored, ok, err := checkpoints.AuditCheckpoint(ctx)
	if err != nil || !ok {
		return State{}, false, err
	}
	var state State
	if err := json.Unmarshal(stored.State, &state); err != nil {
		return State{}, false, fmt.Errorf("read the checkpoint of the audit: %w; delete it to audit the whole record again",
			err)
	}
	return state, true, nil
}

// Supply tells how much coin there is, as the followers of a record last counted it.
type Supply struct{ Checkpoints Checkpoints }

// TotalSupply is the coin that was held, and when that was; false before anything was audited.
func (s Supply) TotalSupply(ctx context.Context) (amount decimal.Decimal, asOf time.Time, ok bool, err error) {
	state, ok, err := Load(ctx, s.Checkpoints)
	return state.Held, state.RecordTime, ok && !state.RecordTime.IsZero(), err
}

func (f *Follower) insert(ctx context.Context, state State) error {
	text, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("write the checkpoint of the audit: %w", err)
	}
	_, err = f.options.Checkpoints.InsertAuditCheckpoint(ctx, db.AuditCheckpoint{Offset: state.Offset, State: text})
	return err
}

func (f *Follower) save(ctx context.Context, from ledger.Offset, state State) (bool, error) {
	text, err := json.Marshal(state)
	if err != nil {
		return false, fmt.Errorf("write the checkpoint of the audit: %w", err)
	}
	return f.options.Checkpoints.MoveAuditCheckpoint(ctx, from, db.AuditCheckpoint{Offset: state.Offset, State: text})
}

// tell logs the findings that are new.
func (f *Follower) tell(ctx context.Context, before, after State) {
	for _, finding := range after.Findings[len(before.Findings):] {
		f.options.Log.ErrorContext(ctx, "the audit failed: the record breaks a rule",
			"rule", finding.Rule, "ledger_offset", finding.Offset, "contract_id", finding.ContractID,
			"party", finding.Party, "detail", finding.Detail)
	}
	if unsaid := after.FindingCount - before.FindingCount - int64(len(after.Findings)-len(before.Findings)); unsaid > 0 {
		f.options.Log.ErrorContext(ctx, "the audit failed in more places than are listed", "findings", unsaid)
	}
}
