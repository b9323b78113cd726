package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/florinledger/florin/devnet/testenv"
)

type verdict string

const (
	seen        verdict = "seen"           // every named test failed
	missed      verdict = "NOT SEEN"       // a named test passed, or did not run
	notCompiled verdict = "DOES NOT BUILD" // the change is not valid Go
	broke       verdict = "BREAKS"         // a panic or a timeout: no assertion failed
	outdated    verdict = "OUT OF DATE"    // the change does not fit the code
)

// result is a verdict; a bad one has the end of the output.
type result struct {
	verdict  verdict
	evidence string
}

const (
	// testTimeout limits the tests of one mutation; a timeout is not a failed assertion.
	testTimeout = "5m"
	// programTimeout is for tests that start and kill nodes.
	programTimeout = "20m"
	// evidenceLines limits the shown output of a bad verdict.
	evidenceLines = 30
	// programTests are the tests that start the built program.
	programTests = "test/e2e"
)

type runner struct{ root string }

// baseline runs the tests of all mutations on the unchanged tree: a test that always fails shows nothing.
func (r runner) baseline(ctx context.Context, mutations []mutation) error {
	var tests []namedTest
	for _, m := range mutations {
		tests = append(tests, m.tests...)
	}
	outcome, err := r.test(ctx, tests, nil)
	if err != nil {
		return err
	}
	var failed []error
	for _, test := range tests {
		if action := outcome.action(test); action != "pass" {
			failed = append(failed, fmt.Errorf("%s should pass, but its outcome is %q", test, action))
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("without any mutation:\n%w\n%s", errors.Join(failed...), outcome.tail())
	}
	return nil
}

// try makes a mutation and runs its tests.
func (r runner) try(ctx context.Context, m mutation) (_ result, err error) {
	changed, err := m.apply(r.root)
	if err != nil {
		return result{outdated, err.Error() + "\n"}, nil
	}
	scratch, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	environment, err := r.overlay(scratch, changed)
	if err != nil {
		return result{}, err
	}
	for _, test := range m.tests {
		if test.directory != programTests {
			continue
		}
		program := filepath.Join(scratch, "florin")
		if output, err := r.command(ctx, environment, "build", "-o", program, "./cmd/florin").CombinedOutput(); err != nil {
			return result{notCompiled, string(output)}, ctx.Err()
		}
		environment = append(environment, testenv.BinaryVariable+"="+program)
		break
	}
	outcome, err := r.test(ctx, m.tests, environment)
	if err != nil {
		return result{}, err
	}
	return outcome.judge(m.tests), nil
}

// overlay writes the changed files to scratch, and returns an environment in which the go command uses them, also for
// programs that tests build.
func (r runner) overlay(scratch string, changed map[string]string) ([]string, error) {
	var replaced struct{ Replace map[string]string }
	replaced.Replace = make(map[string]string)
	for file, content := range changed {
		aside := filepath.Join(scratch, fmt.Sprintf("%d.go", len(replaced.Replace)))
		if err := os.WriteFile(aside, []byte(content), 0o600); err != nil {
			return nil, err
		}
		replaced.Replace[filepath.Join(r.root, file)] = aside
	}
	encoded, err := json.Marshal(replaced)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(scratch, "overlay.json")
	return []string{"GOFLAGS=-buildvcs=false -overlay=" + path}, os.WriteFile(path, encoded, 0o600)
}

func (r runner) command(ctx context.Context, environment []string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir = r.root
	command.Env = append(os.Environ(), environment...)
	return command
}

type outcome struct {
	// actions has the last action of each test: pass, fail, skip.
	actions  map[namedTest]string
	notBuilt bool
	output   strings.Builder
}

// test runs the tests, package by package.
func (r runner) test(ctx context.Context, tests []namedTest, environment []string) (*outcome, error) {
	byDirectory := make(map[string][]string)
	var directories []string
	for _, test := range tests {
		if byDirectory[test.directory] == nil {
			directories = append(directories, test.directory)
		}
		byDirectory[test.directory] = append(byDirectory[test.directory], test.name)
	}
	o := &outcome{actions: make(map[namedTest]string)}
	for _, directory := range directories {
		timeout := testTimeout
		if directory == programTests {
			timeout = programTimeout
		}
		command := r.command(ctx, environment, "test", "-json", "-count=1", "-vet=off", "-tags=long", "-timeout="+timeout,
			"-run="+pattern(byDirectory[directory]), "./"+directory)
		// Ignore the exit code, because tests should fail: the output says how.
		printed, err := command.Output()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o.read(directory, printed)
	}
	return o, nil
}

// pattern is the regular expression of -run for the tests with their subtests. With subtests of several tests it may
// match more.
func pattern(names []string) string {
	var levels [][]string
	for _, name := range names {
		for i, part := range strings.Split(rewritten(name), "/") {
			if i == len(levels) {
				levels = append(levels, nil)
			}
			if !slices.Contains(levels[i], part) {
				levels[i] = append(levels[i], part)
			}
		}
	}
	// A test without named subtests needs all of them, so the pattern must match everything below the first level.
	for _, name := range names {
		if depth := strings.Count(name, "/") + 1; depth < len(levels) {
			levels = levels[:depth]
		}
	}
	parts := make([]string, len(levels))
	for i, level := range levels {
		for j := range level {
			level[j] = regexp.QuoteMeta(level[j])
		}
		parts[i] = "^(" + strings.Join(level, "|") + ")$"
	}
	return strings.Join(parts, "/")
}

// rewritten is the name of a test in the output of the testing package.
func rewritten(name string) string { return strings.ReplaceAll(name, " ", "_") }

// read reads the events of `go test -json`; see `go doc test2json`.
func (o *outcome) read(directory string, printed []byte) {
	names := make(map[string]string)
	for line := range bytes.Lines(printed) {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(line, &event) != nil {
			o.output.Write(line)
			continue
		}
		o.output.WriteString(event.Output)
		switch event.Action {
		case "build-fail":
			o.notBuilt = true
		case "pass", "fail", "skip":
			names[event.Test] = event.Action
		}
	}
	for name, action := range names {
		o.actions[namedTest{directory, name}] = action
	}
}

func (o *outcome) judge(tests []namedTest) result {
	printed := o.output.String()
	switch {
	case o.notBuilt:
		return result{notCompiled, o.tail()}
	case strings.Contains(printed, "panic: "):
		return result{broke, o.tail()}
	}
	for _, test := range tests {
		if o.action(test) != "fail" {
			return result{missed, fmt.Sprintf("      %s: %q\n", test, o.action(test))}
		}
	}
	return result{verdict: seen}
}

func (o *outcome) action(test namedTest) string {
	return o.actions[namedTest{test.directory, rewritten(test.name)}]
}

func (o *outcome) tail() string {
	lines := strings.SplitAfter(o.output.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-evidenceLines):], "")
}
