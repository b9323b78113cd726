// Package validator is what the endpoints of the validator's API have in common: who calls them, what they read of the
// ledger, and how they have the ledger change.
//
// A change is composed of what the ledger holds ([Composed]), and then made or previewed: trial.go is the ledger of a
// preview. Lists of contracts are in read.go and fair_list.go; whom the operator provides preapprovals for is in
// preapprovals.go.
package validator

import (
	"context"
	"errors"
	"time"

	"github.com/florinledger/florin/api/preview"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// WalletRecord is what all endpoints read from the database.
type WalletRecord interface {
	preview.ContractReader
	Head(ctx context.Context) (db.Head, error)
	// LedgerSettings reads what the ledger decides by now.
	LedgerSettings(ctx context.Context) (ledger.Settings, error)
	// ProvidedPreapprovals tells for whom the operator has paid preapprovals beyond a time.
	ProvidedPreapprovals(
		ctx context.Context, now time.Time, receivers ...ledger.Party,
	) (db.ProvidedPreapprovals, error)
	User(ctx context.Context, who ledger.Identity) (ledger.User, bool, error)
	UserRights(ctx context.Context, id string) ([]ledger.Right, error)
	GrantRights(
		ctx context.Context, id string, rights []ledger.Right, guards ...db.UserGuard,
	) ([]ledger.Right, error)
	// WalletParty finds the party that a user's wallet has or had.
	WalletParty(ctx context.Context, owner ledger.Identity) (ledger.Party, bool, error)
	// ActiveContracts and Contracts find every contract: for requests of apps, which are no network's.
	ActiveContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error)
	Contracts(ctx context.Context, ids []ledger.ContractID) (map[ledger.ContractID]db.StoredContract, error)
	ActiveNetworkContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error)
	NetworkContract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error)
	NetworkContracts(ctx context.Context, ids []ledger.ContractID) (map[ledger.ContractID]db.StoredContract, error)
	Shared(ctx context.Context, named db.Named) (ids []ledger.ContractID, few bool, err error)
	// HeldContracts, Balance, Offers, MergeDelegations and ActiveByTemplate are what is decided by: which coin pays, and
	// what for.
	HeldContracts(ctx context.Context, held db.Held) ([]db.StoredContract, error)
	Balance(ctx context.Context, template string, holder ledger.Party) (decimal.Decimal, error)
	Offers(ctx context.Context, offered db.Offered) ([]db.StoredContract, error)
	MergeDelegations(
		ctx context.Context, template string, owner, operator ledger.Party, limit int32,
	) ([]db.StoredContract, error)
	ActiveByTemplate(ctx context.Context, template string, limit int32) ([]db.StoredContract, error)
	AutomationSetting(ctx context.Context, kind string, party ledger.Party) (db.AutomationSetting, error)
	// UpdateByOffset and UpdateByID find whole updates: for what the wallet itself has just submitted.
	UpdateByOffset(ctx context.Context, offset ledger.Offset) (ledger.Update, bool, error)
	UpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.Update, bool, error)
}

// Submitter takes submissions.
type Submitter interface {
	// SubmitAndTrace waits for the completion, a refused one included, and tells the id of the workflow.
	SubmitAndTrace(
		ctx context.Context, submission ledger.Submission,
	) (completion ledger.Completion, workflowID string, err error)
	// WorkflowOf finds the workflow that a completion came from; "" when it is not known any more.
	WorkflowOf(ctx context.Context, completion ledger.Completion) (string, error)
}

// Catalog knows the packages that the ledger has.
type Catalog interface {
	// For gives the packages that the ledger has now.
	For(ctx context.Context) (*ledger.Packages, error)
}

// Options are the parts of a [Base]. All are required but Traffic.
type Options struct {
	Node ledger.Node
	// Packages are those that are built in, and Catalog has those that were uploaded, too.
	Packages  *ledger.Packages
	Catalog   Catalog
	Record    WalletRecord
	Submitter Submitter
	// LedgerUser is the operator's administrator on the ledger, who gets the right to act as each wallet's party.
	LedgerUser string
	// Now is the ledger's clock.
	Now func() time.Time
	// Traffic are the synchronizer's conditions, for telling what they would refuse; zero for none.
	Traffic ledger.TrafficRules
}

// Base is what all endpoints stand on.
type Base struct {
	Node ledger.Node
	// Packages are those that are built in, and Catalog has those that were uploaded, too.
	Packages *ledger.Packages
	Catalog  Catalog
	// Now is the ledger's clock.
	Now func() time.Time
	// LedgerUser is the operator's administrator on the ledger.
	LedgerUser string

	record    WalletRecord
	submitter Submitter
	traffic   ledger.TrafficRules
	// parties are the turns of parties, and paying those of payers whose payments were in each other's way: one at a time.
	parties, paying *turns.Turns
}

// New makes the base. The error names the part that is missing.
func New(options Options) (*Base, error) {
	switch {
	case options.Node.DSO == "" || options.Node.Operator == "" || options.Node.SynchronizerID == "":
		return nil, errors.New("the wallet API needs Node.DSO, Node.Operator and Node.SynchronizerID")
	case options.Packages == nil || options.Catalog == nil || options.Record == nil || options.Submitter == nil:
		return nil, errors.New("the wallet API needs Packages, Catalog, Record and Submitter")
	case options.Now == nil || options.LedgerUser == "":
		return nil, errors.New("the wallet API needs Now and LedgerUser")
	}
	return &Base{
		Node: options.Node, Packages: options.Packages, Catalog: options.Catalog, Now: options.Now,
		LedgerUser: options.LedgerUser,
		record:     options.Record, submitter: options.Submitter, traffic: options.Traffic,
		parties: turns.New(turns.Limits{Each: 1}), paying: turns.New(turns.Limits{Each: 1}),
	}, nil
}

// Alone waits until no other request of this process deals with the party, or until ctx ends.
func (b *Base) Alone(ctx context.Context, party ledger.Party) (leave func(), err error) {
	return b.parties.Take(ctx, turns.Account{Name: string(party)})
}
