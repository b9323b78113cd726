package main

import (
	"github.com/florinledger/florin/cmd/florin/daml"
	"github.com/florinledger/florin/cmd/florin/remote"
)

// darCommand shows the content of DAR files, and lists and changes the packages of a node.
type darCommand struct {
	daml.DARCommand

	Upload remote.DARUploadCommand `cmd:"" help:"Upload DAR files to a node."`
	Watch  remote.DARWatchCommand  `cmd:"" help:"Upload DAR files to a development node, and again whenever one changes."`
	List   remote.DARListCommand   `cmd:"" help:"List the packages that commands may use."`
}
