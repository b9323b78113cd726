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

// Load reads the state of the followers; false before they begin.
func Load(ctx context.Context, checkpoints Checkpoints) (State, bool, error) {
	stored, ok, err := checkpoints.AuditCheckpoint(ctx)
	if err != nil || !ok {
		return State{}, false, err
	}
	state, err := fromDB(stored)
	return state, err == nil, err
}

// Supply reports the coin supply from the last state of the followers.
type Supply struct{ Checkpoints Checkpoints }

// TotalSupply returns the held coin and its record time; false before the first audited update.
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
	state   State
	version int64 // 0: no checkpoint
	// holds reports whether the record must match the state.
	holds bool
	// findings say that somebody changed the checkpoint.
	findings []Finding
}

// loadCheckpoint reads the checkpoint. It must exist after a prune: only the checkpoint has the sums of pruned entries.
func (a *Auditor) loadCheckpoint(ctx context.Context) (k savedCheckpoint, err error) {
	head, err := a.record.Head(ctx) // read before the checkpoint, which is never behind the pruned offset
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
		k.findings = append(k.findings, chainFinding(head.Pruned, "the checkpoint of the audit is missing: somebody deleted "+
			"it. Only the checkpoint has the sums of the pruned entries"))
	case !ok:
	case beyond:
		k.findings = append(k.findings, chainFinding(head.Offset, "the checkpoint of the audit is at offset %d, after the "+
			"end of the record: somebody moved the head back", stored.Offset))
	case stored.Offset < head.Pruned:
		k.findings = append(k.findings, chainFinding(head.Pruned,
			"the checkpoint of the audit is at offset %d, but the prune up to here had a later one: somebody put an older "+
				"checkpoint in its place", stored.Offset))
	default:
		k.state, err = fromDB(stored)
		k.holds = true
	}
	return k, err
}

// beyondEnd reports whether the record ends before an offset. The caller has read the offset before the head.
func (a *Auditor) beyondEnd(ctx context.Context, offset ledger.Offset) (bool, error) {
	head, err := a.record.Head(ctx)
	return offset > head.Offset, err
}

// compare audits a pruned record up to the checkpoint of the continuous audit. Both must have the same coin and
// contracts. It returns the state from which the audit up to upTo (0: the end) continues, and the offset after which
// everything is proved.
func (a *Auditor) compare(
	ctx context.Context, state State, upTo ledger.Offset,
) (_ State, since ledger.Offset, err error) {
	saved, err := a.loadCheckpoint(ctx)
	if err != nil {
		return state, 0, err
	}
	state.report(saved.findings...)
	if !saved.holds || state.Start == 0 {
		return state, state.Start, nil
	}
	current := state
	for current.Offset < saved.state.Offset {
		if current, err = a.Advance(ctx, current, saved.state.Offset); err != nil {
			return state, 0, err
		}
		a.progress(current.Offset, saved.state.Offset)
	}
	known := saved.state
	var differences []Finding
	if !current.Held.Equal(known.Held) {
		differences = append(differences, Finding{Rule: Held, Offset: current.Offset, Detail: fmt.Sprintf(
			"the record gives %s of held coin, but the checkpoint of the audit says %s",
			current.Held, known.Held)})
	}
	if current.Active != known.Active {
		differences = append(differences, Finding{
			Rule: Active, Offset: current.Offset, Detail: differ(current.Active.Count, known.Active.Count),
		})
	}
	if upTo == 0 || upTo >= current.Offset {
		state = current
		state.Packages = known.Packages // those of current are unproved: Begin read them from the table
	}
	state.report(differences...)
	return state, known.Start, nil
}

// checkpointStore reads and writes the checkpoint of the continuous audit.
type checkpointStore struct {
	auditor     *Auditor
	checkpoints Checkpoints
}

// load reads the checkpoint. Without a valid one, it begins anew and keeps the findings.
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
	begin.report(known.findings...)
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
		return errors.New("the findings stay, because the record still breaks a rule: repair it and audit again")
	}
	for {
		known, err := a.loadCheckpoint(ctx)
		if err != nil {
			return err
		}
		if more := known.state.FindingCount - clean.findingsBefore; more > 0 {
			return fmt.Errorf("the findings stay, because the workers found %d more since this audit began: audit again", more)
		}
		state := clean.State
		if state.Start > 0 && known.holds { // the checkpoint has the sums of pruned entries
			state = known.state
			state.Findings, state.FindingCount = nil, 0
			if state.Offset == clean.Offset {
				state.Hash = clean.Hash // the last entry may be the repaired one
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
