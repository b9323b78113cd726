package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/devnet/visibility"
)

// temporalToolsCommand has the tools for the Temporal of `florin up`.
type temporalToolsCommand struct {
	Indexes indexesCommand `cmd:"" help:"Show which attributes of workflows have an index, and create or remove indexes."`
}

// indexesCommand shows and changes the indexes of Temporal's visibility store.
type indexesCommand struct {
	console.Output

	DataDir string `help:"Data directory of a node started by florin up." default:".florin" env:"FLORIN_DATA_DIR"`
	All     bool   `help:"Create the indexes that florin up leaves out, and keep them at later starts." xor:"which"`
	Few     bool   `help:"At its next start, florin up removes the indexes that neither the UI nor Florin uses." xor:"which"`
}

// Run changes the indexes if a flag says so, and shows them.
func (c *indexesCommand) Run(ctx context.Context) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	switch {
	case c.All:
		err = visibility.All(ctx, conn, func(name string) { fmt.Fprintln(os.Stderr, "florin: create "+name) })
	case c.Few:
		err = visibility.Few(ctx, conn)
	}
	if err != nil {
		return console.Fail(console.ExitFailed, "run the same command again: it continues where it stopped", "%w", err)
	}
	found, err := visibility.List(ctx, conn)
	if err != nil {
		return err
	}
	return c.Print(indexesAnswer(found))
}

func (c *indexesCommand) connect(ctx context.Context) (*pgx.Conn, error) {
	info, err := runfile.Read(c.DataDir)
	if err != nil {
		return nil, console.Fail(console.ExitNoNode, remote.OnData(c.DataDir, "up")+" starts one", "%w", err)
	}
	config, err := pgx.ParseConfig(info.DatabaseURL)
	if err != nil {
		return nil, err
	}
	config.Database = visibility.Database
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, console.Fail(console.ExitNoNode, remote.OnData(c.DataDir, "status")+" says whether the node runs",
			"the visibility store of data directory %s does not answer: %w", c.DataDir, err)
	}
	return conn, nil
}

func indexesAnswer(found []visibility.Index) console.Answer {
	answer := console.Answer{
		Data:  map[string]any{"indexes": found},
		Table: console.Table{Head: []string{"INDEX", "", "KB"}},
	}
	const kilobyte = 1 << 10
	for _, one := range found {
		row := []string{one.Name, "left out", ""}
		if one.Present {
			row = []string{one.Name, "there", strconv.FormatInt(one.Bytes/kilobyte, 10)}
			answer.Names = append(answer.Names, one.Name)
		}
		answer.Table.Rows = append(answer.Table.Rows, row)
	}
	return answer
}
