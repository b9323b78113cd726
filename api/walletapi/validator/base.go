// Package validator has the common parts of the validator's endpoints: authentication of the caller, reads of the
// ledger, and changes.
//
// An endpoint composes a change from the state of the ledger ([Composed]), and then makes or previews it: trial.go is
// the ledger of a preview. Lists of contracts are in read.go and fair_list.go; the operator's preapprovals are in
// preapprovals.go.
package validator

import (
	"context"
	"errors"
	"time"

	"github.com/florinledger/florin/api/preview"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/coalesce"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// WalletRecord reads from the database.
type WalletRecord interface {
	preview.ContractReader
	Head(ctx context.Context) (db.Head, error)
	// LedgerSettings reads the ledger's present settings.
	LedgerSettings(ctx context.Context) (ledger.Settings, error)
	// ProvidedPreapprovals lists the receivers for whom the operator has paid beyond now.
	ProvidedPreapprovals(
		ctx context.Context, now time.Time, receivers ...ledger.Party,
	) (db.ProvidedPreapprovals, error)
	User(ctx context.Context, identity ledger.Identity) (ledger.User, bool, error)
	UserRights(ctx context.Context, id string) ([]ledger.Right, error)
	GrantRights(
		ctx context.Context, id string, rights []ledger.Right, guards ...db.UserGuard,
	) ([]ledger.Right, error)
	// WalletParty finds the party of a user's present or former wallet.
	WalletParty(ctx context.Context, owner ledger.Identity) (ledger.Party, bool, error)
	// ActiveContracts and Contracts find every contract, also requests of apps, which are not the network's.
	ActiveContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error)
	Contracts(ctx context.Context, ids []ledger.ContractID) (map[ledger.ContractID]db.StoredContract, error)
	ActiveNetworkContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error)
	NetworkContract(ctx context.Context, id ledger.ContractID) (db.StoredContract, bool, error)
	NetworkContracts(ctx context.Context, ids []ledger.ContractID) (map[ledger.ContractID]db.StoredContract, error)
	Shared(ctx context.Context, named db.NamedQuery) (ids []ledger.ContractID, few bool, err error)
	// HeldContracts, Balance, Offers, MergeDelegations and ActiveByTemplate are for decisions about coin: which coin
	// pays, and for what.
	HeldContracts(ctx context.Context, held db.HeldQuery) ([]db.StoredContract, error)
	Balance(ctx context.Context, template string, holder ledger.Party) (decimal.Decimal, error)
	Offers(ctx context.Context, offered db.OfferQuery) ([]db.StoredContract, error)
	MergeDelegations(
		ctx context.Context, template string, owner, operator ledger.Party, limit int32,
	) ([]db.StoredContract, error)
	ActiveByTemplate(ctx context.Context, template string, limit int32) ([]db.StoredContract, error)
	// KeptOffset is the last offset at which contracts changed that nodes keep in memory.
	KeptOffset(ctx context.Context) (ledger.Offset, error)
	AutomationSetting(ctx context.Context, kind string, party ledger.Party) (db.AutomationSetting, error)
	// UpdateByOffset and UpdateByID find whole updates, of the wallet's own submissions.
	UpdateByOffset(ctx context.Context, offset ledger.Offset) (ledger.Update, bool, error)
	UpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.Update, bool, error)
}

// Submitter submits to the ledger.
type Submitter interface {
	// SubmitAndTrace waits for the completion, also of a refused submission, and returns the id of the workflow.
	SubmitAndTrace(
		ctx context.Context, submission ledger.Submission,
	) (completion ledger.Completion, workflowID string, err error)
	// WorkflowOf finds the workflow of a completion; "" if it is unknown.
	WorkflowOf(ctx context.Context, completion ledger.Completion) (string, error)
}

// Catalog has the packages of the ledger.
type Catalog interface {
	// For returns the present packages of the ledger.
	For(ctx context.Context) (*ledger.Packages, error)
}

// Options are the parts of a [Base]. All are required but Traffic.
type Options struct {
	Node ledger.Node
	// Packages are the built-in packages; Catalog also has the uploaded ones.
	Packages  *ledger.Packages
	Catalog   Catalog
	Record    WalletRecord
	Submitter Submitter
	// LedgerUser is the operator's administrator on the ledger, who gets the right to act as each wallet's party.
	LedgerUser string
	// Now is the ledger's clock.
	Now func() time.Time
	// Traffic are the synchronizer's traffic rules, for previews; zero for none.
	Traffic ledger.TrafficRules
}

// Base has the common parts of all endpoints.
type Base struct {
	Node ledger.Node
	// Packages are the built-in packages; Catalog also has the uploaded ones.
	Packages *ledger.Packages
	Catalog  Catalog
	// Now is the ledger's clock.
	Now func() time.Time
	// LedgerUser is the operator's administrator on the ledger.
	LedgerUser string

	record    WalletRecord
	submitter Submitter
	traffic   ledger.TrafficRules
	memory    memory
	settings  *coalesce.Query[ledger.Settings]
	// parties has one turn for each party. paying has one turn for each payer whose payments contended.
	parties, paying *turns.Turns
}

// New makes the base. The error names the missing options.
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
		settings: coalesce.New(options.Record.LedgerSettings),
		memory:   memory{changed: coalesce.New(options.Record.KeptOffset)},
		parties:  turns.New(turns.Limits{Each: 1}), paying: turns.New(turns.Limits{Each: 1}),
	}, nil
}

// Alone waits until no other request of this process works on the party, or until ctx ends.
func (b *Base) Alone(ctx context.Context, party ledger.Party) (leave func(), err error) {
	return b.parties.Take(ctx, turns.Account{Name: string(party)})
}
