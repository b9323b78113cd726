package main

import (
	"fmt"
	"os"
	"time"

	"github.com/florinledger/florin/auth"
)

type tokenCommand struct {
	User         string        `help:"The user that the token names." required:""`
	TTL          time.Duration `name:"ttl" help:"How long it is valid; 0 for ever."`
	AuthSecret   string        `help:"Secret to sign with." default:"unsafe" env:"FLORIN_AUTH_SECRET"`
	AuthAudience string        `help:"Audience to name." default:"https://canton.network.global" env:"FLORIN_AUTH_AUDIENCE"`
}

// Run prints the token.
func (c *tokenCommand) Run() error {
	token, err := auth.Mint(c.AuthSecret, c.AuthAudience, c.User, c.TTL, time.Now())
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, token)
	return nil
}
