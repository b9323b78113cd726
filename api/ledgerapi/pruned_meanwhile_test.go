package ledgerapi_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// prunedBetween is a record that is pruned before reads of lists.
type prunedBetween struct{ apitest.PrunedBetween }

func (p *prunedBetween) ActiveContracts(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error) {
	if err := p.Read(ctx); err != nil {
		return nil, err
	}
	return p.DB.ActiveContracts(ctx, query)
}

func (p *prunedBetween) Updates(ctx context.Context, query db.UpdatesQuery) ([]ledger.Update, error) {
	if err := p.Read(ctx); err != nil {
		return nil, err
	}
	return p.DB.Updates(ctx, query)
}

func (p *prunedBetween) Completions(ctx context.Context, query db.CompletionsQuery) ([]ledger.Completion, error) {
	if err := p.Read(ctx); err != nil {
		return nil, err
	}
	return p.DB.Completions(ctx, query)
}

func (p *prunedBetween) UpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.Update, bool, error) {
	if err := p.Read(ctx); err != nil {
		return ledger.Update{}, false, err
	}
	return p.DB.UpdateByID(ctx, id)
}

// elsewhere commits as another process does: the transaction is only in the record.
type elsewhere struct{ ledgerapi.Submitter }

func (e elsewhere) SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	completion, err := e.Submitter.SubmitAndWait(ctx, submission)
	completion.Update = nil
	return completion, err
}

// The record is pruned just before the read of a submission's transaction. The answer says that the change was made,
// and a repeat does not make it twice.
func TestSubmitAndWaitForTransaction_ReportsPrunedAsCommitted(t *testing.T) {
	t.Parallel()
	record := &prunedBetween{}
	b := newBundle(t, apitest.Options{})
	record.DB = b.DB
	twin := b.Twin(apitest.Options{Record: record, Submitter: elsewhere{b.Submitter()}})
	for _, form := range []struct {
		path string
		body func(submission fields) fields
	}{
		{"/v2/commands/submit-and-wait-for-transaction", func(submission fields) fields {
			return fields{"commands": submission}
		}},
		{"/v2/commands/submit-and-wait-for-transaction-tree", func(submission fields) fields { return submission }},
	} {
		note := b.note("before " + form.path)
		body := form.body(b.submission("archive "+form.path, exercise(note, "Archive", fields{})))
		record.Reads = 1
		answer := twin.Call("alice", http.MethodPost, form.path, body)
		require.Contains(t, answer.Text, "The change was made at offset "+strconv.FormatInt(b.end(), 10))
		answer.Refused(http.StatusBadRequest, "PARTICIPANT_PRUNED_DATA_ACCESSED")
		twin.Call("alice", http.MethodPost, form.path, body).Refused(http.StatusConflict, "DUPLICATE_COMMAND")
	}
}

// The record is pruned before each read of each list in turn. The answer is the same as without pruning, or a refusal.
func TestLists_AreCompleteOrRefusedWhenPrunedDuringRead(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]struct {
		path string
		body func(begin ledger.Offset, alice ledger.Party) fields
	}{
		"contracts": {"/v2/state/active-contracts" + quick, func(begin ledger.Offset, alice ledger.Party) fields {
			return fields{"activeAtOffset": begin, "filter": byParty(alice)}
		}},
		"updates": {"/v2/updates" + quick, func(begin ledger.Offset, alice ledger.Party) fields {
			return fields{"beginExclusive": begin, "filter": byParty(alice)}
		}},
		"completions": {completionsPath + quick, func(begin ledger.Offset, alice ledger.Party) fields {
			return fields{"beginExclusive": begin, "parties": []ledger.Party{alice}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := &prunedBetween{}
			b := newBundle(t, apitest.Options{Record: record})
			record.DB = b.DB
			for read := 1; ; read++ {
				note := b.note(strconv.Itoa(read))
				head, err := b.DB.Head(t.Context())
				require.NoError(t, err)
				b.wait("archive-"+strconv.Itoa(read), exercise(note, "Archive", fields{}))
				body := list.body(head.Offset, b.alice)
				record.Reads = 0
				whole := b.Call("alice", http.MethodPost, list.path, body)
				require.Equal(t, http.StatusOK, whole.Status, whole.Text)
				record.Reads = read
				again := b.Call("alice", http.MethodPost, list.path, body)
				if again.Status == http.StatusOK {
					require.Equal(t, whole.Text, again.Text, "pruned before read %d", read)
				} else {
					again.Refused(http.StatusBadRequest, "PARTICIPANT_PRUNED_DATA_ACCESSED")
				}
				if record.Reads > 0 { // there are no more reads
					require.Greater(t, read, 2)
					return
				}
			}
		})
	}
}
