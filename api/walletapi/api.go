package walletapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/florinledger/florin/api/preview"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// Record is what the endpoints read from the database.
type Record interface {
	preview.Record
	Users
	ExternalParty(ctx context.Context, party ledger.Party) (db.ExternalParty, bool, error)
	// Namespaces finds what is kept of the namespaces of external parties.
	Namespaces(ctx context.Context, names ...string) (topology.Namespaces, error)
	Head(ctx context.Context) (db.Head, error)
	// LedgerSettings reads what the ledger decides by now.
	LedgerSettings(ctx context.Context) (ledger.Settings, error)
	// ProvidedPreapprovals tells for whom the operator has paid preapprovals beyond a time.
	ProvidedPreapprovals(
		ctx context.Context, now time.Time, receivers ...ledger.Party,
	) (db.ProvidedPreapprovals, error)
	// ForgetProvidedPreapproval gives up what the operator has paid for, and reports whether there was anything, or an
	// earlier attempt at the request has given it up.
	ForgetProvidedPreapproval(ctx context.Context, receiver ledger.Party, by *db.KeyClaim) (bool, error)
	// WakeProposals has automation look at once at receivers that wait for the operator to provide a preapproval.
	WakeProposals(ctx context.Context, receivers ...ledger.Party) error
	User(ctx context.Context, who ledger.Identity) (ledger.User, bool, error)
	UserRights(ctx context.Context, id string) ([]ledger.Right, error)
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
	OpenRounds(ctx context.Context, before db.Position, limit int32) ([]db.StoredContract, error)
	AutomationSetting(ctx context.Context, kind string, party ledger.Party) (db.AutomationSetting, error)
	TrackedState(ctx context.Context, id db.TrackedID) (json.RawMessage, bool, error)
	// Requesters are those whose requests with the tracking id concern the party, so many at most.
	Requesters(ctx context.Context, party ledger.Party, kind, trackingID string, limit int32) ([]ledger.Party, error)
	History(ctx context.Context, query db.HistoryQuery) ([]ledger.NetworkUpdate, error)
	NetworkUpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.NetworkUpdate, bool, error)
	// CompletionsByHash finds what became of a transaction that was signed outside the node.
	CompletionsByHash(
		ctx context.Context, hash string, parties []ledger.Party, limit int32,
	) ([]ledger.Completion, error)
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

// Options are the parts of an [API]. All are required.
type Options struct {
	Node      ledger.Node
	Packages  *ledger.Packages
	Record    Record
	Submitter Submitter
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
	node      ledger.Node
	packages  *ledger.Packages
	record    Record
	submitter Submitter
	now       func() time.Time
	traffic   ledger.TrafficRules
	log       *slog.Logger

	onboarder  Onboarder
	ledgerUser string
	ensuring   turns
}

// New makes the API. The error names the part that is missing.
func New(options Options) (*API, error) {
	switch {
	case options.Node.DSO == "" || options.Node.Operator == "" || options.Node.SynchronizerID == "":
		return nil, errors.New("the wallet API needs the identity of the node, of its operator and of the DSO")
	case options.Packages == nil || options.Record == nil || options.Submitter == nil || options.Onboarder == nil:
		return nil, errors.New("the wallet API needs packages, a record to read from, and somewhere to submit to and to " +
			"onboard parties")
	case options.Now == nil || options.LedgerUser == "":
		return nil, errors.New("the wallet API needs a clock, and the operator's ledger user")
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &API{
		node: options.Node, packages: options.Packages, record: repeatable{recordInTurn{options.Record}},
		submitter: options.Submitter, now: options.Now, traffic: options.Traffic, ledgerUser: options.LedgerUser,
		onboarder: onboarderInTurn{options.Onboarder}, log: options.Log,
	}, nil
}
