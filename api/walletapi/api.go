package walletapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/florinledger/florin/api/walletapi/admin"
	"github.com/florinledger/florin/api/walletapi/external"
	"github.com/florinledger/florin/api/walletapi/instruments"
	"github.com/florinledger/florin/api/walletapi/onboarding"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// Record reads from the database.
type Record interface {
	validator.WalletRecord
	external.PartyRecord
	onboarding.UserRecord
	instruments.Record
	admin.PreapprovalRecord
	OpenRounds(ctx context.Context, before db.Position, limit int32) ([]db.StoredContract, error)
	TrackedState(ctx context.Context, id db.TrackedID) (json.RawMessage, bool, error)
	// Requesters lists the parties whose requests with the tracking id concern the party, up to limit.
	Requesters(ctx context.Context, party ledger.Party, kind, trackingID string, limit int32) ([]ledger.Party, error)
	History(ctx context.Context, query db.HistoryQuery) ([]ledger.NetworkUpdate, error)
	NetworkUpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.NetworkUpdate, bool, error)
}

// Options are the parts of an [API]. All are required but Traffic, Registries and Log.
type Options struct {
	Node ledger.Node
	// Packages are the built-in packages; Catalog also has the uploaded ones.
	Packages  *ledger.Packages
	Catalog   validator.Catalog
	Record    Record
	Submitter validator.Submitter
	Onboarder external.Onboarder
	// LedgerUser is the operator's administrator on the ledger, who gets the right to act as each wallet's party.
	LedgerUser string
	// Now is the ledger's clock.
	Now func() time.Time
	// Traffic are the synchronizer's traffic rules, for previews; zero for none.
	Traffic ledger.TrafficRules
	// Registries are the registries of tokens of uploaded packages; nil for none.
	Registries *instruments.Registries
	// Log gets failures after a request has succeeded; may be nil.
	Log *slog.Logger
}

// API serves wallets and their operator.
type API struct {
	*validator.Base

	record Record

	instruments *instruments.API

	external   *external.API
	onboarding *onboarding.API
	admin      *admin.API
}

// New makes the API. The error names the missing options.
func New(options Options) (*API, error) {
	if options.Record == nil || options.Onboarder == nil {
		return nil, errors.New("the wallet API needs Record and Onboarder")
	}
	record := retryRecord{options.Record}
	base, err := validator.New(validator.Options{
		Node: options.Node, Packages: options.Packages, Catalog: options.Catalog, Record: record,
		Submitter: options.Submitter, Now: options.Now, LedgerUser: options.LedgerUser, Traffic: options.Traffic,
	})
	if err != nil {
		return nil, err
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &API{
		Base: base, record: record, instruments: instruments.New(base, record, options.Registries),
		external:   external.New(base, record, options.Onboarder),
		onboarding: onboarding.New(base, record),
		admin:      admin.New(base, record, options.Log),
	}, nil
}

// OnboardUser calls [onboarding.API.OnboardUser].
func (a *API) OnboardUser(ctx context.Context, user, hint string) error {
	return a.onboarding.OnboardUser(ctx, user, hint)
}

// OpenOperatorWallet calls [onboarding.API.OpenOperatorWallet].
func (a *API) OpenOperatorWallet(ctx context.Context) error {
	return a.onboarding.OpenOperatorWallet(ctx)
}
