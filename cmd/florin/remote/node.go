package remote

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/internal/secret"
)

// Node has the flags that name a running node. Commands embed it.
type Node struct {
	DataDir        string `help:"Data directory of a node started by florin up; its address is read from there." default:".florin" env:"FLORIN_DATA_DIR" group:"Node"`
	URL            string `name:"url" help:"Base URL of another node's API." env:"FLORIN_URL" group:"Node"`
	Token          string `help:"Token to send, for a node with an issuer. Default: a development token." env:"FLORIN_TOKEN" group:"Node" secret:""`
	TokenFile      string `help:"File with the token to send." env:"FLORIN_TOKEN_FILE" group:"Node"`
	AuthSecret     string `help:"Secret of development tokens. Default: the secret of the data directory." env:"FLORIN_AUTH_SECRET" group:"Node" secret:""`
	AuthSecretFile string `help:"File with the secret of --auth-secret." env:"FLORIN_AUTH_SECRET_FILE" group:"Node"`
	AuthAudience   string `help:"Audience of development tokens." env:"FLORIN_AUTH_AUDIENCE" group:"Node"`
	AdminUser      string `help:"Participant administrator that sends the requests." default:"${adminUser}" env:"FLORIN_ADMIN_USER" group:"Node"`
}

// Session is a node that a command calls.
type Session struct {
	// Info has the addresses of the node. With --url it has only URL, Secret and Audience.
	Info  runfile.Info
	node  Node // as the flags name it
	http  *client.Client
	admin string
	// token is the token of the command line; "" means development tokens.
	token string
}

// Open finds the node. It sends no request.
func (n Node) Open() (*Session, error) {
	token, err := n.token()
	if err != nil {
		return nil, err
	}
	found := runfile.Info{URL: n.URL, Secret: auth.DefaultSecret, Audience: auth.DefaultAudience}
	if n.URL == "" {
		if found, err = n.find(); err != nil {
			return nil, err
		}
	} else if err := checkURL(n.URL); err != nil {
		return nil, err
	}
	given, err := secret.Of(n.AuthSecret, n.AuthSecretFile, "auth-secret")
	if err != nil {
		return nil, console.Fail(console.ExitUsage, "", "%w", err)
	}
	found.Secret = cmp.Or(given, found.Secret)
	found.Audience = cmp.Or(n.AuthAudience, found.Audience)
	return &Session{node: n, Info: found, http: client.New(found.URL, 1), admin: n.AdminUser, token: token}, nil
}

// find reads the addresses of the node of the data directory.
func (n Node) find() (runfile.Info, error) {
	info, err := runfile.Read(n.DataDir)
	if err == nil {
		return info, nil
	}
	if pid, held := datadir.Holder(n.DataDir); held {
		return info, console.Fail(console.ExitNoNode, n.Florin("wait")+" waits until it is ready",
			"the node on data directory %s (pid %d) is starting", n.DataDir, pid)
	}
	return info, console.Fail(console.ExitNoNode, "give the address of a node elsewhere with --url", "%w", err)
}

func checkURL(text string) error {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return console.Fail(console.ExitUsage, "write it as in --url http://127.0.0.1:7575",
			"--url=%s: this is not the address of a node", text)
	}
	return nil
}

// token is the token of the command line; "" for none.
func (n Node) token() (string, error) {
	token, err := secret.Of(n.Token, n.TokenFile, "token")
	if err != nil {
		return "", console.Fail(console.ExitUsage, "", "%w", err)
	}
	return strings.TrimSpace(token), nil
}

// Close closes the connections.
func (s *Session) Close() { s.http.Close() }

// Anonymous is a client without a token.
func (s *Session) Anonymous() *client.Client { return s.http }

// Admin is a client with the token of the command line, or a client of the administrator.
func (s *Session) Admin() (*client.Client, error) { return s.as(s.admin) }

// as is a client with the token of the command line, or a client of a user.
func (s *Session) as(user string) (*client.Client, error) {
	token, err := s.TokenOf(user)
	return s.http.With(token), err
}

// TokenOf is the token of the command line, or a development token of a user.
func (s *Session) TokenOf(user string) (string, error) {
	if s.token != "" {
		return s.token, nil
	}
	return auth.Mint(s.Info.Secret, s.Info.Audience, user, 0, time.Now())
}

// with calls a function with the node of the flags, and explains its error.
func (n Node) with(ctx context.Context, call func(context.Context, *Session) error) error {
	session, err := n.Open()
	if err != nil {
		return err
	}
	defer session.Close()
	return session.Explain(call(ctx, session))
}

// withWallet calls a function with the wallet of a user or party, and explains its error.
func (n Node) withWallet(
	ctx context.Context, name string, call func(ctx context.Context, s *Session, owner account, wallet *client.Client) error,
) error {
	return n.with(ctx, func(ctx context.Context, s *Session) error {
		owner, wallet, err := s.wallet(ctx, name)
		if err != nil {
			return err
		}
		return call(ctx, s, owner, wallet)
	})
}

// AsAdmin calls a function with a client of the administrator, and explains its error.
func (n Node) AsAdmin(ctx context.Context, call func(context.Context, *client.Client) error) error {
	return n.with(ctx, func(ctx context.Context, s *Session) error {
		admin, err := s.Admin()
		if err != nil {
			return err
		}
		return call(ctx, admin)
	})
}

// AsUser calls a function with a client of a user, or of the administrator for "", and explains its error.
func (n Node) AsUser(
	ctx context.Context, user string, call func(context.Context, *Session, *client.Client) error,
) error {
	return n.with(ctx, func(ctx context.Context, s *Session) error {
		client, err := s.as(cmp.Or(user, s.admin))
		if err != nil {
			return err
		}
		return call(ctx, s, client)
	})
}

// PartyOf finds a party by the name of its user, by the first part of its id, or by its id.
func (s *Session) PartyOf(ctx context.Context, name string) (string, error) {
	found, err := s.find(ctx, name)
	return found.Party, err
}

// now is the ledger's time, for the deadlines of contracts.
func (s *Session) now(ctx context.Context, client *client.Client) time.Time {
	var clock struct {
		LedgerTime time.Time `json:"ledger_time"`
	}
	if err := client.Get(ctx, "/v0/dev/clock", &clock); err != nil || clock.LedgerTime.IsZero() {
		return time.Now() // only development nodes serve their clock; all others use real time
	}
	return clock.LedgerTime
}

// String is for messages.
func (s *Session) String() string { return "the node at " + s.Info.URL }
