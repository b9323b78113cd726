package ledgerapi

import (
	"context"
	"errors"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/api/ledgerapi/packages"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/ledgerapi/users"
	"github.com/florinledger/florin/api/preview"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/packages/catalog"
)

// The default settings, as upstream's.
const (
	DefaultVersion         = "3.5.0-SNAPSHOT"
	DefaultMaxListElements = 200
	DefaultListWait        = 500 * time.Millisecond
	DefaultTrackingTimeout = 5 * time.Minute
	// DefaultMaxLedgerTimeAhead is as long as the node keeps completions and changes for deduplication.
	DefaultMaxLedgerTimeAhead = 24 * time.Hour
	// DefaultCheckpointInterval is well below 75 seconds, which upstream publishes as the longest.
	DefaultCheckpointInterval = 30 * time.Second
)

// Settings are the settings of operators.
type Settings struct {
	// Version is what GET /v2/version reports; some clients accept only certain ones. "" means DefaultVersion.
	Version string
	// MaxListElements limits lists; a longer list gets 413. 0 means DefaultMaxListElements.
	MaxListElements int
	// ListWait is how long lists wait for another element by default. 0 means DefaultListWait.
	ListWait time.Duration
	// TrackingTimeout is how long submissions wait for their completion. 0 means DefaultTrackingTimeout; the request
	// timeout applies too.
	TrackingTimeout time.Duration
	// CheckpointInterval is the time between two checkpoints of a stream, with or without new entries. 0 means
	// DefaultCheckpointInterval.
	CheckpointInterval time.Duration
	// MaxLedgerTimeAhead is the maximum minimum ledger time of a submission after its arrival. 0 means
	// DefaultMaxLedgerTimeAhead.
	MaxLedgerTimeAhead time.Duration
	// Counts limit the size of one submission.
	Counts Counts
	// SimulatedTime says that the ledger's time can be advanced, and that the gRPC API serves it.
	SimulatedTime bool
	// Explains tells a refused caller which right it lacks, as only a development node may.
	Explains bool
}

// LedgerStore is what the endpoints read from the database.
type LedgerStore interface {
	users.UserStore
	parties.PartyStore
	ExternalPartyRecord
	idps.ProviderStore
	CompletionRecord
	ContractRecord
	UpdateRecord
	TailRecord
	preview.Record
	Head(ctx context.Context) (db.Head, error)
}

// Catalog has the packages that commands and filters can name.
type Catalog interface {
	// For returns the current packages of the ledger.
	For(ctx context.Context) (*ledger.Packages, error)
	// Snapshot returns the packages of the last For, or newer ones.
	Snapshot() *ledger.Packages
}

// Options are the parts of an [API]. All are required but Settings and Traffic.
type Options struct {
	Node      ledger.Node
	Catalog   *catalog.Catalog
	Record    LedgerStore
	Pruner    Pruner
	Watcher   Watcher
	Submitter Submitter
	Onboarder parties.Onboarder
	Settings  Settings
	// Traffic are the conditions of the node's traffic, for dry runs.
	Traffic ledger.TrafficRules
	// Now is the node's clock.
	Now func() time.Time
}

// API serves the endpoints of the JSON Ledger API.
type API struct {
	node      ledger.Node
	catalog   Catalog
	record    LedgerStore
	pruner    Pruner
	watcher   Watcher
	tail      *tail
	submitter Submitter
	settings  Settings
	traffic   ledger.TrafficRules
	now       func() time.Time

	users    *users.API
	parties  *parties.API
	idps     *idps.API
	packaged *packages.API
}

// New makes the API. The error names the part that is missing.
func New(options Options) (*API, error) {
	switch {
	case options.Node.ParticipantID == "" || options.Node.SynchronizerID == "":
		return nil, errors.New("the ledger API needs Node")
	case options.Catalog == nil || options.Submitter == nil || options.Onboarder == nil:
		return nil, errors.New("the ledger API needs Catalog, Submitter and Onboarder")
	case options.Record == nil || options.Pruner == nil || options.Watcher == nil:
		return nil, errors.New("the ledger API needs Record, Pruner and Watcher")
	case options.Now == nil:
		return nil, errors.New("the ledger API needs Now")
	}
	return &API{
		node:      options.Node,
		pruner:    options.Pruner,
		catalog:   options.Catalog,
		record:    options.Record,
		watcher:   options.Watcher,
		tail:      newTail(options.Record, options.Watcher),
		submitter: options.Submitter,
		settings:  withDefaults(options.Settings),
		traffic:   options.Traffic,
		now:       options.Now,

		users:    users.New(options.Record),
		parties:  parties.New(options.Node, options.Record, options.Onboarder, options.Now),
		idps:     idps.New(options.Record),
		packaged: packages.New(options.Node, options.Catalog),
	}, nil
}

func withDefaults(s Settings) Settings {
	if s.Version == "" {
		s.Version = DefaultVersion
	}
	if s.MaxListElements == 0 {
		s.MaxListElements = DefaultMaxListElements
	}
	if s.ListWait == 0 {
		s.ListWait = DefaultListWait
	}
	if s.TrackingTimeout == 0 {
		s.TrackingTimeout = DefaultTrackingTimeout
	}
	if s.MaxLedgerTimeAhead == 0 {
		s.MaxLedgerTimeAhead = DefaultMaxLedgerTimeAhead
	}
	if s.CheckpointInterval == 0 {
		s.CheckpointInterval = DefaultCheckpointInterval
	}
	s.Counts = s.Counts.withDefaults()
	return s
}

// Failures makes the errors of this family.
func (a *API) Failures() endpoint.FailureEncoder {
	return v2.FailureEncoder(a.node.ParticipantID, a.settings.Explains)
}

// Explains reports whether a refused caller gets to know which right it lacks.
func (a *API) Explains() bool { return a.settings.Explains }

// packages returns the packages known to this process, for requests that have called the catalog's For.
func (a *API) packages() *ledger.Packages { return a.catalog.Snapshot() }

// Version is the version of the API that clients see.
func (a *API) Version() string { return a.settings.Version }

// CurrentPackages returns the packages of the ledger, for encodings that need the types of values.
func (a *API) CurrentPackages(ctx context.Context) (*ledger.Packages, error) {
	return a.catalog.For(ctx)
}

// KnownPackages returns the packages that this process knows, for the values of its own answers.
func (a *API) KnownPackages() *ledger.Packages { return a.packages() }

// ParticipantID is the id of the participant.
func (a *API) ParticipantID() string { return a.node.ParticipantID }
