package db_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// awkward is JSON text that must come back unchanged: it has characters that HTML escapes, and one that jsonb refuses.
var awkward = json.RawMessage(`{"text":"<a> & \u0000 \"b\" ü","n":1.0}`)

func TestAppend_KeepsEveryFieldOfAnUpdate(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	want := wholeUpdate()
	appendEntries(t, record, db.Entries{Updates: []ledger.Update{want}})

	stored, ok, err := record.UpdateByOffset(t.Context(), 1)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, stored)

	stored, ok, err = record.UpdateByID(t.Context(), want.ID)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, stored)
}

func wholeUpdate() ledger.Update {
	interfaceID := template("Holding")
	both := []ledger.Party{alice, bob}
	return ledger.Update{
		Offset: 1, ID: updateID(1), RecordTime: timeAt(1), EffectiveAt: timeAt(7), UserID: app,
		CommandID: "pay rent", WorkflowID: "rent", ActAs: both, PaidTrafficCost: 4711,
		ExternalHash: "1e2d3c",
		Trace: ledger.TraceContext{
			Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", Tracestate: "a=b",
		},
		Events: []ledger.Event{
			{
				NodeID: 0, LastDescendant: 2, Kind: ledger.EventExercise, ContractID: contractID(1), Template: template("Coin"),
				PackageName: "main", Signatories: both, Observers: []ledger.Party{carol}, Witnesses: both, Argument: awkward,
				Interface: &interfaceID, Choice: "Transfer", Consuming: true, ActingParties: []ledger.Party{alice},
				Result: json.RawMessage(`null`),
			},
			{
				NodeID: 1, LastDescendant: 1, Kind: ledger.EventCreate, ContractID: contractID(2), Template: template("Coin"),
				PackageName: "main", Signatories: both, Witnesses: []ledger.Party{alice, bob, carol}, Argument: awkward,
				Key: &ledger.ContractKey{Value: awkward, Hash: "ab", Maintainers: []ledger.Party{alice}},
			},
			{
				NodeID: 2, LastDescendant: 2, Kind: ledger.EventFetch, ContractID: contractID(3), Template: template("Rules"),
				PackageName: "main", Signatories: []ledger.Party{dso}, Witnesses: []ledger.Party{dso},
				ActingParties: []ledger.Party{dso},
			},
		},
	}
}

func TestAppend_KeepsEveryFieldOfAContract(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	want := db.NewContract{
		Contract: ledger.Contract{
			ID: contractID(1), Template: template("Coin"), PackageName: "main", Payload: awkward,
			Signatories: []ledger.Party{alice, bob}, Observers: []ledger.Party{carol}, CreatedAt: timeAt(3),
			Key: &ledger.ContractKey{Value: awkward, Hash: "abcd", Maintainers: []ledger.Party{alice, bob}},
		},
		Offset: 1, NodeID: 5,
	}
	plain := coin(2, 1, alice)
	appendEntries(t, record, db.Entries{Created: []db.NewContract{want, plain}})

	stored, ok, err := record.Contract(t.Context(), want.ID)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, db.StoredContract{Contract: want.Contract, Offset: 1, NodeID: 5}, stored)

	stored, ok, err = record.Contract(t.Context(), plain.ID)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, db.StoredContract{Contract: plain.Contract, Offset: 1, NodeID: plain.NodeID}, stored)

	_, ok, err = record.Contract(t.Context(), contractID(9))
	require.NoError(t, err)
	require.False(t, ok)
}

