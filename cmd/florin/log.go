package main

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
)

type logCommand struct {
	Level logLevelCommand `cmd:"" help:"Show or change the log level of a running node."`
}

type logLevelCommand struct {
	remote.Node
	console.Output

	Level string `arg:"" optional:"" help:"New level: debug, info, warn or error; show prints the level." enum:"show,debug,info,warn,error" default:"show"`
}

// Run changes the level, if one is given, and prints it.
func (c *logLevelCommand) Run(ctx context.Context) error {
	return c.AsAdmin(ctx, func(ctx context.Context, admin *client.Client) error {
		method, body := http.MethodGet, any(nil)
		if c.Level != "show" {
			method, body = http.MethodPut, operatorapi.LogLevel{Level: c.Level}
		}
		var now operatorapi.LogLevel
		if err := admin.Call(ctx, method, operatorapi.LogLevelPath, body, &now); err != nil {
			return err
		}
		return c.Print(console.Answer{Data: now, Names: []string{now.Level}, Text: "log level " + now.Level})
	})
}
