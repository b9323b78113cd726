package adversary

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/internal/wait"
)

// Options are the options of a run.
type Options struct {
	Seed  uint64
	Steps int
	// Lasting ends a run early, at the end of a group; 0 is no limit.
	Lasting time.Duration
	// Group is the number of steps during one cycle of the bystanders.
	Group int
	// Only names the plays of the run; empty for all. Without names plays to leave out.
	Only, Without []string
	// From and To are the first and the last step; 0 for all.
	From, To int
	// Progress gets lines for people.
	Progress func(string)
}

func (o Options) plays(name string) bool {
	return (len(o.Only) == 0 || slices.Contains(o.Only, name)) && !slices.Contains(o.Without, name)
}

// Report is the result of a run.
type Report struct {
	// Findings are the violations; a run ends with the first group that has one.
	Findings []Finding
	// The numbers of steps, of cycles, of requests of the adversary, and of compared facts.
	Steps, Cycles, Requests, Facts int
	// Committed is the number of offsets of the attacked node.
	Committed int64
	// Slowest are the longest operations of the bystanders, beside the adversary and without it.
	Slowest [2]time.Duration
	// Memory is the bytes of memory of both nodes.
	Memory   [2]float64
	Coverage Coverage
	Took     time.Duration
}

// String summarizes the run.
func (r Report) String() string {
	return fmt.Sprintf("%d steps and %d cycles in %s: %d requests, %d facts compared, %d offsets; the bystanders waited "+
		"%s at most, %s without the adversary; %d MB of memory, %d MB without it; %d findings", r.Steps, r.Cycles,
		r.Took.Round(time.Second), r.Requests, r.Facts, r.Committed, r.Slowest[0].Round(time.Millisecond),
		r.Slowest[1].Round(time.Millisecond), int(r.Memory[0]/1e6), int(r.Memory[1]/1e6), len(r.Findings))
}

type run struct {
	options         Options
	attacked, quiet *side
	attacker        *attacker
	report          *Report
	now             time.Time
}

// tick is the step of the ledger's clock in a cycle: half a round.
const tick = 5 * time.Minute

// Run attacks the first node, and compares it with the second. Both must be fresh.
func Run(ctx context.Context, attacked, quiet Target, options Options) (report *Report, err error) {
	began := time.Now()
	issuer, err := newProvider(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = issuer.close() }()
	marks := marks{options.Seed}
	r := &run{
		options: options, attacked: newSide(attacked, marks, issuer), quiet: newSide(quiet, marks, issuer),
		report: &Report{}, now: began.UTC().Truncate(time.Hour).Add(6 * time.Hour),
	}
	defer r.attacked.close()
	defer r.quiet.close()
	if err := r.both(func(s *side) error { return s.setUp(ctx, r.now) }); err != nil {
		return nil, fmt.Errorf("set the bystanders up: %w", err)
	}
	covered := newCoverage()
	if r.attacker, err = newAttacker(ctx, options.Seed, r.attacked, covered); err != nil {
		return nil, err
	}
	err = r.groups(ctx, began)
	r.report.Coverage = covered.report(r.attacker)
	r.report.Took = time.Since(began)
	r.report.Requests = r.attacker.count
	return r.report, err
}

// both calls do on both sides at the same time.
func (r *run) both(do func(*side) error) error {
	var group errgroup.Group
	for _, s := range []*side{r.attacked, r.quiet} {
		group.Go(func() error { return do(s) })
	}
	return group.Wait()
}

// groups makes the steps in groups, until the last step or a finding.
func (r *run) groups(ctx context.Context, began time.Time) error {
	steps := schedule(r.options)
	if r.options.To > 0 {
		steps = steps[:min(r.options.To, len(steps))]
	}
	steps = steps[min(max(r.options.From-1, 0), len(steps)):]
	for cycle := 1; ; cycle++ {
		made := steps[:min(r.options.Group, len(steps))]
		steps = steps[len(made):]
		if err := r.group(ctx, cycle, made); err != nil {
			return err
		}
		over := r.options.Lasting > 0 && time.Since(began) > r.options.Lasting
		if len(steps) == 0 || over || len(r.report.Findings) > 0 {
			break
		}
	}
	if len(r.report.Findings) == 0 {
		return r.rest(ctx)
	}
	return nil
}

// group lets the adversary make steps during a cycle of the bystanders, and compares.
func (r *run) group(ctx context.Context, cycle int, steps []step) error {
	a := r.attacker
	a.sent, a.findings = nil, nil
	if err := a.inform(ctx, cycle, r.now); err != nil {
		return fmt.Errorf("inform the adversary: %w", err)
	}
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error {
		for _, s := range steps {
			if err := a.take(inner, s); err != nil {
				return err
			}
		}
		return a.settle(inner)
	})
	for _, s := range []*side{r.attacked, r.quiet} {
		group.Go(func() error { return s.cycle(inner, cycle, r.now) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	r.now = r.now.Add(tick)
	if err := r.attacked.findIntruders(ctx); err != nil {
		return err
	}
	err := r.both(func(s *side) error {
		if err := s.note(ctx, "the clock advances", func(ctx context.Context) (string, error) {
			return "advanced", s.advance(ctx, r.now)
		}); err != nil {
			return err
		}
		s.worked = len(s.facts)
		return s.observe(ctx)
	})
	if err != nil {
		return err
	}
	if err := r.observeUntilSame(ctx); err != nil {
		return err
	}
	r.report.Steps, r.report.Cycles = r.report.Steps+len(steps), cycle
	return r.judge(ctx, cycle, steps)
}

// observeUntilSame observes again while the sides differ: a busy node may be late, but not for long.
func (r *run) observeUntilSame(ctx context.Context) error {
	deadline := time.Now().Add(patience)
	for !r.seenSame() && time.Now().Before(deadline) {
		if err := wait.For(ctx, pause); err != nil {
			return err
		}
		if err := r.both(func(s *side) error {
			s.facts = s.facts[:s.worked]
			return s.observe(ctx)
		}); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) seenSame() bool {
	return slices.EqualFunc(r.attacked.facts[r.attacked.worked:], r.quiet.facts[r.quiet.worked:], func(a, b fact) bool {
		return a.value == b.value
	})
}
