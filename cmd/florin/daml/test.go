package daml

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/internal/wait"
)

// TestCommand runs the scripts of DAR files.
type TestCommand struct {
	DAR      []string      `arg:"" name:"dar" help:"DAR files."`
	Only     []string      `help:"Run only scripts whose name contains this text, or matches this pattern with * or ?." sep:"none" placeholder:"PATTERN"`
	Watch    bool          `help:"Run again when a file changes, until Ctrl-C."`
	JSON     bool          `name:"json" help:"Print JSON lines: an object for each script, and one for the run."`
	JUnit    reportFile    `name:"junit" help:"Also write a JUnit XML report to this file." placeholder:"FILE"`
	Coverage bool          `help:"Print the coverage: created templates, exercised choices, by which parties, and the lines that ran."`
	HTML     reportFile    `name:"coverage-html" help:"Write the coverage to an HTML file, with the sources." placeholder:"FILE"`
	Seed     string        `help:"Seed of contract ids and keys. The same seed gives the same ids and keys." default:"0"`
	Timeout  time.Duration `help:"Maximum CPU time of one script." default:"1m"`
	Memory   size          `help:"Maximum memory of the run, packages included: bytes, or with K, M, G or T." default:"1G"`
	Verbose  bool          `short:"v" help:"Show the debug and trace output of passing scripts, too."`
}

// Help is the detailed help of the command.
func (*TestCommand) Help() string {
	return `Examples:

  florin test .daml/dist/wallet-1.0.0.dar
  florin test wallet.dar --only transfer --watch
  florin test wallet.dar --coverage --coverage-html coverage.html
  florin test *.dar --json --junit report.xml

The exit code is 0 if all scripts pass; 1 if one fails, a file is refused, or --only matches none;
2 if the command line is wrong and nothing ran; 130 after an interrupt (SIGINT), 143 after SIGTERM.`
}

// gcPercent delays garbage collection: a run ends soon, so memory is cheap.
const gcPercent = 400

// Run runs the scripts. Its exit code is 1 if one fails.
func (c *TestCommand) Run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(int64(c.Memory)) // near this limit, the garbage collector works more
	s := session{command: c, out: os.Stdout, notes: os.Stderr}
	if !c.Watch {
		return s.run(ctx)
	}
	for {
		seen := c.modified()
		if err := s.run(ctx); err != nil && !console.IsSilent(err) {
			fmt.Fprintln(os.Stderr, "florin: "+console.Text(err.Error()))
		}
		if !c.JSON {
			fmt.Fprintf(os.Stderr, "florin: watching %s\n", count(len(c.DAR), "file"))
		}
		for seen == c.modified() {
			if err := wait.For(ctx, watchInterval); err != nil {
				return console.Silent(console.EndOf(ctx)) // --watch has no other end
			}
		}
	}
}

const watchInterval = 300 * time.Millisecond

// modified is the times of the last changes of the files, and their sizes.
func (c *TestCommand) modified() string {
	var out strings.Builder
	for _, name := range c.DAR {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(&out, "%s %d\n", info.ModTime(), info.Size())
		} else {
			out.WriteString("none\n")
		}
	}
	return out.String()
}

// matches reports whether --only selects a script.
func (c *TestCommand) matches(name string) bool {
	return len(c.Only) == 0 || slices.ContainsFunc(c.Only, func(pattern string) bool {
		if !strings.ContainsAny(pattern, "*?") {
			return strings.Contains(name, pattern)
		}
		matched, err := path.Match(pattern, name)
		return err == nil && matched
	})
}

// session runs the scripts of the files, again and again with --watch. It reads a package only once.
type session struct {
	command *TestCommand
	// out is for results, notes for everything else.
	out, notes io.Writer
	cache      cache
}

func (s *session) run(ctx context.Context) error {
	started := time.Now()
	var suites []*suite
	var more omissions
	progress := console.Output{JSON: s.command.JSON}.NewProgress(ctx)
	defer progress.End()
	p := printer{
		command: s.command, out: s.out, bold: console.Bold(os.Stdout), several: len(s.command.DAR) > 1,
	}
	for i, name := range s.command.DAR {
		progress.Begin("read "+name, 0)
		loaded, err := s.cache.load(ctx, name)
		if ctx.Err() != nil {
			more.unread = s.command.DAR[i:]
			break
		}
		if err != nil {
			more.files = append(more.files, refusedFile{name, err})
			progress.Around(func() { p.refused(more.files[len(more.files)-1]) })
			continue
		}
		if s.command.covers() {
			loaded.cover()
		}
		if len(loaded.scripts) == 0 && p.several {
			progress.Around(func() { fmt.Fprintln(s.notes, "florin: "+console.Text(name)+" has no scripts") })
		}
		suites = append(suites, loaded)
	}
	var jobs []job
	for _, one := range suites {
		for _, found := range one.scripts {
			if s.command.matches(found.Name.QualifiedName()) {
				jobs = append(jobs, job{suite: one, script: found})
			}
		}
	}
	results, cut := s.runJobs(ctx, jobs, &p, progress)
	more.scripts = cut
	var why error
	switch {
	case ctx.Err() != nil:
		why = interrupted(ctx, more)
	case len(jobs) == 0 && len(more.files) == 0:
		why = s.explainNoScripts(suites)
	}
	if why != nil { // before the count, so that the count is the last line
		fmt.Fprintln(s.notes, "florin: "+console.Text(why.Error()))
	}
	err := s.finish(&p, suites, results, more, time.Since(started))
	if err != nil && (why == nil || !console.IsSilent(err)) {
		return err
	}
	if code := console.CodeOf(why); code != console.ExitDone {
		return console.Silent(code)
	}
	return nil
}

