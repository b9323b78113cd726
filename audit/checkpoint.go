package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// Checkpoints stores the progress of the continuous audit.
type Checkpoints interface {
	AuditCheckpoint(ctx context.Context) (db.AuditCheckpoint, bool, error)
	MoveAuditCheckpoint(ctx context.Context, from int64, to db.AuditCheckpoint) (bool, error)
}

// Load reads the state that followers have reached; false before they begin.
func Load(ctx context.Context, checkpoints Checkpoints) (State, bool, error) {
	stored, ok, err := checkpoints.AuditCheckpoint(ctx)
	if err != nil || !ok {
		return State{}, false, err
	}
	state, err := fromDB(stored)
	return state, err == nil, err
}

// Supply reports the coin supply as the followers of a record last counted it.
type Supply struct{ Checkpoints Checkpoints }

// TotalSupply is the coin that was held, and when that was; false before anything was audited.
func (s Supply) TotalSupply(ctx context.Context) (amount decimal.Decimal, asOf time.Time, ok bool, err error) {
	state, ok, err := Load(ctx, s.Checkpoints)
	return state.Held, state.RecordTime, ok && !state.RecordTime.IsZero(), err
}

func fromDB(checkpoint db.AuditCheckpoint) (State, error) {
	var state State
	if err := json.Unmarshal(checkpoint.State, &state); err != nil {
		return State{}, fmt.Errorf("read the checkpoint of the audit: %w", err)
	}
	return state, nil
}

type savedCheckpoint struct {
	state State
	// version is that of the checkpoint, 0 where there is none.
	version int64
	// holds reports whether the state is that of the continuous audit: the record must match it.
	holds bool
	// forged are findings that somebody else changed the checkpoint.
	forged []Finding
}

// loadCheckpoint reads the checkpoint. It must exist after a prune: only the checkpoint knows what was pruned.
func (a *Auditor) loadCheckpoint(ctx context.Context) (k savedCheckpoint, err error) {
	head, err := a.record.Head(ctx) // before the checkpoint, which is never behind it
	if err != nil {
		return k, err
	}
	stored, ok, err := a.record.AuditCheckpoint(ctx)
	if err != nil {
		return k, err
	}
	k.version = stored.Version
	beyond, err := a.beyondEnd(ctx, stored.Offset)
	if err != nil {
		return k, err
	}
	switch {
	case !ok && head.Pruned > 0:
		k.forged = append(k.forged, chained(head.Pruned, "the checkpoint of the audit is not there, by which what was pruned "+
			"up to here is known: it was deleted"))
	case !ok:
	case beyond:
		k.forged = append(k.forged, chained(head.Offset, "the checkpoint of the audit is of offset %d, but the record ends "+
			"before: its head was moved back", stored.Offset))
	case stored.Offset < head.Pruned:
		k.forged = append(k.forged, chained(head.Pruned,
			"the checkpoint of the audit is of offset %d, but the record was audited up to here before it was pruned: an "+
				"older one was put in its place", stored.Offset))
	default:
		k.state, err = fromDB(stored)
		k.holds = true
	}
	return k, err
}

// beyondEnd reports whether the record ends before an offset, which was read before.
func (a *Auditor) beyondEnd(ctx context.Context, offset ledger.Offset) (bool, error) {
	head, err := a.record.Head(ctx)
	return offset > head.Offset, err
}

