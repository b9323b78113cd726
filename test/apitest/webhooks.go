package apitest

import (
	"log/slog"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/walletapi"
	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/webhook"
)

// webhooks makes the endpoints of webhooks, whose receivers may be on this machine. Sender delivers their messages.
func (s *Server) webhooks() *webhookapi.API {
	var err error
	s.Sender, err = webhook.New(webhook.Options{
		Record: s.DB, AllowPrivate: true, Now: now, Log: slog.New(slog.DiscardHandler),
		Ledger: ledgerapi.NewRenderer(s.Node, s.Catalog), Wallets: walletapi.NewRenderer(s.DB, now),
		Alarm: webhookapi.RenderAlarm,
	})
	require.NoError(s.tb, err)
	family, err := webhookapi.New(s.DB, s.Sender, now)
	require.NoError(s.tb, err)
	return family
}
