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
)

// version is set by the linker.
var version = "unknown"

type cli struct {
	Up      upCommand      `cmd:"" help:"Start everything on this machine: PostgreSQL, Temporal with its UI, API and worker."`
	Serve   serveCommand   `cmd:"" help:"Run API and worker against an existing PostgreSQL and Temporal."`
	API     apiCommand     `cmd:"" name:"api" help:"Run the API alone; workers run elsewhere."`
	Worker  workerCommand  `cmd:"" help:"Run a worker alone; the API runs elsewhere."`
	Migrate migrateCommand `cmd:"" help:"Create or upgrade the schema of the database."`
	Prune   pruneCommand   `cmd:"" help:"Forget the record up to an offset, to get disk space back."`
	Audit   auditCommand   `cmd:"" help:"Prove from the record that coin is neither made nor lost."`
	Repair  repairCommand  `cmd:"" help:"Start the workflows of all contracts anew, after Temporal's state was lost."`
	Backup  backupCommand  `cmd:"" help:"Write the record of a node to a directory, while it runs or not."`
	Restore restoreCommand `cmd:"" help:"Make the record of a node from a backup, and check that it is the same."`
	SealKey sealKeyCommand `cmd:"" name:"seal-key" help:"Make a new key by which nodes know their own submissions and rows again."`
	Clock   clockCommand   `cmd:"" help:"Show the ledger's time, or advance it on a development node."`
	Token   tokenCommand   `cmd:"" help:"Print a token signed with the development secret."`
	Key     keyCommand     `cmd:"" help:"Keep a party's key outside the node: make it, sign with it."`
	Tx      txCommand      `cmd:"" help:"See what a party signs."`
	Bench   benchCommand   `cmd:"" help:"Measure a running node against the ceilings under it."`
	Config  configCommand  `cmd:"" help:"Print the settings, and change those of the ledger."`
	Version versionCommand `cmd:"" help:"Print the version."`

	Testenv     testenvCommand  `cmd:"" hidden:"" help:"Run a command with a PostgreSQL and a Temporal of its own."`
	TemporalDev temporalCommand `cmd:"" hidden:"" name:"temporal-dev" help:"The Temporal server that 'up' starts."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // who asks a second time does not want to wait
	var commands cli
	parser := kong.Must(&commands,
		kong.Name("florin"),
		kong.Description("A Canton-style ledger with a coin, in one program."),
		kong.UsageOnError(),
		kong.Vars(variables()),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	parsed, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	if err := parsed.Run(); err != nil {
		if exit, ok := errors.AsType[exitError](err); ok {
			os.Exit(exit.code) //nolint:gocritic // the deferred stop only gives signals back
		}
		fmt.Fprintln(os.Stderr, "florin: "+err.Error())
		os.Exit(1)
	}
}

// exitError passes on the exit code of a command that was run.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run() error {
	_, err := fmt.Println("florin " + version)
	return err
}
