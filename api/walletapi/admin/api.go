// Package admin serves operators: the participant, and the preapprovals that the operator provides:
// /v0/admin/participant and /v0/admin/transfer-preapprovals.
package admin

import (
	"context"
	"log/slog"

	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// PreapprovalRecord stores for whom the operator has paid.
type PreapprovalRecord interface {
	// ForgetProvidedPreapproval deletes the record that the operator paid for a preapproval of the receiver. It reports whether there
	// was one, or an earlier attempt of the request deleted it.
	ForgetProvidedPreapproval(ctx context.Context, receiver ledger.Party, by *db.KeyClaim) (bool, error)
	// WakeProposals makes automation check at once the receivers that wait for a preapproval from the operator.
	WakeProposals(ctx context.Context, receivers ...ledger.Party) error
}

// API serves operators.
type API struct {
	*validator.Base

	record PreapprovalRecord
	log    *slog.Logger
}

// New makes the API. The log gets failures after a request has succeeded.
func New(base *validator.Base, record PreapprovalRecord, log *slog.Logger) *API {
	return &API{Base: base, record: record, log: log}
}
