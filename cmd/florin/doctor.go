package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/node"
	"github.com/florinledger/florin/telemetry/trouble"
)

// minSpace is the disk space that a development node needs.
const minSpace = 1 << 30

type doctorCommand struct {
	remote.Node
	console.Output
}

// The states of findings.
const (
	fine  = string(client.PartOK)
	wrong = string(client.PartFails)
)

type finding struct {
	// What is a thing, or the name of a trouble as alarms have it.
	What string `json:"what"`
	// State is that of a part of the node: ok, warns, fails or unknown. Only fails makes the command fail.
	State string `json:"state"`
	// OK is false if the state is fails.
	OK bool `json:"ok"`
	// Found is the state, or the problem, and Means what a trouble means.
	Found string `json:"found"`
	Means string `json:"means"`
	// Advice is what the user can do; empty for nothing.
	Advice string `json:"advice"`
	// Runbook is the address of more about a trouble.
	Runbook string `json:"runbook"`
}

// Run checks everything, prints the findings, and fails if there is a problem.
func (c *doctorCommand) Run(ctx context.Context) error {
	findings := []finding{c.directory(), c.space()}
	findings = append(findings, c.node(ctx)...)
	if calls := c.AskCalls(ctx); calls.Address != "" {
		findings = append(findings, c.calls(calls))
	}
	if _, held := datadir.Holder(c.DataDir); !held && c.URL == "" {
		findings = append(findings, c.address(ctx, "127.0.0.1:7575", "--listen"),
			c.address(ctx, "127.0.0.1:"+grpcPort, "--grpc-listen"), c.address(ctx, "127.0.0.1:8233", "--temporal-ui-listen"))
	}
	answer := console.Answer{
		Data:  map[string]any{"findings": findings},
		Table: console.Table{Head: []string{"WHAT", "", "FOUND", "WHAT TO DO"}},
	}
	failed := false
	for i := range findings {
		findings[i].OK = findings[i].State != wrong
	}
	for _, one := range findings {
		if one.State != fine {
			answer.Names = append(answer.Names, one.What)
		}
		failed = failed || !one.OK
		if one.Means == "" {
			answer.Table.Rows = append(answer.Table.Rows, []string{one.What, one.State, one.Found, one.Advice})
			continue
		}
		answer.Table.Rows = append(answer.Table.Rows, []string{one.What, one.State, one.Found, "see above"})
		answer.Text += fmt.Sprintf("%s %s: %s\n  Means  %s\n  Do     %s\n  More   %s\n",
			one.What, one.State, one.Found, one.Means, one.Advice, one.Runbook)
	}
	if err := c.Print(answer); err != nil || !failed {
		return err
	}
	return console.Silent(console.ExitFailed)
}

// directory checks whether a node could write to its data directory.
func (c *doctorCommand) directory() finding {
	found := finding{What: "data directory", State: fine, Found: c.DataDir}
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
		found.State, found.Found = wrong, fmt.Sprintf("%s: %s", place, err)
		found.Advice = "change its owner or mode, or choose another directory with --data-dir"
	}
	return found
}

func (c *doctorCommand) space() finding {
	found := finding{What: "free space", State: fine}
	place := c.DataDir
	if _, err := os.Stat(place); err != nil {
		place = filepath.Dir(filepath.Clean(place))
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(place, &disk); err != nil {
		found.State, found.Found, found.Advice = wrong, err.Error(), "choose another directory with --data-dir"
		return found
	}
	free := disk.Bavail * uint64(disk.Bsize)
	found.Found = fmt.Sprintf("%.1f GiB free", float64(free)/minSpace)
	if free < minSpace {
		found.State, found.Advice = wrong, "free some space: a new node needs about 1 GiB"
	}
	return found
}

// node is the state of the node, and that of its parts.
func (c *doctorCommand) node(ctx context.Context) []finding {
	state, detail, err := c.Look(ctx)
	found := finding{What: "node", State: fine, Found: state}
	switch {
	case err != nil:
		found.State, found.Found = wrong, err.Error()
	case state == "ready", state == "not ready":
		parts, err := c.Parts(ctx)
		if err != nil {
			found.State, found.Found = wrong, err.Error()
			break
		}
		if state != "ready" {
			found.State, found.Advice = wrong, "see its parts below"
		}
		findings := []finding{found}
		for _, part := range parts {
			found := partFinding(part)
			if part.Name == "webhooks" && part.State == client.PartWarns {
				found.Found += ". " + c.ExplainWebhook(ctx, part.Why)
			}
			findings = append(findings, found)
		}
		return findings
	case state == "stopped" && detail != "": // PostgreSQL and Temporal run on
		found.Advice = remote.OnData(c.DataDir, "start") + " starts it again"
	case state == "stopped" && c.URL == "":
		found.Advice = remote.OnData(c.DataDir, "up") + " starts one"
	case state == "starting":
		found.Advice = c.Florin("wait") + " waits until it is ready"
	default:
		found = finding{State: wrong, Found: state + ": " + detail, Advice: remote.OnData(c.DataDir, "logs") + " shows why."}
		if c.URL != "" {
			found.Advice = "Start it, or choose another one with --url."
		}
		found.tell("down")
	}
	return []finding{found}
}

// partFinding is a part of the node under the name of its trouble, if it has one.
func partFinding(part client.Part) finding {
	found := finding{What: part.Name, State: string(part.State), Found: part.Why}
	if part.State == client.PartWarns || part.State == client.PartFails {
		found.Found = part.Name + ": " + part.Why
		found.tell(part.Name)
	}
	return found
}

// tell says what the trouble of a part means, and what to do.
func (f *finding) tell(part string) {
	about, known := trouble.Of(part)
	if !known { // a newer node has it
		f.What = part
		return
	}
	f.What, f.Means, f.Runbook = about.Name(), about.Summary+" "+about.Means, about.Runbook()
	f.Advice = strings.TrimSpace(f.Advice + " " + strings.ReplaceAll(about.Do, "`", ""))
	f.Means = strings.ReplaceAll(f.Means, "`", "")
}

// certificateSoon is how long before its end doctor warns of a certificate, as /readyz does.
const certificateSoon = 14 * 24 * time.Hour

func (c *doctorCommand) calls(asked remote.Calls) finding {
	found := finding{What: "gRPC", State: fine, Found: "serves at " + asked.Address}
	if asked.Err != nil {
		found.State, found.Found = wrong, asked.Address+": "+asked.Err.Error()
		found.Advice = remote.OnData(c.DataDir, "logs") + " shows why"
		return found
	}
	if !asked.CertificateEnd.IsZero() {
		found.Found += ", with a certificate until " + asked.CertificateEnd.UTC().Format(time.DateOnly)
		if time.Until(asked.CertificateEnd) < certificateSoon {
			found.State = string(client.PartWarns)
			found.tell("certificate")
		}
	}
	return found
}

// address checks whether a node could listen at its default address.
func (c *doctorCommand) address(ctx context.Context, address, flag string) finding {
	found := finding{What: address, State: fine, Found: "free"}
	if err := node.RequireFree(ctx, address, flag); err != nil {
		found.State, found.Found = wrong, "another program listens there"
		found.Advice = "stop it, or choose another address with " + flag + " (port 0 takes a free one)"
	}
	return found
}
