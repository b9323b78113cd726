package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/devnet/runfile"
)

// detach starts the node as a separate process, which outlives this one, and returns when the node is ready. The output
// of the node goes to a file in the data directory.
func (c *upCommand) detach(ctx context.Context) error {
	if pid, held := datadir.Holder(c.DataDir); held {
		stop := remote.OnData(c.DataDir, "stop")
		return console.Fail(console.ExitFailed, stop+" stops it, --data-dir names another directory",
			"a node runs on data directory %s already (pid %d)", c.DataDir, pid)
	}
	directory, err := filepath.Abs(c.DataDir)
	if err != nil {
		return err
	}
	printed, forget, err := datadir.CreateLog(directory)
	if err != nil {
		return err
	}
	defer forget()
	defer func() { _ = printed.Close() }()
	node, ended, err := startDetached(printed)
	if err != nil {
		return err
	}
	tick := time.NewTicker(100 * time.Millisecond) // often enough for a person
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if info, err := runfile.Read(directory); err == nil && info.PID == node.Pid {
				return c.announceDetached(info)
			}
		case <-ended:
			return console.Fail(console.ExitFailed, "", "the node did not start: %s", lastLine(printed.Name()))
		case <-ctx.Done():
			_ = node.Signal(syscall.SIGTERM)
			<-ended
			return console.Fail(console.ExitFailed, "", "interrupted before the node was ready")
		}
	}
}

// startDetached starts this program again, without --detach, in a new session.
func startDetached(printed *os.File) (*os.Process, <-chan struct{}, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	arguments := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(argument string) bool {
		return argument == "-d" || argument == "--detach" || strings.HasPrefix(argument, "--detach=")
	})
	//nolint:noctx // it outlives this process
	command := exec.Command(executable, arguments...)
	command.Args[0] = os.Args[0]
	command.Stdout, command.Stderr = printed, printed
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return nil, nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = command.Wait() // its output has the error
	}()
	return command.Process, ended, nil
}

func (c *upCommand) announceDetached(info runfile.Info) error {
	m := &machine{command: c}
	console.Printf("florin: ready at %s\n\n%s\n", info.URL, remote.AddressesOf(info).Lines())
	for _, command := range []string{"logs up", "status", "stop"} {
		console.Println("  " + m.invocation(command))
	}
	return nil
}

// lastLine is the last output of a node, which is its error.
func lastLine(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	content = bytes.TrimSpace(content)
	if at := bytes.LastIndex(content, []byte("\nflorin: ")); at >= 0 {
		content = content[at+len("\nflorin: "):]
	}
	return string(bytes.TrimPrefix(content, []byte("florin: ")))
}
