package ledger

import (
	"cmp"
	"context"
	"strconv"
	"sync"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Limits of views that code of uploaded packages computes, in one answer. Anybody can name a reader in a contract whose
// view is expensive: so the limit of one view is low, and each view has a minimum that other views cannot use.
const (
	// MaxAnswerSteps is for all views of an answer: at most two seconds of a core.
	MaxAnswerSteps = 4 * MaxCodeSteps
	// MaxViewSteps and MaxViewMemory are for one view.
	MaxViewSteps  = MaxCodeSteps / 20
	MaxViewMemory = 32 << 20
	// minViewSteps and minViewMemory are for a view after others used the whole answer: enough for published packages.
	minViewSteps  = 2_000
	minViewMemory = 4 << 20
	// MaxViewBytes is for the view itself, in bytes of its JSON.
	MaxViewBytes = MaxChoiceBytes
)

// viewBudget is the remaining cost of the views of an answer. It is safe for concurrent use.
type viewBudget struct {
	mu            sync.Mutex
	steps, memory int64
	// strict reports whether later views get nothing, not even the minimum.
	strict bool
}

type viewBudgetKey struct{}

// WithViews is a context for one answer: all its views have one budget. Without it each view has its own.
func WithViews(ctx context.Context) context.Context {
	return context.WithValue(ctx, viewBudgetKey{}, &viewBudget{steps: MaxAnswerSteps, memory: MaxCodeMemory})
}

// WithViewsUpTo is a context for views that together cost at most these steps, and memory in proportion. When left
// returns 0 (no steps or no memory), further views fail.
func WithViewsUpTo(ctx context.Context, steps int64) (of context.Context, left func() int64) {
	shared := &viewBudget{steps: steps, memory: steps * (MaxViewMemory / MaxViewSteps), strict: true}
	return context.WithValue(ctx, viewBudgetKey{}, shared), func() int64 {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if shared.memory <= 0 {
			return 0
		}
		return max(shared.steps, 0)
	}
}

// take is the budget of the next view. The caller calls done after the view.
func (v *viewBudget) take(ctx context.Context) (budget *Budget, done func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	steps, memory := int64(minViewSteps), int64(minViewMemory)
	if v.strict {
		steps, memory = 0, 0
	}
	budget = newBudget(ctx, min(MaxViewSteps, max(v.steps, steps)), min(MaxViewMemory, max(v.memory, memory)))
	return budget, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.steps -= budget.granted.steps - budget.Steps
		v.memory -= budget.granted.memory - budget.Memory
	}
}

// View computes the view of a contract through an interface, in JSON. ok is false when the contract's template does not
// implement the interface. The error is the view's own failure, or that it costs too much or is too large; where the
// context has ended, it is that of the context.
func (p *Packages) View(ctx context.Context, c Contract, name lf.TypeName) (view []byte, ok bool, err error) {
	t := p.templates[c.Template]
	if t == nil || t.interfaces[name] == nil {
		return nil, false, nil
	}
	shared, isShared := ctx.Value(viewBudgetKey{}).(*viewBudget)
	if !isShared {
		shared = &viewBudget{steps: MaxViewSteps, memory: MaxViewMemory}
	}
	budget, done := shared.take(ctx)
	defer done()
	view, err = p.viewWithin(budget, c, t, name)
	err = cmp.Or(budget.Close(), err)
	if ended := budget.Ended(); ended != nil {
		return nil, true, ended
	}
	return view, true, err
}

func (p *Packages) viewWithin(budget *Budget, c Contract, t *template, name lf.TypeName) ([]byte, error) {
	payload, err := t.decodePayload(c)
	if err != nil {
		return nil, err
	}
	goView, err := t.interfaces[name].view(&Tx{budget: budget}, payload)
	if err != nil {
		return nil, err
	}
	declared := p.interfaces[name].view
	value, err := declared.toValue(goView)
	if err != nil {
		return nil, err
	}
	if _, tooLarge := lf.CheckSize(value, lf.Sizes{Text: MaxViewBytes, Whole: MaxViewBytes}); tooLarge != nil {
		return nil, fault.ValueSize.New("The view of %s is too large: %s", name.QualifiedName(), tooLarge).
			With("field", tooLarge.Field).
			With("size", strconv.Itoa(tooLarge.Size)).
			With("limit", strconv.Itoa(tooLarge.Limit))
	}
	return lf.EncodeJSON(declared.lfType, value), nil
}
