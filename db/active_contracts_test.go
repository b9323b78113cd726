package db_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// life is a contract of a random history in the model of the tests.
type life struct {
	contract db.NewContract
	archived ledger.Offset // 0 while active
}

func (l life) activeAt(at ledger.Offset) bool {
	return l.contract.Offset <= at && (l.archived == 0 || l.archived > at)
}

func (l life) matches(query db.ActiveQuery) bool {
	return l.activeAt(query.At) &&
		(query.Parties == nil || ledger.PartiesOverlap(l.contract.Stakeholders(), query.Parties)) &&
		(query.Templates == nil || slices.Contains(query.Templates, l.contract.Template.String()))
}

// The test compares every kind of query with a plain model, over a random history.
func TestActiveContracts_AgreeWithAModel(t *testing.T) {
	t.Parallel()
	const offsets = 40
	record := dbtest.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	lives := randomHistory(t, record, random, offsets)
	require.NotEmpty(t, lives)

	parties := map[string][]ledger.Party{
		"any": nil, "none": {}, "one": {alice}, "two": {alice, bob}, "all": {dso, alice, bob, carol}, "stranger": {"x"},
	}
	templates := map[string][]string{
		"any": nil, "none": {}, "one": {template("Coin").String()},
		"two": {template("Coin").String(), template("Offer").String()}, "unknown": {template("Unknown").String()},
	}
	for partyCase, partyList := range parties {
		for templateCase, templateList := range templates {
			t.Run(fmt.Sprintf("parties %s, templates %s", partyCase, templateCase), func(t *testing.T) {
				t.Parallel()
				for _, at := range []ledger.Offset{0, 1, offsets / 2, offsets - 1, offsets} {
					for _, limit := range []int32{1, 7, 1000} {
						query := db.ActiveQuery{Parties: partyList, Templates: templateList, At: at, Limit: limit}
						require.Equal(t, expected(lives, query), allPages(t, record, query), "at %d by %d", at, limit)
					}
				}
			})
		}
	}
}

func randomHistory(t *testing.T, record *db.DB, random *rand.Rand, offsets ledger.Offset) []life {
	t.Helper()
	var lives []life
	entities := []string{"Coin", "Offer", "Rules"}
	observers := [][]ledger.Party{nil, {carol}, {bob, carol}}
	for offset := ledger.Offset(1); offset <= offsets; offset++ {
		var entries db.Entries
		entries.Completions = []ledger.Completion{accepted(offset, app, alice)}
		for i := range lives {
			if lives[i].archived == 0 && random.IntN(8) == 0 {
				lives[i].archived = offset
				entries.Archived = append(entries.Archived, db.Archival{ContractID: lives[i].contract.ID, Offset: offset})
			}
		}
		for node := range random.IntN(5) {
			contract := coin(len(lives), offset, []ledger.Party{alice, bob}[random.IntN(2)])
			contract.NodeID = int32(node)
			contract.Template = template(entities[random.IntN(len(entities))])
			observing := slices.Clone(observers[random.IntN(len(observers))])
			contract.Observers = slices.DeleteFunc(observing, func(party ledger.Party) bool {
				return slices.Contains(contract.Signatories, party)
			})
			lives = append(lives, life{contract: contract})
			entries.Created = append(entries.Created, contract)
		}
		appendEntries(t, record, entries)
	}
	return lives
}

func expected(lives []life, query db.ActiveQuery) []ledger.ContractID {
	list := []ledger.ContractID{}
	for _, l := range lives { // in order of creation
		if l.matches(query) {
			list = append(list, l.contract.ID)
		}
	}
	return list
}

func allPages(t *testing.T, record *db.DB, query db.ActiveQuery) []ledger.ContractID {
	t.Helper()
	list := []ledger.ContractID{}
	for {
		page, err := record.ActiveContracts(t.Context(), query)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), int(query.Limit))
		if len(page) == 0 {
			return list
		}
		list = append(list, ids(page)...)
		query.After = page[len(page)-1].Position()
	}
}

