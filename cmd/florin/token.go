package main

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/cmd/florin/secret"
)

type tokenCommand struct {
	User           string        `help:"The user that the token names." required:""`
	TTL            time.Duration `name:"ttl" help:"How long it is valid; 0 for ever."`
	AuthSecret     string        `help:"Secret to sign with; unsafe when left out." env:"FLORIN_AUTH_SECRET" secret:""`
	AuthSecretFile string        `help:"File that holds that secret." env:"FLORIN_AUTH_SECRET_FILE"`
	AuthAudience   string        `help:"Audience to name." default:"https://canton.network.global" env:"FLORIN_AUTH_AUDIENCE"`
}

// Run prints the token.
func (c *tokenCommand) Run() error {
	given, err := secret.Of(c.AuthSecret, c.AuthSecretFile, "auth-secret")
	if err != nil {
		return err
	}
	token, err := auth.Mint(cmp.Or(given, auth.DefaultSecret), c.AuthAudience, c.User, c.TTL, time.Now())
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, token)
	return nil
}
