package node

import (
	"context"
	"net/http"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/seal"
	"github.com/florinledger/florin/web"
	"github.com/florinledger/florin/workflows"
)

// The values of --web. The default is on for development ledgers, else off.
const (
	webOn  = "on"
	webOff = "off"
)

// HasPage reports whether the process serves the page.
func (n *Node) HasPage() bool {
	return n.options.Settings.Web == webOn || n.options.Settings.Web != webOff && n.options.Development
}

// withPage puts the page before the API, if this process serves it.
func (n *Node) withPage(ctx context.Context, handler http.Handler) (http.Handler, error) {
	if !n.HasPage() {
		return handler, nil
	}
	if _, err := n.Database.SealKeys(ctx); err != nil { // makes the first key before the first request
		return nil, err
	}
	names, err := n.options.Settings.hostNames(n.options.Listen)
	if err != nil {
		return nil, err
	}
	provider, err := n.options.Settings.provider()
	if err != nil {
		return nil, err
	}
	var builtIn []string
	for _, pkg := range n.packages.List() {
		builtIn = append(builtIn, append(ledger.Strings(pkg.OtherIDs), string(pkg.ID))...)
	}
	return web.New(web.Options{ //nolint:contextcheck // each page has the context of its request
		API: handler, Secret: n.pageSecret, Hosts: names, HostsFlag: api.HostsFlag,
		BuiltIn: builtIn, Operator: string(n.Identity.Operator),
		Participant: n.Identity.ParticipantID, Synchronizer: n.Identity.SynchronizerID,
		TemporalUI: n.options.TemporalUI, TemporalNamespace: n.options.Settings.TemporalNamespace,
		TemporalQuery: workflows.OfLedger(n.ledger),
		Development:   n.signInByName(), Provider: provider, Taps: n.options.Development,
		Now: time.Now, Log: n.options.Log, Measure: n.metrics.Request,
	})
}

// pageSecret reads the key of the page's cookies from the record.
func (n *Node) pageSecret(ctx context.Context) ([]byte, error) {
	keys, err := n.Database.ReloadSealKeys(ctx)
	if err != nil {
		return nil, err
	}
	return keys.Secret(seal.Page), nil
}

// signInByName lets people sign in by name if the tokens have the default secret, which everybody knows anyway. With
// another secret, people paste a token.
func (n *Node) signInByName() *web.Development {
	settings := n.options.Settings
	if n.hs256 == nil || settings.AuthSecret != auth.DefaultSecret {
		return nil
	}
	return &web.Development{
		Admin: n.Settings.AdminUser, CountFor: endpoint.CountFor,
		Token: func(user string) (string, error) {
			const session = 12 * time.Hour
			return auth.Mint(settings.AuthSecret, settings.AuthAudience, user, session, time.Now())
		},
	}
}
