package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/ledger"
)

// announce prints where everything is and what to try. The commands work when they are pasted as they stand, also the
// second time.
func (m *machine) announce(ctx context.Context) error {
	token, err := m.token()
	if err != nil {
		return err
	}
	try, err := m.tryLines(ctx)
	if err != nil {
		return err
	}
	node := m.node
	console.Printf(`
florin: ready after %.1f s

%s  API           %s          (description: %s/docs/openapi)
  Temporal UI   %s
  Temporal      %s
  PostgreSQL    %s
  data and logs %s

  participant   %s
  synchronizer  %s
  operator      %s
  DSO           %s
%s
A token of the administrator %s:

TOKEN=%s

%s
Ctrl-C stops everything.
`,
		time.Since(m.began).Seconds(), m.pageLine(), node.URL(), node.URL(), m.temporal.UI(), m.temporal.Frontend(),
		m.database.URL(recordDatabase), m.directory.Path(), node.Identity.ParticipantID, node.Identity.SynchronizerID,
		node.Identity.Operator, node.Identity.DSO, m.localnetLines()+m.demoLines()+m.begunLines(),
		node.Settings.AdminUser, token, try)
	return nil
}

// pageLine says where the page is, if there is one.
func (m *machine) pageLine() string {
	if !m.node.HasPage() {
		return ""
	}
	return "  Wallet        " + m.node.URL() + "/wallet\n"
}

// token is one of the administrator; with an issuer of their own, people get it from there.
func (m *machine) token() (string, error) {
	if m.command.HasIssuer() {
		return "(from your issuer)", nil
	}
	return auth.Mint(m.command.AuthSecret, m.command.AuthAudience, m.node.Settings.AdminUser, 0, time.Now())
}

// tryLines are three commands for beginners, or for those who come back: these show what is there.
func (m *machine) tryLines(ctx context.Context) (string, error) {
	wallets, err := m.wallets(ctx)
	if err != nil {
		return "", err
	}
	head := "Three commands to try, in another terminal (two parties, coin, a transfer):"
	commands := []string{"party new alice bob", "tap alice 100", "send alice bob 5"}
	if len(wallets) > 0 {
		record, err := m.node.Database.Head(ctx)
		if err != nil {
			return "", err
		}
		head = fmt.Sprintf("It goes on where it stopped, at offset %d, with the wallets of %s:",
			record.Offset, someOf(wallets))
		commands = []string{"balance", "history " + console.Quoted(wallets[0]), "party list"}
		if len(m.demo) > 0 {
			head = "Three commands to try, in another terminal (what wallets hold, what happened, what waits):"
			commands = []string{"balance", "history alice", "offers carol"}
		}
	}
	for i, command := range commands {
		commands[i] = "  " + m.invocation(command) + "\n"
	}
	return head + "\n\n" + strings.Join(commands, ""), nil
}

// demoLines say what the demo has made.
func (m *machine) demoLines() string {
	if len(m.demo) == 0 {
		return ""
	}
	return "\nThe demo:\n\n  " + strings.Join(m.demo, "\n  ") + "\n"
}

// wallets are the users with a party of their own, beside those that a fresh ledger has.
func (m *machine) wallets(ctx context.Context) ([]string, error) {
	const enough = 1000
	users, err := m.node.Database.Users(ctx, ledger.DefaultIdentityProvider, "", enough)
	if err != nil {
		return nil, err
	}
	fresh := m.localnetUsers()
	var names []string
	for _, user := range users {
		if _, known := fresh[user.ID]; !known && user.PrimaryParty != "" && user.PrimaryParty != m.node.Identity.Operator {
			names = append(names, user.ID)
		}
	}
	return names, nil
}

// someOf names the first few, and counts the others.
func someOf(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d others", strings.Join(names[:few], ", "), len(names)-few)
}

// invocation is how a command is typed that speaks to this node, by whoever typed the one that runs.
func (m *machine) invocation(command string) string {
	line := os.Args[0] + " " + command
	if m.command.DataDir != remote.DefaultDataDir {
		path, err := filepath.Abs(m.command.DataDir)
		if err != nil {
			path = m.command.DataDir
		}
		line += " --data-dir " + console.Quoted(path)
	}
	return line
}
