package activities

import (
	"log/slog"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/packages/catalog"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// Activities holds the dependencies of the activities. Its exported methods with a context are the activities. Their
// names are in workflow histories and must never change.
type Activities struct {
	DB *db.DB
	// Packages are the built-in packages.
	Packages *ledger.Packages
	// Catalog also knows the uploaded packages; nil for none.
	Catalog *catalog.Catalog
	// Node is the identity of the installation.
	Node ledger.Node
	// Clock is the ledger's clock.
	Clock func() time.Time
	// Traffic are the synchronizer's rules; a setting of the ledger enforces them.
	Traffic ledger.TrafficRules
	// Payloads caches decoded contracts; may be nil.
	Payloads *ledger.Payloads
	// Lifecycles knows which contracts need a workflow; nil for none.
	Lifecycles *lifecycle.Registry
	// Automations are the kinds of automation; nil for none.
	Automations *automation.Registry
	// Share lets long code of uploaded packages take turns; nil if it never waits.
	Share *turns.Share
	// Webhooks sends the messages of webhooks; nil for none.
	Webhooks Webhooks
	// Outcomes gets every completion that this process records; may be nil.
	Outcomes *Outcomes
	// Measure begins to measure a commit; nil measures nothing.
	Measure func() Measurement
	// Looked is called after each look of a lifecycle, so that others can be called; may be nil.
	Looked func()
	// Forged is called for each input that came through Temporal without a valid seal; may be nil.
	Forged func()
	Log    *slog.Logger

	parties partyCache
	due     dueTurns
	group   groupCommit
	ahead   interpretations
}