// runJobs runs the scripts and prints their results. It returns the jobs that the end of ctx cut.
func (s *session) runJobs(
	ctx context.Context, jobs []job, p *printer, progress *console.Progress,
) (results []result, cut []job) {
	progress.Begin("run the scripts", int64(len(jobs)))
	defer progress.End()
	results = make([]result, 0, len(jobs))
	for r := range run(ctx, jobs, s.command.options()) {
		if r.cut {
			cut = append(cut, r.job)
			continue
		}
		results = append(results, r)
		progress.Add(1)
		progress.Around(func() { p.result(r) })
	}
	return results, cut
}

// explainNoScripts says why there is nothing to run. A file without scripts is not a failure.
func (s *session) explainNoScripts(suites []*suite) error {
	hint := "A script is a value of type Script without arguments, at the top of a module of the main package."
	var names []string
	for _, one := range suites {
		for _, found := range one.scripts {
			module := found.Name.Module
			names = append(names, found.Name.Name, found.Name.QualifiedName(), module[strings.LastIndex(module, ".")+1:])
		}
	}
	if len(s.command.Only) == 0 {
		if len(s.command.DAR) > 1 {
			return console.Fail(console.ExitDone, hint, "no file has scripts")
		}
		return console.Fail(console.ExitDone, hint, "%s has no scripts", s.command.DAR[0])
	}
	hint = "florin dar show lists the scripts of a file, as Module:name."
	for _, pattern := range s.command.Only {
		if near, ok := console.Nearest(pattern, names); ok {
			hint = fmt.Sprintf("Did you mean %s?", near)
		} else if strings.ContainsAny(pattern, "*?") {
			hint = "A pattern with * or ? must match the whole name, such as Module:script."
		}
	}
	return console.Fail(console.ExitFailed, hint, "no script of %s has %s in its name",
		strings.Join(s.command.DAR, ", "), quoted(s.command.Only))
}

func quoted(patterns []string) string {
	out := make([]string, len(patterns))
	for i, pattern := range patterns {
		out[i] = strconv.Quote(pattern)
	}
	return strings.Join(out, " or ")
}

// check refuses options without a meaning.
func (c *TestCommand) check() error {
	for _, pattern := range c.Only {
		if pattern == "" {
			return console.Fail(console.ExitUsage, "Leave --only out to run all scripts.", "--only \"\" names no script")
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return console.Fail(console.ExitUsage, "A * stands for any characters, a ? for one.", "%q is not a pattern", pattern)
		}
	}
	if c.Timeout <= 0 {
		return console.Fail(console.ExitUsage, "Use a time such as 30s or 2m.", "--timeout %s must be above 0", c.Timeout)
	}
	c.DAR = c.once()
	return c.checkReports()
}

// once are the DAR files without repetitions, by their first names.
func (c *TestCommand) once() []string {
	var names []string
	var files []os.FileInfo
	for _, name := range c.DAR {
		info, err := os.Stat(name)
		if err == nil && slices.ContainsFunc(files, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
			fmt.Fprintf(os.Stderr, "florin: %s is on the command line more than once, and runs once\n", console.Text(name))
			continue
		}
		if err == nil {
			files = append(files, info)
		}
		names = append(names, name)
	}
	return names
}

// interrupted is the error of a run that a signal ended. It counts the files and scripts that did not run to the end.
func interrupted(ctx context.Context, more omissions) error {
	var left []string
	if n := len(more.unread); n > 0 {
		left = append(left, count(n, "file")+" not read")
	}
	if n := len(more.scripts); n > 0 || len(left) == 0 {
		left = append(left, count(n, "script")+" not run to the end")
	}
	return console.Fail(console.EndOf(ctx), "", "interrupted: %s", strings.Join(left, ", "))
}

func (s *session) finish(p *printer, suites []*suite, results []result, more omissions, took time.Duration) error {
	var errs []error
	if s.command.covers() {
		errs = append(errs, s.cover(p, suites, results))
	}
	if s.command.JUnit != "" {
		errs = append(errs, writeFile(s.command.JUnit, func(to io.Writer) error {
			return writeJUnit(to, suites, results, more)
		}))
	}
	failed := p.end(results, more, took)
	errs = append(errs, p.err)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if failed > 0 || len(more.files) > 0 {
		return console.Silent(console.ExitFailed)
	}
	return nil
}

func (s *session) cover(p *printer, suites []*suite, results []result) error {
	var covered []coverage
	for _, one := range suites {
		covered = append(covered, one.coverage(results, suites...))
	}
	if s.command.Coverage {
		p.coverage(covered)
	}
	if s.command.HTML == "" {
		return nil
	}
	return writeFile(s.command.HTML, func(to io.Writer) error { return writeHTML(to, covered) })
}

func (c *TestCommand) covers() bool { return c.Coverage || c.HTML != "" }

func writeFile(name reportFile, write func(io.Writer) error) error {
	file, err := os.Create(string(name))
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

func (c *TestCommand) options() options {
	memory := newPool(c.Memory)
	return options{
		atOnce: runtime.GOMAXPROCS(0), timeout: c.Timeout, memory: c.Memory,
		script: script.Options{Seed: seedOf(c.Seed), More: memory.more},
	}
}
