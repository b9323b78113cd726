package main

import (
	"github.com/florinledger/florin/cmd/florin/daml"
	"github.com/florinledger/florin/cmd/florin/remote"
)

// darCommand is about DAR files: what is in them, and what a node has of them.
type darCommand struct {
	daml.DARCommand

	Upload remote.DARUploadCommand `cmd:"" help:"Upload DAR files to a node."`
	Watch  remote.DARWatchCommand  `cmd:"" help:"Upload DAR files to a development node, and again whenever one changes."`
	List   remote.DARListCommand   `cmd:"" help:"List the packages that commands may use."`
}
