package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	alice = ledger.Party("alice::1220aa")
	bob   = ledger.Party("bob::1220bb")
	carol = ledger.Party("carol::1220cc")
	dso   = ledger.Party("DSO::1220dd")

	app = "app-user"
)

// start is the record time of offset 0 in tests.
var start = time.Date(2026, 11, 21, 12, 30, 15, 123456000, time.UTC)

// timeAt is the record time of an offset in tests.
func timeAt(offset ledger.Offset) time.Time { return start.Add(time.Duration(offset) * time.Second) }

func template(entity string) lf.TypeName {
	const packageID = "5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4"
	return lf.TypeName{Package: packageID, Module: "Main", Entity: entity}
}

func contractID(n int) ledger.ContractID { return ledger.ContractID(fmt.Sprintf("00%064x", n)) }

// appUser is the user app of the default identity provider.
var appUser = ledger.DefaultUser(app)

// coin is a contract signed by the DSO and its owner.
func coin(n int, offset ledger.Offset, owner ledger.Party) db.NewContract {
	return db.NewContract{
		Contract: ledger.Contract{
			ID: contractID(n), Template: template("Coin"), PackageName: "main",
			Payload:     json.RawMessage(`{"owner":"` + string(owner) + `","amount":"1.0000000000"}`),
			Signatories: ledger.SortedParties([]ledger.Party{dso, owner}),
			CreatedAt:   timeAt(offset), InNetwork: true,
		},
		Offset: offset, NodeID: int32(n % 100),
	}
}

// accepted is the completion of an accepted submission.
func accepted(offset ledger.Offset, userID string, actAs ...ledger.Party) ledger.Completion {
	commandID := fmt.Sprintf("command-%d", offset)
	return ledger.Completion{
		Offset: offset, Key: fmt.Sprintf("key-%d", offset), ChangeID: ledger.NewChangeID(ledger.DefaultUser(userID),
			commandID, actAs),
		Identity: ledger.DefaultUser(userID), CommandID: commandID, SubmissionID: fmt.Sprintf("submission-%d", offset),
		ActAs:    actAs,
		UpdateID: updateID(offset), RecordTime: timeAt(offset),
	}
}

// refused is the completion of a refused submission of the user app.
func refused(offset ledger.Offset, actAs ...ledger.Party) ledger.Completion {
	completion := accepted(offset, app, actAs...)
	completion.UpdateID = ""
	completion.Refusal = fault.ContractNotFoundWithID(string(contractID(0)))
	return completion
}

func updateID(offset ledger.Offset) ledger.UpdateID {
	return ledger.UpdateID(fmt.Sprintf("1220%064x", offset))
}

// update is a transaction with one create for each witness list.
func update(offset ledger.Offset, witnesses ...[]ledger.Party) ledger.Update {
	u := ledger.Update{
		Offset: offset, ID: updateID(offset), RecordTime: timeAt(offset), EffectiveAt: timeAt(offset),
		UserID: app, CommandID: fmt.Sprintf("command-%d", offset), ActAs: []ledger.Party{alice},
	}
	for i, parties := range witnesses {
		u.Events = append(u.Events, ledger.Event{
			NodeID: int32(i), LastDescendant: int32(i), Kind: ledger.EventCreate, ContractID: contractID(i),
			Template: template("Coin"), PackageName: "main", Signatories: parties, Witnesses: parties,
			Argument: json.RawMessage(`{}`),
		})
	}
	return u
}

// appendEntries commits entries and moves the head to their last offset.
func appendEntries(t *testing.T, record *db.DB, entries db.Entries) {
	t.Helper()
	require.NoError(t, tryAppend(t.Context(), record, entries))
}

func tryAppend(ctx context.Context, record *db.DB, entries db.Entries) error {
	last := ledger.Offset(0)
	for _, u := range entries.Updates {
		last = max(last, u.Offset)
	}
	for _, c := range entries.Completions {
		last = max(last, c.Offset)
	}
	for _, c := range entries.Created {
		last = max(last, c.Offset)
	}
	for _, a := range entries.Archived {
		last = max(last, a.Offset)
	}
	return appendUpTo(ctx, record, last, timeAt(last), entries)
}

// appendUpTo appends entries and moves the head.
func appendUpTo(
	ctx context.Context, record *db.DB, last ledger.Offset, recorded time.Time, entries db.Entries,
) error {
	return record.InTx(ctx, func(tx *db.Tx) error {
		head, err := tx.LockHead(ctx)
		if err != nil {
			return err
		}
		head.Offset, head.RecordTime, head.Traffic = last, recorded, ledger.TrafficAccount{}
		entries.Head = head
		return tx.Append(ctx, entries)
	})
}
