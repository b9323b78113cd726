// Package admin serves what operators ask about the participant, and the preapprovals that they provide:
// /v0/admin/participant and /v0/admin/transfer-preapprovals.
package admin

import (
	"context"
	"log/slog"

	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// PreapprovalRecord is where it is kept what the operator has paid for.
type PreapprovalRecord interface {
	// ForgetProvidedPreapproval gives up what the operator has paid for, and reports whether there was anything, or an
	// earlier attempt at the request has given it up.
	ForgetProvidedPreapproval(ctx context.Context, receiver ledger.Party, by *db.KeyClaim) (bool, error)
	// WakeProposals has automation look at once at receivers that wait for the operator to provide a preapproval.
	WakeProposals(ctx context.Context, receivers ...ledger.Party) error
}

// API serves operators.
type API struct {
	*validator.Base

	record PreapprovalRecord
	log    *slog.Logger
}

// New makes the API. The log is told of what failed after a request was done.
func New(base *validator.Base, record PreapprovalRecord, log *slog.Logger) *API {
	return &API{Base: base, record: record, log: log}
}