// The pages of a query at an offset have the same contracts, even if the ledger goes on between them.
func TestActiveContracts_StayTheSameAtAnOffset(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	const contracts = 20
	var created []db.NewContract
	want := []ledger.ContractID{}
	for n := range contracts {
		created = append(created, coin(n, 1, alice))
		want = append(want, contractID(n))
	}
	appendEntries(t, record, db.Entries{Created: created})
	query := db.ActiveQuery{Parties: []ledger.Party{alice}, At: 1, Limit: 3}
	var got []ledger.ContractID
	for offset := ledger.Offset(2); len(got) < contracts; offset++ {
		page, err := record.ActiveContracts(t.Context(), query)
		require.NoError(t, err)
		require.NotEmpty(t, page)
		got = append(got, ids(page)...)
		query.After = page[len(page)-1].Position()
		// One listed contract is archived, one that is not listed yet (while any is left), and one is created.
		var archived []db.Archival
		if page[0].Archived == nil {
			archived = append(archived, db.Archival{ContractID: page[0].ID, Offset: offset})
		}
		if last := contracts - int(offset); last >= len(got) {
			archived = append(archived, db.Archival{ContractID: contractID(last), Offset: offset})
		}
		appendEntries(t, record, db.Entries{
			Archived: archived, Created: []db.NewContract{coin(100+int(offset), offset, alice)},
		})
	}
	require.Equal(t, want, got)
}

// The lives are of every length, and the offsets of the queries next to where they begin and end.
func TestActiveContracts_AgreeWithAModelOfLongAndShortLives(t *testing.T) {
	t.Parallel()
	const contracts, places, longest = 400, 60, 40
	record := dbtest.New(t)
	random := rand.New(rand.NewPCG(3, 4))
	upTo := func(bits int) ledger.Offset { return ledger.Offset(random.Int64N(1 << random.IntN(bits+1))) }
	var lives []life
	var entries db.Entries
	for n := range contracts {
		contract := coin(n, 1+upTo(longest), []ledger.Party{alice, bob}[n%2])
		contract.NodeID, contract.CreatedAt = int32(n), start
		l := life{contract: contract}
		switch n % 8 {
		case 0: // stays active
		case 1:
			l.archived = contract.Offset // never was
		case 2:
			l.archived = contract.Offset + 1<<random.IntN(longest)
		case 3:
			l.archived = contract.Offset + 1<<(1+random.IntN(longest)) - 1
		default:
			l.archived = contract.Offset + upTo(longest)
		}
		if l.archived != 0 {
			entries.Archived = append(entries.Archived, db.Archival{ContractID: contract.ID, Offset: l.archived})
		}
		entries.Created = append(entries.Created, contract)
		lives = append(lives, l)
	}
	require.NoError(t, appendUpTo(t.Context(), record, 1<<(longest+2), start, entries))
	slices.SortFunc(lives, func(a, b life) int {
		return cmp.Or(cmp.Compare(a.contract.Offset, b.contract.Offset), cmp.Compare(a.contract.NodeID, b.contract.NodeID))
	})
	for range places {
		l := lives[random.IntN(len(lives))]
		for _, at := range []ledger.Offset{
			l.contract.Offset - 1, l.contract.Offset, max(0, l.archived-1), l.archived, upTo(longest),
		} {
			for _, parties := range [][]ledger.Party{nil, {alice}} {
				query := db.ActiveQuery{Parties: parties, At: at, Limit: 50}
				require.Equal(t, expected(lives, query), allPages(t, record, query), "at %d", at)
			}
		}
	}
}

// Others commit between the two queries of a page.
func TestActiveContracts_KeepWhatIsArchivedMeanwhile(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{Created: []db.NewContract{coin(1, 1, alice), coin(2, 1, alice), coin(3, 1, alice)}})
	appendEntries(t, record, db.Entries{Archived: []db.Archival{{ContractID: contractID(1), Offset: 2}}})
	meanwhile := record.Between(func() {
		appendEntries(t, record, db.Entries{
			Created: []db.NewContract{coin(4, 3, alice)}, Archived: []db.Archival{{ContractID: contractID(2), Offset: 3}},
		})
	})
	page, err := meanwhile.ActiveContracts(t.Context(), db.ActiveQuery{Parties: []ledger.Party{alice}, At: 1, Limit: 9})
	require.NoError(t, err)
	require.Equal(t, []ledger.ContractID{contractID(1), contractID(2), contractID(3)}, ids(page))
}

func TestActiveByTemplate_ListsActiveContracts(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	other := coin(3, 1, alice)
	other.Template = template("Offer")
	appendEntries(t, record, db.Entries{
		Created: []db.NewContract{coin(1, 1, alice), coin(2, 1, bob), other, coin(4, 1, bob)},
	})
	appendEntries(t, record, db.Entries{Archived: []db.Archival{{ContractID: contractID(1), Offset: 2}}})
	list := func(limit int32) []ledger.ContractID {
		contracts, err := record.ActiveByTemplate(t.Context(), template("Coin").String(), limit)
		require.NoError(t, err)
		return ids(contracts)
	}
	require.Equal(t, []ledger.ContractID{contractID(2), contractID(4)}, list(10))
	require.Equal(t, []ledger.ContractID{contractID(2)}, list(1))
}
