package walletapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// Record is what the endpoints read from the database.
type Record interface {
	validator.Record
	Users
	ExternalParty(ctx context.Context, party ledger.Party) (db.ExternalParty, bool, error)
	// Namespaces finds what is kept of the namespaces of external parties.
	Namespaces(ctx context.Context, names ...string) (topology.Namespaces, error)
	// ForgetProvidedPreapproval gives up what the operator has paid for, and reports whether there was anything, or an
	// earlier attempt at the request has given it up.
	ForgetProvidedPreapproval(ctx context.Context, receiver ledger.Party, by *db.KeyClaim) (bool, error)
	// WakeProposals has automation look at once at receivers that wait for the operator to provide a preapproval.
	WakeProposals(ctx context.Context, receivers ...ledger.Party) error
	OpenRounds(ctx context.Context, before db.Position, limit int32) ([]db.StoredContract, error)
	TrackedState(ctx context.Context, id db.TrackedID) (json.RawMessage, bool, error)
	// Requesters are those whose requests with the tracking id concern the party, so many at most.
	Requesters(ctx context.Context, party ledger.Party, kind, trackingID string, limit int32) ([]ledger.Party, error)
	History(ctx context.Context, query db.HistoryQuery) ([]ledger.NetworkUpdate, error)
	NetworkUpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.NetworkUpdate, bool, error)
	// CompletionsByHash finds what became of a transaction that was signed outside the node.
	CompletionsByHash(
		ctx context.Context, hash string, parties []ledger.Party, limit int32,
	) ([]ledger.Completion, error)
}

// Options are the parts of an [API]. All are required but Traffic and Log.
type Options struct {
	Node      ledger.Node
	Packages  *ledger.Packages
	Record    Record
	Submitter validator.Submitter
	Onboarder Onboarder
	// LedgerUser is the operator's administrator on the ledger, who gets the right to act as each wallet's party.
	LedgerUser string
	// Now is the ledger's clock.
	Now func() time.Time
	// Traffic are the synchronizer's conditions, for telling what they would refuse; zero for none.
	Traffic ledger.TrafficRules
	// Log is told of what failed after a request was done; nil tells nobody.
	Log *slog.Logger
}

// API serves wallets and their operator.
type API struct {
	*validator.Base

	record    Record
	submitter validator.Submitter
	log       *slog.Logger
	onboarder Onboarder
}

// New makes the API. The error names the part that is missing.
func New(options Options) (*API, error) {
	if options.Record == nil || options.Onboarder == nil {
		return nil, errors.New("the wallet API needs a record to read from, and somewhere to onboard parties")
	}
	record := repeatable{recordInTurn{options.Record}}
	base, err := validator.New(validator.Options{
		Node: options.Node, Packages: options.Packages, Record: record, Submitter: options.Submitter, Now: options.Now,
		LedgerUser: options.LedgerUser, Traffic: options.Traffic,
	})
	if err != nil {
		return nil, err
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &API{
		Base: base, record: record, submitter: options.Submitter, onboarder: onboarderInTurn{options.Onboarder},
		log: options.Log,
	}, nil
}
