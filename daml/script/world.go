package script

import (
	"time"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// world is the ledger that answers a script: one in memory for this run, or that of a node. It returns an error for a
// question that it cannot answer.
type world interface {
	// submit submits commands, and answers with an error, or with results and a tree.
	submit(q *question, one submission) (engine.Value, error)

	// contracts lists the active contracts of exactly this template that one of the parties sees.
	contracts(q *question, parties []ledger.Party, template lf.TypeName) ([]foundContract, error)
	// contract finds an active contract that one of the parties sees, of the template in any version of its package,
	// with its disclosure; nil for none.
	contract(q *question, parties []ledger.Party, template lf.TypeName, id ledger.ContractID) (*foundContract, error)
	// views lists the active contracts that implement an interface and that one of the parties sees. Their values are
	// views; None if a view fails.
	views(q *question, parties []ledger.Party, of lf.TypeName) ([]foundContract, error)
	// view is the view of one contract; None if there is no such contract.
	view(q *question, parties []ledger.Party, of lf.TypeName, id ledger.ContractID) (engine.Value, error)
	// byKey lists the active contracts of a template with a key that one of the parties sees, the newest first.
	byKey(q *question, parties []ledger.Party, template lf.TypeName, hash string, limit int64) ([]foundContract, error)

	// allocate makes a party. An exact name must be free.
	allocate(q *question, name string, exactly bool) (ledger.Party, error)
	knownParties(q *question) ([]knownParty, error)

	time(q *question) (time.Time, error)
	setTime(q *question, to time.Time) error
	sleep(q *question, d time.Duration) error

	// createUser makes a user; false if it exists.
	createUser(q *question, u *user) (bool, error)
	// user finds a user; nil for none.
	user(q *question, id string) (*user, error)
	users(q *question) ([]*user, error)
	deleteUser(q *question, id string) error
	// grant adds rights to an existing user, and returns the new ones.
	grant(q *question, to *user, rights []right) ([]right, error)
	// revoke removes rights of an existing user, and returns those that it had.
	revoke(q *question, of *user, rights []right) ([]right, error)

	// vet allows or forbids the use of packages.
	vet(q *question, ids []lf.PackageID, allowed bool) error
	// releases lists all packages, or only the vetted ones.
	releases(q *question, vetted bool) ([]release, error)

	// report adds the run's results on the ledger to a report.
	report(out *Report)
}

// foundContract is a result of a query.
type foundContract struct {
	id ledger.ContractID
	// value is the payload, or the view.
	value engine.Value
	// blob discloses the contract in a submission.
	blob string
}

// knownParty is a party of a ledger.
type knownParty struct {
	id    ledger.Party
	local bool
}

// release is a version of a package.
type release struct{ name, version string }
