package main

import (
	"cmp"
	"time"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/internal/secret"
)

type tokenCommand struct {
	console.Output

	User           string        `help:"User in the token." required:""`
	TTL            time.Duration `name:"ttl" help:"Lifetime of the token; 0: no expiry."`
	DataDir        string        `help:"Data directory of florin up; the secret is read from there." default:".florin" env:"FLORIN_DATA_DIR"`
	AuthSecret     string        `help:"Secret to sign with. Default: the secret of the data directory, or unsafe without one." env:"FLORIN_AUTH_SECRET" secret:""`
	AuthSecretFile string        `help:"File with the secret of --auth-secret." env:"FLORIN_AUTH_SECRET_FILE"`
	AuthAudience   string        `help:"Audience of the token. Default: the audience of the data directory." env:"FLORIN_AUTH_AUDIENCE"`
}

type madeToken struct {
	User  string `json:"user"`
	Token string `json:"token"`
	// ExpiresAt is nil for a token without an expiry.
	ExpiresAt *time.Time `json:"expires_at"`
}

// Run prints the token.
func (c *tokenCommand) Run() error {
	now := time.Now()
	token, err := c.mint(now)
	if err != nil {
		return err
	}
	made := madeToken{User: c.User, Token: token}
	if c.TTL != 0 {
		made.ExpiresAt = new(now.Add(c.TTL).UTC().Truncate(time.Second))
	}
	return c.Print(console.Answer{Data: made, Text: token, Names: []string{token}})
}

func (c *tokenCommand) mint(now time.Time) (string, error) {
	given, err := secret.Of(c.AuthSecret, c.AuthSecretFile, "auth-secret")
	if err != nil {
		return "", err
	}
	node, err := runfile.Read(c.DataDir)
	if err != nil && given == "" && c.DataDir != remote.DefaultDataDir {
		return "", console.Fail(console.ExitNoNode, remote.OnData(c.DataDir, "up")+" starts one; for a node elsewhere, give "+
			"its secret with --auth-secret", "%w", err)
	}
	return auth.Mint(cmp.Or(given, node.Secret, auth.DefaultSecret),
		cmp.Or(c.AuthAudience, node.Audience, auth.DefaultAudience), c.User, c.TTL, now)
}
