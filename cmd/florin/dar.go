package main

import (
	"github.com/florinledger/florin/cmd/florin/client"
	"github.com/florinledger/florin/cmd/florin/daml"
)

// darCommand is about DAR files: what is in them, and what a node has of them.
type darCommand struct {
	daml.DARCommand

	Upload client.DARUploadCommand `cmd:"" help:"Upload DAR files to a node."`
	Watch  client.DARWatchCommand  `cmd:"" help:"Upload DAR files to a development node, and again whenever one changes."`
	List   client.DARListCommand   `cmd:"" help:"List the packages that commands may use."`
}
