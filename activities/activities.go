package activities

import (
	"log/slog"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/packages/catalog"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// Activities holds what the activities need. Its exported methods taking a context are the activities; their names are
// recorded in workflow histories and never change.
type Activities struct {
	DB *db.DB
	// Packages are those that are built in.
	Packages *ledger.Packages
	// Catalog knows those that were uploaded, too; nil for none.
	Catalog *catalog.Catalog
	// Node is the identity of the installation.
	Node ledger.Node
	// Clock is the ledger's clock.
	Clock func() time.Time
	// Traffic are the synchronizer's conditions; whether they are enforced is a setting of the ledger.
	Traffic ledger.TrafficRules
	// Payloads remembers decoded contracts; nil does without.
	Payloads *ledger.Payloads
	// Lifecycles knows which contracts workflows look after; nil for none.
	Lifecycles *lifecycle.Registry
	// Automations are what the node does by itself; nil for nothing.
	Automations *automation.Registry
	// Outcomes is told of every completion that this process records; nil tells nobody.
	Outcomes *Outcomes
	// Measure begins to measure a commit; nil measures nothing.
	Measure func() Measurement
	// Looked is told of every lifecycle that looked at its contracts, so that others may; nil tells nobody.
	Looked func()
	// Forged is told of everything that came through Temporal and is not this ledger's; nil tells nobody.
	Forged func()
	Log    *slog.Logger

	parties partyCache
	due     dueTurns
}
