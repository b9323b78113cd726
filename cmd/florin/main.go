// Command florin is a Canton-style ledger with a coin in one program: it serves the JSON Ledger API, runs the workflows
// behind it, and starts a private PostgreSQL and Temporal for those who have none.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
	_ "golang.org/x/crypto/x509roots/fallback" // for machines and images without CA certificates

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/daml"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger/fault"
)

// cli lists the commands in the order of --help: the most used first.
type cli struct {
	Up upCommand `cmd:"" group:"First steps" help:"Start everything on this machine: PostgreSQL, Temporal with its UI, API and worker."`

	Party   remote.PartyCommand   `cmd:"" group:"First steps" help:"Create parties with wallets, and list them."`
	Tap     remote.TapCommand     `cmd:"" group:"First steps" help:"Get test coin for a party, on a development ledger."`
	Send    remote.SendCommand    `cmd:"" group:"First steps" help:"Send coin from one party to another."`
	Balance remote.BalanceCommand `cmd:"" group:"First steps" help:"Show the balances of wallets."`

	Status remote.StatusCommand `cmd:"" group:"The node" help:"Show whether a node is running, and its addresses."`
	Wait   remote.WaitCommand   `cmd:"" group:"The node" help:"Wait until the node is ready, for scripts."`
	Stop   remote.StopCommand   `cmd:"" group:"The node" help:"Stop the node of a data directory."`
	Start  remote.StartCommand  `cmd:"" group:"The node" help:"Start the node again after florin stop --node."`
	Logs   remote.LogsCommand   `cmd:"" group:"The node" help:"Show the logs of the node of a data directory."`
	Log    logCommand           `cmd:"" group:"The node" help:"Show or change the log level while the node runs."`
	Env    remote.EnvCommand    `cmd:"" group:"The node" help:"Print shell commands that export the node's addresses and a token."`
	Reset  remote.ResetCommand  `cmd:"" group:"The node" help:"Delete all data of a node."`
	Doctor doctorCommand        `cmd:"" group:"The node" help:"Check this machine and the node for problems."`

	History     remote.HistoryCommand     `cmd:"" group:"Wallets and users" help:"Show the history of a wallet, newest first."`
	Holdings    remote.HoldingsCommand    `cmd:"" group:"Wallets and users" help:"Show tokens other than the coin, and what is set aside of them."`
	Offers      remote.OffersCommand      `cmd:"" group:"Wallets and users" help:"List transfer offers, and accept, reject or withdraw them."`
	Preapproval remote.PreapprovalCommand `cmd:"" group:"Wallets and users" help:"Turn automatic receiving of coin (preapproval) on or off."`
	User        remote.UserCommand        `cmd:"" group:"Wallets and users" help:"Create users of the ledger API, and list them."`
	Webhook     remote.WebhookCommand     `cmd:"" group:"Wallets and users" help:"Send events to a web server: create, test, pause and repair webhooks."`
	Token       tokenCommand              `cmd:"" group:"Wallets and users" help:"Print a token signed with the development secret."`

	Contracts remote.ContractsCommand `cmd:"" group:"Ledger" help:"List the active contracts of a party."`
	Updates   remote.UpdatesCommand   `cmd:"" group:"Ledger" help:"List the transactions of a party, and follow them."`
	Submit    remote.SubmitCommand    `cmd:"" group:"Ledger" help:"Submit commands from a JSON file, and wait for them."`

	Simulate daml.SimulateCommand `cmd:"" group:"Ledger" help:"Show what commands would do: the transaction, who sees it, its cost, or why it is refused."`

	Clock  clockCommand  `cmd:"" group:"Ledger" help:"Show the ledger's time, or advance it on a development node."`
	Config configCommand `cmd:"" group:"Ledger" help:"Print the settings, and change those of the ledger."`
	Audit  auditCommand  `cmd:"" group:"Ledger" help:"Audit the record: check that every coin comes from a recorded mint and that no coin was lost. List who changed what."`
	Key    keyCommand    `cmd:"" group:"Ledger" help:"Create the key of an external party, and sign with it."`
	Tx     txCommand     `cmd:"" group:"Ledger" help:"Show a transaction before a party signs it."`

	Test   daml.TestCommand   `cmd:"" group:"Daml" help:"Run the Daml Script tests of DAR files, without a node."`
	Script daml.ScriptCommand `cmd:"" group:"Daml" help:"Run a Daml Script against a node; its transactions stay on the ledger."`
	DAR    darCommand         `cmd:"" group:"Daml" name:"dar" help:"Show the content of a DAR file, and upload it."`

	Serve    serveCommand         `cmd:"" group:"Operation" help:"Run API and worker against an existing PostgreSQL and Temporal."`
	API      apiCommand           `cmd:"" group:"Operation" name:"api" help:"Run the API alone; workers run elsewhere."`
	Worker   workerCommand        `cmd:"" group:"Operation" help:"Run a worker alone; the API runs elsewhere."`
	Migrate  migrateCommand       `cmd:"" group:"Operation" help:"Create or upgrade the schema of the database. Nodes can keep running meanwhile."`
	Backup   backupCommand        `cmd:"" group:"Operation" help:"Write the record of a node to a directory. The node can keep running meanwhile."`
	Restore  restoreCommand       `cmd:"" group:"Operation" help:"Restore the record of a node from a backup, and compare it with the backup."`
	Prune    pruneCommand         `cmd:"" group:"Operation" help:"Delete the record up to an offset, to free disk space."`
	Repair   repairCommand        `cmd:"" group:"Operation" help:"Start the workflows of all contracts again after Temporal has lost its state."`
	SealKey  sealKeyCommand       `cmd:"" group:"Operation" name:"seal-key" help:"Rotate the key that nodes seal submissions with."`
	Temporal temporalToolsCommand `cmd:"" group:"Operation" help:"Manage the indexes of the Temporal server that florin up runs."`

	Help       helpCommand       `cmd:"" group:"Help" help:"Print the help of a command, as --help does."`
	Completion completionCommand `cmd:"" group:"Help" help:"Print a script for shell completion of commands and flags."`
	Version    versionCommand    `cmd:"" group:"Help" help:"Print the version."`

	Complete    completeCommand `cmd:"" hidden:"" passthrough:"" name:"__complete" help:"List the words that a shell can complete."`
	Testenv     testenvCommand  `cmd:"" hidden:"" help:"Run a command with a PostgreSQL and a Temporal of its own."`
	TemporalDev temporalCommand `cmd:"" hidden:"" name:"temporal-dev" help:"The Temporal server that 'up' starts."`

	HelpAll     helpAllFlag      `name:"help-all" hidden:"" help:"Print the help of a command with all of its flags."`
	VersionFlag kong.VersionFlag `name:"version" help:"Print the version."`
}

