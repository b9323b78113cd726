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

// announce prints the addresses and some commands to try. A user can paste the commands, also a second time.
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

%s  PostgreSQL    %s
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
		time.Since(m.began).Seconds(), remote.AddressesOf(m.runInfo()).Lines(),
		m.database.URL(recordDatabase), m.directory.Path(), node.Identity.ParticipantID, node.Identity.SynchronizerID,
		node.Identity.Operator, node.Identity.DSO, m.localnetLines()+m.demoLines()+m.scriptRunLines(),
		node.Settings.AdminUser, token, try)
	return nil
}

// token is a token of the administrator. A node with an issuer cannot make one.
func (m *machine) token() (string, error) {
	if m.command.HasIssuer() {
		return "(from your issuer)", nil
	}
	return auth.Mint(m.command.AuthSecret, m.command.AuthAudience, m.node.Settings.AdminUser, 0, time.Now())
}

// tryLines are three commands for beginners. If the ledger has wallets, the commands only read.
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
		head = fmt.Sprintf("The ledger continues at offset %d, with the wallets of %s. Three commands to try:",
			record.Offset, someOf(wallets))
		commands = []string{"balance", "history " + console.Quoted(wallets[0]), "party list"}
		if len(m.demo) > 0 {
			head = "Three commands to try, in another terminal (balances, history, open offers):"
			commands = []string{"balance", "history alice", "offers carol"}
		}
	}
	for i, command := range commands {
		commands[i] = "  " + m.invocation(command) + "\n"
	}
	return head + "\n\n" + strings.Join(commands, ""), nil
}

func (m *machine) demoLines() string {
	if len(m.demo) == 0 {
		return ""
	}
	return "\nThe demo:\n\n  " + strings.Join(m.demo, "\n  ") + "\n"
}

// wallets are the users with their own party, without those of a fresh ledger.
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
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// invocation is the command line of a command for this node, with the program name that the user typed.
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
