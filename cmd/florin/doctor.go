package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/node"
)

// minSpace is the disk space that a development node needs.
const minSpace = 1 << 30

type doctorCommand struct {
	remote.Node
	console.Output
}

type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	// Found is the state, or the problem.
	Found string `json:"found"`
	// Advice is what the user can do; empty for nothing.
	Advice string `json:"advice"`
}

// Run checks everything, prints the findings, and fails if there is a problem.
func (c *doctorCommand) Run(ctx context.Context) error {
	findings := []finding{c.directory(), c.space()}
	node := c.node(ctx)
	findings = append(findings, node)
	if address, err := c.AskCalls(ctx); address != "" {
		findings = append(findings, c.calls(address, err))
	}
	if _, held := datadir.Holder(c.DataDir); !held && c.URL == "" {
		findings = append(findings, c.address(ctx, "127.0.0.1:7575", "--listen"),
			c.address(ctx, "127.0.0.1:"+grpcPort, "--grpc-listen"), c.address(ctx, "127.0.0.1:8233", "--temporal-ui-listen"))
	}
	answer := console.Answer{
		Data:  map[string]any{"findings": findings},
		Table: console.Table{Head: []string{"WHAT", "", "FOUND", "WHAT TO DO"}},
	}
	wrong := false
	for _, one := range findings {
		mark := "ok"
		if !one.OK {
			mark, wrong = "wrong", true
			answer.Names = append(answer.Names, one.What)
		}
		answer.Table.Rows = append(answer.Table.Rows, []string{one.What, mark, one.Found, one.Advice})
	}
	if err := c.Print(answer); err != nil || !wrong {
		return err
	}
	return console.Silent(console.ExitFailed)
}

// directory checks whether a node could write to its data directory.
func (c *doctorCommand) directory() finding {
	found := finding{What: "data directory", OK: true, Found: c.DataDir}
	if pid, held := datadir.Holder(c.DataDir); held {
		found.Found += fmt.Sprintf(" is in use by a node (pid %d)", pid)
		if info, err := runfile.Read(c.DataDir); err == nil && info.Stopped {
			found.Found = fmt.Sprintf("%s is in use by PostgreSQL and Temporal of a stopped node (pid %d)", c.DataDir, pid)
		}
		return found
	}
	place := c.DataDir
	if _, err := os.Stat(place); err != nil {
		place = filepath.Dir(filepath.Clean(place))
		found.Found += " does not exist yet"
	}
	const writable = 2
	if err := syscall.Access(place, writable); err != nil {
		found.OK, found.Found = false, fmt.Sprintf("%s: %s", place, err)
		found.Advice = "change its owner or mode, or choose another directory with --data-dir"
	}
	return found
}

func (c *doctorCommand) space() finding {
	found := finding{What: "disk", OK: true}
	place := c.DataDir
	if _, err := os.Stat(place); err != nil {
		place = filepath.Dir(filepath.Clean(place))
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(place, &disk); err != nil {
		found.OK, found.Found, found.Advice = false, err.Error(), "choose another directory with --data-dir"
		return found
	}
	free := disk.Bavail * uint64(disk.Bsize)
	found.Found = fmt.Sprintf("%.1f GiB free", float64(free)/minSpace)
	if free < minSpace {
		found.OK, found.Advice = false, "free some space: a new node needs about 1 GiB"
	}
	return found
}

func (c *doctorCommand) node(ctx context.Context) finding {
	state, detail, err := c.Look(ctx)
	found := finding{What: "node", OK: true, Found: state}
	switch {
	case err != nil:
		found.OK, found.Found = false, err.Error()
	case state == "ready":
	case state == "stopped" && detail != "": // PostgreSQL and Temporal run on
		found.Advice = remote.OnData(c.DataDir, "start") + " starts it again"
	case state == "stopped" && c.URL == "":
		found.Advice = remote.OnData(c.DataDir, "up") + " starts one"
	case state == "starting":
		found.Advice = c.Florin("wait") + " waits until it is ready"
	default:
		found.OK, found.Found, found.Advice = false, state+": "+detail, remote.OnData(c.DataDir, "logs")+" shows why"
		if c.URL != "" && state == "no answer" {
			found.Advice = "start it, or choose another one with --url"
		} else if c.URL != "" {
			found.Advice = "see the failed part, and the log of the node"
		}
	}
	return found
}

func (c *doctorCommand) calls(address string, err error) finding {
	found := finding{What: "gRPC", OK: err == nil, Found: "serves at " + address}
	if err != nil {
		found.Found, found.Advice = address+": "+err.Error(), remote.OnData(c.DataDir, "logs")+" shows why"
	}
	return found
}

// address checks whether a node could listen at its default address.
func (c *doctorCommand) address(ctx context.Context, address, flag string) finding {
	found := finding{What: address, OK: true, Found: "free"}
	if err := node.RequireFree(ctx, address, flag); err != nil {
		found.OK, found.Found = false, "another program listens there"
		found.Advice = "stop it, or choose another address with " + flag + " (port 0 takes a free one)"
	}
	return found
}