func TestAppend_KeepsEveryFieldOfACompletion(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	offset, zero, period := ledger.Offset(7), ledger.Offset(0), 3*time.Hour+time.Microsecond
	whole := accepted(1, app, alice, bob)
	whole.PaidTrafficCost = 99
	whole.Trace = wholeUpdate().Trace
	whole.Deduplication.Offset = &offset
	fromBegin := accepted(2, app, alice)
	fromBegin.Deduplication.Offset = &zero
	byTime := accepted(3, app, alice)
	byTime.Deduplication.Duration = &period
	no := refused(4, alice)
	no.Refusal = fault.DuplicateOf("1220ab", "submission <1> & \x00", 17).WithHint("Wait.").
		WithResource("CONTRACT_ID", "00ab").WithDefiniteAnswer(true)
	want := []ledger.Completion{whole, fromBegin, byTime, no}
	appendEntries(t, record, db.Entries{Completions: want})

	stored, err := record.Completions(t.Context(), db.CompletionsQuery{
		User: new(appUser), Parties: []ledger.Party{alice}, UpTo: 10, Limit: 10,
	})
	require.NoError(t, err)
	require.Equal(t, want, stored)
}

func TestAppend_DropsNULsFromATraceContext(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	broken := accepted(1, app, alice)
	broken.Trace = ledger.TraceContext{Traceparent: "00\x00", Tracestate: "\x00x"}
	u := update(1, []ledger.Party{alice})
	u.Trace = broken.Trace
	appendEntries(t, record, db.Entries{Updates: []ledger.Update{u}, Completions: []ledger.Completion{broken}})
	stored, _, err := record.CompletionBySubmissionKey(t.Context(), broken.Key)
	require.NoError(t, err)
	require.Equal(t, ledger.TraceContext{Traceparent: "00", Tracestate: "x"}, stored.Trace)
}