func main() {
	caught := catchHangups() // first: a SIGHUP may arrive while the process starts
	parsed, err := parse(helpArguments(os.Args[1:]))
	if err == nil {
		err = runUntilSignalled(parsed, caught)
	}
	if err == nil {
		return
	}
	if exit, ok := errors.AsType[exitError](err); ok {
		os.Exit(exit.code)
	}
	if !console.IsSilent(err) {
		text := fault.Full(err)
		if unreachable, ok := errors.AsType[*db.UnreachableError](err); ok && parsed != nil && !unreachable.IsFull() {
			text += howGiven(parsed, "database-url")
		}
		fmt.Fprintln(os.Stderr, "florin: "+console.Text(text))
	}
	os.Exit(int(console.CodeOf(err)))
}

// runUntilSignalled runs the command. The first signal ends it in order, a second one at once.
func runUntilSignalled(parsed *kong.Context, caught hangups) error {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	_, rereads := commandOf(parsed).(rereader)
	if !rereads {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	if !rereads {
		signal.Stop(caught)
		if len(caught) > 0 {
			stop() // its terminal is gone already
		}
	}
	parsed.Bind(caught)
	context.AfterFunc(ctx, stop) // the second signal is not caught
	parsed.BindTo(ctx, (*context.Context)(nil))
	return parsed.Run()
}

func newParser() *kong.Kong { return kong.Must(&cli{}, parserOptions()...) }

func parse(arguments []string) (*kong.Context, error) { return parseWith(newParser(), arguments) }

func parseWith(parser *kong.Kong, arguments []string) (*kong.Context, error) {
	parsed, err := parser.Parse(arguments)
	if err != nil {
		return nil, explainUsage(err, parser.Model)
	}
	if err := onePlace(parsed); err != nil {
		return parsed, err
	}
	return parsed, secretsOnce(parsed)
}

func commandOf(parsed *kong.Context) any { return parsed.Selected().Target.Addr().Interface() }

// exitError passes on the exit code of a command that was run.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }
