package daml

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger/lf"
)

// suite is a DAR file with scripts to run.
type suite struct {
	*file
	runner  *script.Suite
	scripts []script.Script
}

// cache has the checked packages.
type cache struct {
	mu      sync.Mutex
	read    ast.Packages
	checked ast.Packages
}

func (c *cache) known(id lf.PackageID) *ast.Package {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read[id]
}

func (c *cache) load(ctx context.Context, path string) (*suite, error) {
	if c.checked == nil {
		c.read, c.checked = ast.Packages{}, ast.Packages{}
	}
	read, err := readFile(path, archive.Options{Candidates: true, Known: c.known})
	if err != nil {
		return nil, err
	}
	var fresh []*ast.Package
	for id, p := range read.packages {
		c.read[id] = p
		if c.checked[id] == nil {
			fresh = append(fresh, p)
		}
	}
	if err := check.Packages(ctx, fresh, check.Options{Checked: c.checked}); err != nil {
		return nil, refused(path, err)
	}
	for _, p := range fresh {
		c.checked[p.ID] = p
	}
	runner, err := script.NewSuite(read.packages)
	if err != nil {
		return nil, refused(path, err)
	}
	return &suite{file: read, runner: runner, scripts: script.Find(read.dar.Main, read.packages)}, nil
}

type job struct {
	suite  *suite
	script script.Script
}

type result struct {
	job
	report script.Report
	took   time.Duration
	// cut: the run ended before the script.
	cut bool
}

// starved reports whether the memory limit stopped the script.
func (r result) starved() bool { return r.report.Failure != nil && r.report.Failure.Starved }

type options struct {
	atOnce  int // number of scripts that run at the same time, at least 1
	timeout time.Duration
	memory  size
	script  script.Options
}

func seedOf(text string) [32]byte { return sha256.Sum256([]byte(text)) }

// run runs jobs at the same time, and yields their results in order. If a script runs out of memory while others run,
// run repeats it alone, so that its result does not depend on the others.
func run(ctx context.Context, jobs []job, options options) iter.Seq[result] {
	results := make([]chan result, len(jobs))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	atOnce := max(1, min(options.atOnce, len(jobs)))
	again := make([]bool, len(jobs))
	for range atOnce {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(jobs); i = int(next.Add(1)) - 1 {
				made := jobs[i].run(ctx, options)
				if again[i] = made.starved() && atOnce > 1; !again[i] {
					results[i] <- made
				}
			}
		})
	}
	go func() {
		group.Wait()
		for i := range jobs {
			if again[i] {
				results[i] <- jobs[i].run(ctx, options)
			}
		}
	}()
	return func(yield func(result) bool) {
		for _, one := range results {
			if !yield(<-one) {
				return
			}
		}
	}
}

func (j job) run(parent context.Context, options options) result {
	limited := withProcessorTime
	if options.script.Node != nil { // the script waits for the node
		limited = func(parent context.Context, limit time.Duration) (context.Context, func()) {
			return context.WithTimeout(parent, limit)
		}
	}
	ctx, end := limited(parent, options.timeout)
	defer end()
	started := time.Now()
	report := j.suite.runner.Run(ctx, j.script, options.script)
	if parent.Err() != nil && report.Failure != nil {
		return result{job: j, cut: true}
	}
	took := time.Since(started)
	if report.Failure == nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		report.Failure = &script.Failure{Late: true} // a script that finishes too late fails, too
	}
	if report.Failure != nil && report.Failure.Late { // keep the message of other failures
		report.Failure.Code, report.Failure.Message = "", fmt.Sprintf(
			"The script takes longer than %s: look for a loop, or choose a longer --timeout.", options.timeout)
	}
	if report.Failure != nil && report.Failure.Starved {
		report.Failure.Message = fmt.Sprintf(
			"The run takes more than %s of memory: look for a value that grows without end, or choose a larger --memory.",
			options.memory.words())
	}
	return result{job: j, report: report, took: took}
}