func TestAppend_KeepsPartiesThatLookLikeArrays(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	odd := []ledger.Party{``, ` `, `"`, `NULL`, `\`, `a,b`, `{}`}
	appendEntries(t, record, db.Entries{Completions: []ledger.Completion{accepted(1, app, odd...)}})
	stored, ok, err := record.CompletionBySubmissionKey(t.Context(), "key-1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, odd, stored.ActAs)
}

func TestAppend_LeavesTheHeadWithoutEntries(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	err := record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Append(t.Context(), db.Entries{Head: db.Head{Offset: 9, RecordTime: timeAt(9)}})
	})
	require.NoError(t, err)
	head, err := record.Head(t.Context())
	require.NoError(t, err)
	require.Zero(t, head.Offset)
}

func TestAppend_ArchivesContracts(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{Created: []db.NewContract{coin(1, 1, alice), coin(2, 1, alice)}})
	appendEntries(t, record, db.Entries{
		// One commit creates and archives contract 3: it is active at offset 2 only.
		Created:  []db.NewContract{coin(3, 2, alice), coin(4, 3, alice)},
		Archived: []db.Archival{{ContractID: contractID(1), Offset: 2}, {ContractID: contractID(3), Offset: 3}},
	})

	found, err := record.Contracts(t.Context(), []ledger.ContractID{contractID(1), contractID(2), contractID(3)})
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(2), *found[contractID(1)].Archived)
	require.Nil(t, found[contractID(2)].Archived)
	require.Equal(t, ledger.Offset(3), *found[contractID(3)].Archived)

	active, err := record.ActiveContracts(t.Context(), db.ActiveQuery{Parties: []ledger.Party{alice}, At: 3, Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []ledger.ContractID{contractID(2), contractID(4)}, ids(active))
	active, err = record.ActiveContracts(t.Context(), db.ActiveQuery{Parties: []ledger.Party{alice}, At: 2, Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []ledger.ContractID{contractID(2), contractID(3)}, ids(active))
}

func TestAppend_RefusesConflictsWithTheRecord(t *testing.T) {
	t.Parallel()
	keyed := func(n int, offset ledger.Offset) db.NewContract {
		contract := coin(n, offset, alice)
		contract.Key = &ledger.ContractKey{Value: json.RawMessage(`1`), Hash: "feed", Maintainers: []ledger.Party{alice}}
		return contract
	}
	cases := map[string]db.Entries{
		"an archival of an archived contract": {Archived: []db.Archival{{ContractID: contractID(1), Offset: 3}}},
		"an archival of a contract that never was": {Archived: []db.Archival{
			{ContractID: contractID(2), Offset: 3}, {ContractID: contractID(77), Offset: 3},
		}},
		"a contract that exists":                     {Created: []db.NewContract{coin(2, 3, alice)}},
		"a second contract with a key that is taken": {Created: []db.NewContract{keyed(9, 3)}},
		"a second completion of a submission": {Completions: []ledger.Completion{
			func() ledger.Completion { c := accepted(3, app, alice); c.Key = "key-1"; return c }(),
		}},
		"a completion at a taken offset": {
			Completions: []ledger.Completion{
				func() ledger.Completion { c := accepted(1, app, alice); c.Key = "other"; return c }(),
			},
			Created: []db.NewContract{coin(8, 3, alice)},
		},
		"an update at a taken offset": {Updates: []ledger.Update{
			update(3, []ledger.Party{alice}),
			func() ledger.Update { u := update(1, []ledger.Party{alice}); u.ID = updateID(99); return u }(),
		}},
		"an update id that exists": {Updates: []ledger.Update{
			func() ledger.Update { u := update(3, []ledger.Party{alice}); u.ID = updateID(1); return u }(),
		}},
		"a head that does not move on": {Archived: []db.Archival{{ContractID: contractID(2), Offset: 2}}},
	}
	for name, entries := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := dbtest.New(t)
			appendEntries(t, record, db.Entries{
				Created:     []db.NewContract{coin(1, 1, alice), coin(2, 1, alice), keyed(3, 1)},
				Updates:     []ledger.Update{update(1, []ledger.Party{alice})},
				Completions: []ledger.Completion{accepted(1, app, alice)},
			})
			appendEntries(t, record, db.Entries{Archived: []db.Archival{{ContractID: contractID(1), Offset: 2}}})

			require.ErrorIs(t, tryAppend(t.Context(), record, entries), db.ErrConflict)

			head, err := record.Head(t.Context())
			require.NoError(t, err)
			require.Equal(t, ledger.Offset(2), head.Offset)
			contract, _, err := record.Contract(t.Context(), contractID(2))
			require.NoError(t, err)
			require.Nil(t, contract.Archived)
		})
	}
}

func TestAppend_MovesAKeyToTheNextContract(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	keyed := func(n int, offset ledger.Offset) db.NewContract {
		contract := coin(n, offset, alice)
		contract.Key = &ledger.ContractKey{Value: json.RawMessage(`1`), Hash: "feed", Maintainers: []ledger.Party{alice}}
		return contract
	}
	holder := func() (ledger.ContractID, bool) {
		contract, ok, err := record.ContractByKey(t.Context(), "feed")
		require.NoError(t, err)
		return contract.ID, ok
	}
	appendEntries(t, record, db.Entries{Created: []db.NewContract{keyed(1, 1)}})
	id, ok := holder()
	require.True(t, ok)
	require.Equal(t, contractID(1), id)

	// In one commit the key moves from 1 to 2, which the commit also archives, and to 3.
	appendEntries(t, record, db.Entries{
		Created:  []db.NewContract{keyed(2, 2), keyed(3, 3)},
		Archived: []db.Archival{{ContractID: contractID(1), Offset: 2}, {ContractID: contractID(2), Offset: 3}},
	})
	id, ok = holder()
	require.True(t, ok)
	require.Equal(t, contractID(3), id)

	appendEntries(t, record, db.Entries{Archived: []db.Archival{{ContractID: contractID(3), Offset: 4}}})
	_, ok = holder()
	require.False(t, ok)
}

func ids(contracts []db.StoredContract) []ledger.ContractID {
	list := make([]ledger.ContractID, len(contracts))
	for i, contract := range contracts {
		list[i] = contract.ID
	}
	return list
}
