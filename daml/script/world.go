package script

import (
	"time"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// world is the ledger that answers what a script asks: one in memory that the run has to itself, or that of a node.
// What a ledger cannot answer is an error that says so.
type world interface {
	// submit submits commands, and answers what the library wants to know: an error, or results and tree.
	submit(q *question, one submission) (engine.Value, error)

	// contracts lists the active contracts of the very template that one of the parties sees.
	contracts(q *question, parties []ledger.Party, template lf.TypeName) ([]foundContract, error)
	// contract finds an active contract that one of the parties sees, of the template in any version of its package, with
	// what discloses it; nil where there is none.
	contract(q *question, parties []ledger.Party, template lf.TypeName, id ledger.ContractID) (*foundContract, error)
	// views lists the active contracts that implement an interface and that one of the parties sees. Their values are
	// views; none where a view fails.
	views(q *question, parties []ledger.Party, of lf.TypeName) ([]foundContract, error)
	// view is the view of one of these; none where there is no such contract.
	view(q *question, parties []ledger.Party, of lf.TypeName, id ledger.ContractID) (engine.Value, error)
	// byKey lists active contracts of a template that have a key and that one of the parties sees, the newest first.
	byKey(q *question, parties []ledger.Party, template lf.TypeName, hash string, limit int64) ([]foundContract, error)

	// allocate makes a party. A name that is asked for exactly must be free.
	allocate(q *question, name string, exactly bool) (ledger.Party, error)
	knownParties(q *question) ([]knownParty, error)

	time(q *question) (time.Time, error)
	setTime(q *question, to time.Time) error
	sleep(q *question, d time.Duration) error

	// createUser makes a user, and reports whether there was none.
	createUser(q *question, made *user) (bool, error)
	// user finds a user; nil where there is none.
	user(q *question, id string) (*user, error)
	users(q *question) ([]*user, error)
	deleteUser(q *question, id string) error
	// grant adds rights to a user that is there, and returns those that are new.
	grant(q *question, to *user, rights []right) ([]right, error)
	// revoke takes rights of a user that is there, and returns those that it had.
	revoke(q *question, of *user, rights []right) ([]right, error)

	// vet allows the use of packages, or forbids it.
	vet(q *question, ids []lf.PackageID, allowed bool) error
	// releases lists the packages, only those whose use is allowed where it is told so.
	releases(q *question, vetted bool) ([]release, error)

	// report adds to a report what came of the run on the ledger.
	report(out *Report)
}

// foundContract is a contract that a query has found.
type foundContract struct {
	id ledger.ContractID
	// value is the payload, or the view.
	value engine.Value
	// blob is what discloses the contract, as scripts carry it from a query to a submission.
	blob string
}

// knownParty is a party of a ledger.
type knownParty struct {
	id    ledger.Party
	local bool
}

// release is a version of a package.
type release struct{ name, version string }
