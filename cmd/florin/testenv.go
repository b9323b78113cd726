package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/florinledger/florin/devnet/testenv"
	"github.com/florinledger/florin/workflows"
)

type testenvCommand struct {
	Command []string `arg:"" passthrough:"" help:"The command and its arguments."`
}

// Run starts the services, runs the command with their addresses in its environment, and exits with its exit code.
func (c *testenvCommand) Run(ctx context.Context) (err error) {
	command := c.Command
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 {
		return errors.New("testenv: name the command to run, as in: florin testenv -- go test PACKAGES")
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	environment, err := testenv.Start(ctx, testenv.Options{
		Executable: executable, SearchAttributes: workflows.SearchAttributes(),
		Progress: func(line string) { fmt.Fprintln(os.Stderr, "testenv: "+line) },
	})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, environment.Stop(context.WithoutCancel(ctx)))
	}()
	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Env = append(append(os.Environ(), environment.Variables()...), testenv.BinaryVariable+"="+executable)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	runErr := child.Run()
	if failed, ok := errors.AsType[*exec.ExitError](runErr); ok {
		return exitError{code: failed.ExitCode()}
	}
	if runErr != nil {
		return fmt.Errorf("run %s: %w", command[0], runErr)
	}
	return nil
}