// compare compares what a pruned record still has from before with what the continuous audit knows of it: both must
// lead to the same coin and the same contracts. It returns a state to go on from up to an offset, 0 for the end, and
// the offset after which everything is proved.
func (a *Auditor) compare(
	ctx context.Context, state State, upTo ledger.Offset,
) (_ State, since ledger.Offset, err error) {
	saved, err := a.loadCheckpoint(ctx)
	if err != nil {
		return state, 0, err
	}
	state.report(saved.forged...)
	if !saved.holds || state.Start == 0 {
		return state, state.Start, nil
	}
	walked := state
	for walked.Offset < saved.state.Offset {
		if walked, err = a.Advance(ctx, walked, saved.state.Offset); err != nil {
			return state, 0, err
		}
		a.progress(walked.Offset, saved.state.Offset)
	}
	known := saved.state
	var differences []Finding
	if !walked.Held.Equal(known.Held) {
		differences = append(differences, Finding{Rule: Held, Offset: walked.Offset, Detail: fmt.Sprintf(
			"%s is held by what is there since the record was pruned, but the audit before had counted %s",
			walked.Held, known.Held)})
	}
	if walked.Active != known.Active {
		differences = append(differences, Finding{
			Rule: Active, Offset: walked.Offset, Detail: differ(walked.Active.Count, known.Active.Count),
		})
	}
	if upTo == 0 || upTo >= walked.Offset {
		state = walked
		state.Packages = known.Packages // the one before took them as they are
	}
	state.report(differences...)
	return state, known.Start, nil
}

// checkpointStore reads and writes the checkpoint of the continuous audit.
type checkpointStore struct {
	auditor     *Auditor
	checkpoints Checkpoints
}

// load reads the checkpoint, or begins where there is none to go on from. What was found before stays.
func (s checkpointStore) load(ctx context.Context) (savedCheckpoint, error) {
	known, err := s.auditor.loadCheckpoint(ctx)
	if err != nil || known.holds {
		return known, err
	}
	begin, err := s.auditor.Begin(ctx)
	if err != nil {
		return savedCheckpoint{}, err
	}
	begin.report(known.state.Findings...)
	begin.FindingCount = max(begin.FindingCount, known.state.FindingCount)
	begin.report(known.forged...)
	saved, ok, err := s.save(ctx, known.version, begin)
	if err == nil && !ok {
		return s.load(ctx)
	}
	return saved, err
}

// ForgetFindings removes the findings of the continuous audit after a full audit without findings. Findings since that
// audit began stay: then the caller must audit again.
func (a *Auditor) ForgetFindings(ctx context.Context, checkpoints Checkpoints, clean Report) error {
	if !clean.Clean() {
		return errors.New("the findings stay: the record still breaks a rule")
	}
	for {
		known, err := a.loadCheckpoint(ctx)
		if err != nil {
			return err
		}
		if more := known.state.FindingCount - clean.foundBefore; more > 0 {
			return fmt.Errorf("the findings stay: the workers found %d more since this audit began. Audit again", more)
		}
		state := clean.State
		if state.Start > 0 && known.holds { // it knows what was pruned
			state = known.state
			state.Findings, state.FindingCount = nil, 0
			if state.Offset == clean.Offset {
				state.Hash = clean.Hash // what was put right may have been the last entry
			}
		}
		_, moved, err := checkpointStore{a, checkpoints}.save(ctx, known.version, state)
		if err != nil || moved {
			return err
		}
	}
}

// keepFindings adds findings to the newest checkpoint, because other workers may have moved it.
func (s checkpointStore) keepFindings(ctx context.Context, findings []Finding) error {
	for len(findings) > 0 {
		known, err := s.load(ctx)
		if err != nil {
			return err
		}
		known.state.report(findings...)
		if _, ok, err := s.save(ctx, known.version, known.state); err != nil || ok {
			return err
		}
	}
	return nil
}

func (s checkpointStore) save(ctx context.Context, version int64, state State) (savedCheckpoint, bool, error) {
	text, err := json.Marshal(state)
	if err != nil {
		return savedCheckpoint{}, false, fmt.Errorf("write the checkpoint of the audit: %w", err)
	}
	moved, err := s.checkpoints.MoveAuditCheckpoint(ctx, version, db.AuditCheckpoint{
		Offset: state.Offset, Findings: state.FindingCount, State: text,
	})
	return savedCheckpoint{state: state, version: version + 1, holds: true}, moved, err
}
