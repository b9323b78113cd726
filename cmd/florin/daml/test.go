package daml

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/wait"
)

// TestCommand runs the scripts of DAR files.
type TestCommand struct {
	DAR      []string      `arg:"" name:"dar" help:"DAR files."`
	Only     string        `help:"Run only scripts whose name has this in it, or matches it where it has a *." placeholder:"PATTERN"`
	Watch    bool          `help:"Run again whenever a file changes, until interrupted."`
	JSON     bool          `name:"json" help:"Print one JSON object for each script, and one for the whole, a line each."`
	JUnit    string        `name:"junit" help:"Also write a report in JUnit's XML to a file." placeholder:"FILE"`
	Coverage bool          `help:"Print what the scripts used: templates, choices, by whom, and which lines ran."`
	HTML     string        `name:"coverage-html" help:"Write that to an HTML file, with the sources." placeholder:"FILE"`
	Seed     string        `help:"What contract ids and keys derive from. The same seed gives the same." default:"0"`
	Timeout  time.Duration `help:"How long one script may take." default:"1m"`
	Memory   int64         `help:"How many bytes of memory one script may take for values, in all." default:"17179869184"`
	Verbose  bool          `short:"v" help:"Show what passing scripts print with debug and trace, too."`
}

// gcPercent has memory collected late: a run ends soon, so memory is cheap.
const gcPercent = 400

// Run runs the scripts. Its exit code is 1 when one failed.
func (c *TestCommand) Run(ctx context.Context) error {
	debug.SetGCPercent(gcPercent)
	s := session{command: c, out: os.Stdout}
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
				return nil //nolint:nilerr // interrupted, as is the only way to end this
			}
		}
	}
}

const watchInterval = 300 * time.Millisecond

// modified is when the files were last changed, and how large they are.
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

// matches reports whether a script is among those that are to be run.
func (c *TestCommand) matches(name string) bool {
	if !strings.Contains(c.Only, "*") {
		return strings.Contains(name, c.Only)
	}
	matched, err := path.Match(c.Only, name)
	return err == nil && matched
}

// session runs the scripts of the files, over and over where they are watched. It reads no package twice.
type session struct {
	command *TestCommand
	out     io.Writer
	cache   cache
}

func (s *session) run(ctx context.Context) error {
	if _, err := path.Match(s.command.Only, ""); err != nil {
		return console.Fail(console.ExitUsage, "A * stands for any characters, a ? for one.", "%q is no pattern",
			s.command.Only)
	}
	started := time.Now()
	var suites []*suite
	for _, name := range s.command.DAR {
		loaded, err := s.cache.load(ctx, name)
		if err != nil {
			return err
		}
		if s.command.covers() {
			loaded.runner.Cover(loaded.dar.Main.ID)
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
	if len(jobs) == 0 {
		return s.nothing(suites)
	}
	results := make([]result, 0, len(jobs))
	p := printer{command: s.command, out: s.out, bold: console.Bold(os.Stdout), several: len(suites) > 1}
	for r := range run(ctx, jobs, s.command.options()) {
		results = append(results, r)
		p.result(r)
	}
	return s.finish(ctx, &p, suites, results, time.Since(started))
}

// nothing says that there is nothing to run.
func (s *session) nothing(suites []*suite) error {
	hint := "A script is a value of type Script without arguments, at the top of a module of the main package."
	var names []string
	for _, one := range suites {
		for _, found := range one.scripts {
			names = append(names, found.Name.Name, found.Name.QualifiedName())
		}
	}
	if near, ok := console.Nearest(s.command.Only, names); ok {
		hint = fmt.Sprintf("Did you mean %s?", near)
	}
	if s.command.Only != "" {
		return console.Fail(console.ExitFailed, hint, "no script of %s has %q in its name",
			strings.Join(s.command.DAR, ", "), s.command.Only)
	}
	return console.Fail(console.ExitFailed, hint, "%s has no scripts", strings.Join(s.command.DAR, ", "))
}

func (s *session) finish(ctx context.Context, p *printer, suites []*suite, results []result, took time.Duration) error {
	var errs []error
	if s.command.covers() {
		errs = append(errs, s.cover(p, suites, results))
	}
	if s.command.JUnit != "" {
		errs = append(errs, writeFile(s.command.JUnit, func(to io.Writer) error { return writeJUnit(to, suites, results) }))
	}
	failed := p.end(results, took)
	errs = append(errs, p.err, ctx.Err())
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if failed > 0 {
		return console.Silent(console.ExitFailed)
	}
	return nil
}

// cover prints and writes what was used.
func (s *session) cover(p *printer, suites []*suite, results []result) error {
	var covered []coverage
	for _, one := range suites {
		covered = append(covered, one.coverage(results))
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

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

func (c *TestCommand) options() options {
	return options{timeout: c.Timeout, script: script.Options{Seed: seedOf(c.Seed), Memory: c.Memory}}
}
