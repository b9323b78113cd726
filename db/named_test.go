package db_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

const mallory = ledger.Party("mallory::1220")

// request is a contract that some parties sign and that names bob.
func request(n int, inNetwork bool, signatories ...ledger.Party) db.NewContract {
	made := coin(n, 1, signatories[0])
	made.Template, made.InNetwork, made.NodeID = template("Request"), inNetwork, int32(n)
	made.Signatories, made.Observers = ledger.SortedParties(signatories), []ledger.Party{bob}
	return made
}

// planted is a record in which mallory has made 20,000 contracts that name bob, alone and in all combinations with
// accomplices. Others have made a few.
func planted(t *testing.T) (record *db.DB, databaseURL string, honest []ledger.ContractID) {
	t.Helper()
	const many = 20_000
	databaseURL = dbtest.URL(t)
	record = dbtest.Open(t, databaseURL)
	entries := db.Entries{Completions: []ledger.Completion{accepted(1, app, alice)}}
	for n := range many {
		var signatories []ledger.Party
		for i := range 10 {
			if n>>i&1 == 1 {
				signatories = append(signatories, ledger.Party(fmt.Sprintf("n%d::1220", i)))
			}
		}
		entries.Created = append(entries.Created, request(n, n%3 > 0, append(signatories, mallory)...))
	}
	for n, maker := range []ledger.Party{alice, carol, alice, bob} {
		made := request(n*many/4, n%2 == 0, maker)
		made.ID = contractID(many + n)
		made.NodeID += many
		if maker == bob {
			made.Observers = []ledger.Party{alice}
		}
		entries.Created = append(entries.Created, made)
		honest = append(honest, made.ID)
	}
	for n := range 300 { // all stakeholders sign these, so they do not count
		made := coin(2*many+n, 1, bob)
		made.Template, made.NodeID = template("Request"), int32(3*many+n)
		entries.Created = append(entries.Created, made)
	}
	appendEntries(t, record, entries)
	return record, databaseURL, honest
}

// A maker of thousands of contracts for somebody, alone or with accomplices, takes no place from makers of few.
func TestNamed_SharesPlacesAmongCreators(t *testing.T) {
	t.Parallel()
	record, databaseURL, honest := planted(t)
	named := db.NamedQuery{Party: bob, Templates: []string{template("Request").String()}, Limit: 100}
	found, few, err := record.Shared(t.Context(), named)
	require.NoError(t, err)
	require.False(t, few)
	require.Subset(t, found, honest)
	require.LessOrEqual(t, len(found), 100)
	require.Greater(t, len(found), len(honest))
	stored, err := record.Contracts(t.Context(), found)
	require.NoError(t, err)
	require.True(t, slices.IsSortedFunc(found, func(a, b ledger.ContractID) int {
		return int(stored[a].NodeID - stored[b].NodeID)
	}), "in order of creation")
	for _, contract := range stored {
		require.True(t, contract.IsStakeholder(bob))
	}

	named.InNetwork = true
	found, _, err = record.Shared(t.Context(), named)
	require.NoError(t, err)
	require.Subset(t, found, []ledger.ContractID{honest[0], honest[2]})
	require.NotContains(t, found, honest[1])

	named.Party = alice // she has made two, and bob has made one that names her
	found, few, err = record.Shared(t.Context(), named)
	require.NoError(t, err)
	require.True(t, few)
	require.Empty(t, found)
	requireFewRowsRead(t, databaseURL)
}

// requireFewRowsRead requires that the queries read only the rows that they return.
func requireFewRowsRead(t *testing.T, databaseURL string) {
	t.Helper()
	const limit = 100
	config, err := pgx.ParseConfig(databaseURL)
	require.NoError(t, err)
	db.Configure(config)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	both, kinds := []bool{true, false}, []string{template("Request").String()}
	makers, err := dbgen.New(conn).ListMakers(t.Context(), dbgen.ListMakersParams{
		CountMax: limit, TemplateIds: kinds, InNetworks: both, Party: bob,
	})
	require.NoError(t, err)
	require.Greater(t, len(makers), 4)
	require.Less(t, len(makers), 30, "a party is one maker, whoever signs with it")
	newest := dbgen.ListNewestOfMakersParams{Party: bob, PerMaker: limit / int32(len(makers))}
	for _, maker := range makers {
		newest.TemplateIds = append(newest.TemplateIds, maker.TemplateID)
		newest.InNetworks = append(newest.InNetworks, maker.InNetwork)
		newest.Makers = append(newest.Makers, maker.Maker)
	}
	for query, arguments := range map[string][]any{
		dbgen.CountMade:          {kinds, both, bob, limit + 1},
		dbgen.ListMakers:         {limit, kinds, both, bob},
		dbgen.ListNewestOfMakers: {newest.TemplateIds, newest.InNetworks, newest.Makers, bob, newest.PerMaker},
	} {
		var explained []struct {
			Plan planNode
		}
		err := conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON)\n"+query, arguments...).Scan(&explained)
		require.NoError(t, err)
		read := explained[0].Plan.read()
		require.Positive(t, read, query)
		require.LessOrEqual(t, read, 2.5*limit, query)
	}
}

// planNode is a node of an executed plan.
type planNode struct {
	Index   string  `json:"Index Name"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Dropped float64 `json:"Rows Removed by Filter"`
	Plans   []planNode
}

// read counts the index entries that were read.
func (p planNode) read() (rows float64) {
	if p.Index != "" {
		rows = (p.Rows + p.Dropped) * p.Loops
	}
	for _, below := range p.Plans {
		rows += below.read()
	}
	return rows
}
