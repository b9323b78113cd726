package db

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// LoadRequest lists the rows that a commit needs. Repeats are allowed; empty lists cost nothing.
type LoadRequest struct {
	Keys         []string // of submissions
	Changes      []ledger.ChangeID
	Contracts    []ledger.ContractID
	ContractKeys []string // key hashes
	// Read are contracts of which the commit needs to know only whether they are active.
	Read    []ledger.ContractID
	Parties []ledger.Party
	// Planned are the keys of submissions that automation has planned.
	Planned []string
	// Users are loaded with their rights over RightsOver.
	Users      []string
	RightsOver []ledger.Party
	// Locked, if set, is called when the head is locked.
	Locked func()
}

// Loaded has the rows that [Tx.Load] found. The maps have no entries for rows that do not exist.
type Loaded struct {
	Head Head
	// Clock is the ledger's clock.
	Clock ClockState
	// Settings are those of the ledger.
	Settings ledger.Settings
	// Completions by submission key: these submissions are done.
	Completions map[string]ledger.Completion
	// Changes that were accepted before.
	Changes map[ledger.ChangeID]Change
	// Contracts, active and archived.
	Contracts map[ledger.ContractID]StoredContract
	// Active tells of each of the contracts Read whether it is active.
	Active map[ledger.ContractID]bool
	// ContractKeys gives the active contract of each key hash.
	ContractKeys map[string]StoredContract
	// Parties tells of each known party whether it is local.
	Parties map[ledger.Party]bool
	// Users are those who exist, by id.
	Users map[string]ledger.Submitter
	// Planned are the keys of submissions that are still the last ones that automation has planned for their subjects, and
	// not long ago. Nobody can plan again until the transaction ends.
	Planned map[string]bool
	// PackagesOffset is the offset of the last upload or vetting of packages; 0 before the first.
	PackagesOffset ledger.Offset
}

// Load locks the head as [Tx.LockHead] does, then looks everything up, in one round trip. Nobody can commit between
// the answers and the end of the transaction.
func (t *Tx) Load(ctx context.Context, request LoadRequest) (Loaded, error) {
	var loaded Loaded
	var rows loadedRows
	batch := &pgx.Batch{}
	rows.queue(batch, request)
	if err := t.tx.SendBatch(ctx, batch).Close(); err != nil {
		return loaded, failed("locking the head and loading what the commit needs", err)
	}
	loaded.Head = fromDBHead(rows.head[0])
	t.hash = loaded.Head.Hash
	loaded.Clock = fromDBClock(rows.clock[0])
	loaded.PackagesOffset = ledger.Offset(rows.packages[0])
	loaded.Changes = fromDBChanges(rows.changes)
	loaded.Parties = fromDBKnownParties(rows.parties)
	loaded.Users = fromDBSubmitters(rows.users)
	loaded.Planned = make(map[string]bool, len(rows.planned))
	for _, key := range rows.planned {
		loaded.Planned[key] = true
	}
	loaded.Active = make(map[ledger.ContractID]bool, len(request.Read))
	for _, id := range request.Read {
		loaded.Active[id] = false
	}
	for _, id := range rows.active {
		loaded.Active[ledger.ContractID(id)] = true
	}
	var err error
	if loaded.Settings, err = fromDBLedgerSettings(rows.settings[0]); err != nil {
		return loaded, err
	}
	if loaded.Completions, err = completionsByKey(rows.completions); err != nil {
		return loaded, err
	}
	if loaded.Contracts, err = contractsByID(rows.contracts); err != nil {
		return loaded, err
	}
	loaded.ContractKeys, err = contractsByKey(rows.byKey)
	return loaded, err
}

// loadedRows are the rows that [Tx.Load] finds, by query.
type loadedRows struct {
	head             []dbgen.LockHeadRow
	clock            []dbgen.GetClockRow
	settings         [][]byte
	completions      []dbgen.Completion
	changes          []dbgen.ListChangesRow
	contracts, byKey []dbgen.Contract
	parties          []dbgen.ListKnownPartiesRow
	planned, active  []string
	packages         []int64
	users            []dbgen.ListSubmittersRow
}

func (r *loadedRows) queue(batch *pgx.Batch, request LoadRequest) {
	batch.Queue(dbgen.LockHead).Query(func(rows pgx.Rows) (err error) {
		r.head, err = pgx.CollectRows(rows, pgx.RowToStructByPos[dbgen.LockHeadRow])
		if request.Locked != nil {
			request.Locked()
		}
		return err
	})
	queue(batch, &r.clock, pgx.RowToStructByPos, dbgen.GetClock)
	queue(batch, &r.settings, pgx.RowTo[[]byte], dbgen.GetLedgerSettings)
	queue(batch, &r.packages, pgx.RowTo[int64], dbgen.GetPackagesOffset)
	queueList(batch, &r.completions, pgx.RowToStructByPos, dbgen.ListCompletionsByKey, request.Keys)
	queueList(batch, &r.changes, pgx.RowToStructByPos, dbgen.ListChanges, ledger.Strings(request.Changes))
	queueList(batch, &r.contracts, pgx.RowToStructByPos, dbgen.ListContracts, ledger.Strings(request.Contracts))
	queueList(batch, &r.active, pgx.RowTo[string], dbgen.ListActiveIDs, ledger.Strings(request.Read))
	queueList(batch, &r.byKey, pgx.RowToStructByPos, dbgen.ListContractsByKey, request.ContractKeys)
	queueList(batch, &r.parties, pgx.RowToStructByPos, dbgen.ListKnownParties, ledger.Strings(request.Parties))
	queueList(batch, &r.planned, pgx.RowTo[string], dbgen.ListPlanned, request.Planned)
	if len(request.Users) > 0 {
		queue(batch, &r.users, pgx.RowToStructByPos, dbgen.ListSubmitters, ledger.Strings(request.RightsOver), request.Users)
	}
}

// queueList queues a query that takes one list, unless the list is empty.
func queueList[T any](batch *pgx.Batch, into *[]T, scan pgx.RowToFunc[T], query string, list []string) {
	if len(list) > 0 {
		queue(batch, into, scan, query, list)
	}
}

func queue[T any](batch *pgx.Batch, into *[]T, scan pgx.RowToFunc[T], query string, arguments ...any) {
	batch.Queue(query, arguments...).Query(func(rows pgx.Rows) error {
		var err error
		*into, err = pgx.CollectRows(rows, scan)
		return err
	})
}

func fromDBSubmitters(rows []dbgen.ListSubmittersRow) map[string]ledger.Submitter {
	users := make(map[string]ledger.Submitter, len(rows))
	for _, row := range rows {
		user := ledger.Submitter{
			Identity:      ledger.Identity{IdentityProviderID: row.IdentityProviderID, UserID: row.ID},
			IsDeactivated: row.IsDeactivated,
		}
		for _, right := range row.Rights {
			kind, party, _ := strings.Cut(right, " ")
			user.Rights = append(user.Rights, ledger.Right{Kind: ledger.RightKind(kind), Party: ledger.Party(party)})
		}
		users[row.ID] = user
	}
	return users
}
