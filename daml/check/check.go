package check

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// Limits bound the cost of a check.
type Limits struct {
	// Steps bounds the nodes of expressions, types and kinds that the check visits or makes, over all packages.
	Steps int64
	// Depth bounds the nesting. Computed types may be deeper than those of an archive.
	Depth int
}

// DefaultLimits are about twenty times the needs of the largest published archives.
func DefaultLimits() Limits { return Limits{Steps: 50_000_000, Depth: 4 * ast.MaxDepth} }

// Options are options of a check.
type Options struct {
	// Limits are DefaultLimits if zero.
	Limits Limits
	// Checked are packages that were checked before. The new packages may refer to them.
	Checked ast.Packages
}

// Packages checks packages. Together with options.Checked they must be complete. The error is that of the first package
// that has one, or that of the context if it ends before the check.
func Packages(ctx context.Context, packages []*ast.Package, options Options) error {
	if options.Limits == (Limits{}) {
		options.Limits = DefaultLimits()
	}
	known := make(ast.Packages, len(packages)+len(options.Checked))
	maps.Copy(known, options.Checked)
	for _, p := range packages {
		known[p.ID] = p
	}
	if err := checkReferences(packages, known); err != nil {
		return err.fault()
	}
	steps := &budget{}
	steps.left.Store(options.Limits.Steps)
	checkers := make([]*checker, len(packages))
	for i, p := range packages {
		checkers[i] = newChecker(ctx, known, p, options.Limits.Depth, steps)
	}
	// Comparing types needs synonyms without a cycle, in all packages.
	for _, check := range []func(*checker){(*checker).checkSynonyms, (*checker).checkPackage} {
		inParallel(len(checkers), func(i int) bool {
			check(checkers[i])
			return checkers[i].failure == nil
		})
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("check packages: %w", err)
		}
		for _, c := range checkers {
			if c.failure != nil {
				return c.failure.fault()
			}
		}
	}
	return nil
}

// inParallel calls do for 0 to n-1, in order and concurrently, until one returns false.
func inParallel(n int, do func(i int) bool) {
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && !failed.Load(); i = int(next.Add(1)) - 1 {
				if !do(i) {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
}

// budget is the number of steps left for all packages.
type budget struct{ left atomic.Int64 }

// stepsAtATime is the number of steps that a checker takes from the budget at once.
const stepsAtATime = 10_000

// checker checks one package. It keeps the first failure. After it, methods return nil or true at once, and callers
// accept nil without a second failure.
type checker struct {
	ctx      context.Context //nolint:containedctx // a checker is one check
	packages ast.Packages
	pkg      *ast.Package

	failure *Error
	budget  *budget
	steps   int64
	depth   int
	max     int

	// The place of the check.
	module     string
	definition string
	location   ast.Location

	scope
	kinds   map[*ast.DefDataType]ast.Kind
	modules map[string]map[string]bool // references between modules of the package
}

func newChecker(ctx context.Context, packages ast.Packages, p *ast.Package, depth int, steps *budget) *checker {
	return &checker{
		ctx: ctx, packages: packages, pkg: p, budget: steps, max: depth, scope: newScope(),
		kinds: map[*ast.DefDataType]ast.Kind{}, modules: map[string]map[string]bool{},
	}
}

func (c *checker) checkPackage() {
	c.checkNames()
	for _, module := range c.pkg.Modules {
		if c.failure != nil {
			break
		}
		c.module = module.Name
		c.checkModule(module)
	}
	c.checkModules()
}

// enter counts a step and goes one level deeper; leave goes back. It reports whether to continue.
func (c *checker) enter() bool {
	c.depth++
	c.spend(1)
	if c.depth > c.max {
		c.fail(Depth, "A type or expression is nested more than %d levels deep", c.max)
	}
	return c.failure == nil
}

func (c *checker) leave() { c.depth-- }

// spend counts steps. Code that loops over a list without entering its elements spends the length.
func (c *checker) spend(steps int) {
	if c.steps -= int64(steps); c.steps >= 0 {
		return
	}
	more := stepsAtATime - c.steps
	c.steps += more
	if c.budget.left.Add(-more) < 0 || c.ctx.Err() != nil {
		c.fail(Steps, "The check exceeds its limit of steps")
	}
}

// at moves the check to a definition.
func (c *checker) at(definition string, location ast.Location) {
	c.definition, c.location = definition, location
	c.scope = newScope()
}

func (c *checker) typeName(entity string) lf.TypeName {
	return lf.TypeName{Package: c.pkg.ID, Module: c.module, Entity: entity}
}
