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

// minSpace is how much disk a development node should find.
const minSpace = 1 << 30

type doctorCommand struct {
	remote.Node
	console.Output
}

// finding is what one look has shown.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	// Found is what there is, or what is wrong with it.
	Found string `json:"found"`
	// Advice is what to do; empty where nothing is to be done.
	Advice string `json:"advice"`
}

// Run looks at everything, prints what it found, and fails when something is wrong.
func (c *doctorCommand) Run(ctx context.Context) error {
	findings := []finding{c.directory(), c.space()}
	node := c.node(ctx)
	findings = append(findings, node)
	if _, held := datadir.Holder(c.DataDir); !held && c.URL == "" {
		findings = append(findings, c.address(ctx, "127.0.0.1:7575", "--listen"),
			c.address(ctx, "127.0.0.1:8233", "--temporal-ui-listen"))
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

// directory looks whether a node could write where it is to.
func (c *doctorCommand) directory() finding {
	found := finding{What: "data directory", OK: true, Found: c.DataDir}
	if pid, held := datadir.Holder(c.DataDir); held {
		found.Found += fmt.Sprintf(" is held by a node (pid %d)", pid)
		if info, err := runfile.Read(c.DataDir); err == nil && info.Stopped {
			found.Found = fmt.Sprintf("%s is held by PostgreSQL and Temporal of a node that is stopped (pid %d)", c.DataDir, pid)
		}
		return found
	}
	place := c.DataDir
	if _, err := os.Stat(place); err != nil {
		place = filepath.Dir(filepath.Clean(place))
		found.Found += " is not there yet"
	}
	const writable = 2
	if err := syscall.Access(place, writable); err != nil {
		found.OK, found.Found = false, fmt.Sprintf("%s: %s", place, err)
		found.Advice = "change its owner or mode, or name another directory with --data-dir"
	}
	return found
}

// space looks how much room there is on the disk.
func (c *doctorCommand) space() finding {
	found := finding{What: "disk", OK: true}
	place := c.DataDir
	if _, err := os.Stat(place); err != nil {
		place = filepath.Dir(filepath.Clean(place))
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(place, &disk); err != nil {
		found.OK, found.Found, found.Advice = false, err.Error(), "name another directory with --data-dir"
		return found
	}
	free := disk.Bavail * uint64(disk.Bsize)
	found.Found = fmt.Sprintf("%.1f GiB free", float64(free)/minSpace)
	if free < minSpace {
		found.OK, found.Advice = false, "free some: a node needs about a GiB to begin with"
	}
	return found
}

// node looks whether the node answers.
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
		found.Advice = c.Florin("wait") + " returns when it is ready"
	default:
		found.OK, found.Found, found.Advice = false, state+": "+detail, remote.OnData(c.DataDir, "logs")+" shows why"
		if c.URL != "" && state == "no answer" {
			found.Advice = "start it, or name another one with --url"
		} else if c.URL != "" {
			found.Advice = "the part that failed says why; so does the log of the node"
		}
	}
	return found
}

// address looks whether a node could listen where it does by default.
func (c *doctorCommand) address(ctx context.Context, address, flag string) finding {
	found := finding{What: address, OK: true, Found: "free"}
	if err := node.RequireFree(ctx, address, flag); err != nil {
		found.OK, found.Found = false, "another program listens there"
		found.Advice = "stop it, or choose another address with " + flag + " (port 0 takes a free one)"
	}
	return found
}
