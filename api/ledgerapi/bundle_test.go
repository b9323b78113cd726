package ledgerapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// bundle is a node where the user alice acts as the party alice, and bob as bob.
type bundle struct {
	*apitest.Server
	t          *testing.T
	alice, bob ledger.Party
}

func newBundle(t *testing.T, options apitest.Options) *bundle {
	t.Helper()
	b := &bundle{Server: apitest.New(t, options), t: t}
	b.alice, b.bob = b.Party("alice"), b.Party("bob")
	b.ActingAs("alice", b.alice)
	b.ActingAs("bob", b.bob)
	b.Rights("nobody")
	b.Rights("auditor", ledger.Right{Kind: ledger.CanReadAsAnyParty})
	return b
}

// in is the same bundle for a subtest.
func (b *bundle) in(t *testing.T) *bundle {
	t.Helper()
	inside := *b
	inside.Server, inside.t = b.In(t), t
	return &inside
}

// fields are the fields of a JSON object.
type fields map[string]any

// with returns a copy with changed fields; nil removes one.
func (f fields) with(changes fields) fields {
	out := maps.Clone(f)
	for key, value := range changes {
		if value == nil {
			delete(out, key)
			continue
		}
		out[key] = value
	}
	return out
}

// create is the command to create a note of alice.
func (b *bundle) create(label string, readers ...ledger.Party) fields {
	if readers == nil {
		readers = []ledger.Party{}
	}
	return fields{"CreateCommand": fields{"templateId": apitest.NoteTemplate, "createArguments": fields{
		"owner": b.alice, "readers": readers, "label": label, "amount": "1.5",
	}}}
}

// exercise is the command to exercise a choice of a note.
func exercise(id, choice string, argument any) fields {
	return fields{"ExerciseCommand": fields{
		"templateId": apitest.NoteTemplate, "contractId": id, "choice": choice, "choiceArgument": argument,
	}}
}

// submission is the body of a submission as alice.
func (b *bundle) submission(commandID string, commands ...fields) fields {
	return fields{"commands": commands, "commandId": commandID, "actAs": []ledger.Party{b.alice}}
}

// wait submits and returns the answer.
func (b *bundle) wait(commandID string, commands ...fields) ledgerapi.SubmitAndWaitResponse {
	b.t.Helper()
	var done ledgerapi.SubmitAndWaitResponse
	b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", b.submission(commandID, commands...)).OK(&done)
	return done
}

// note creates a note and returns its id.
func (b *bundle) note(label string, readers ...ledger.Party) string {
	b.t.Helper()
	return b.created(b.submission("create-"+label, b.create(label, readers...)))
}

// created submits as alice and returns the first created contract.
func (b *bundle) created(submission fields) string {
	b.t.Helper()
	var done ledgerapi.JsSubmitAndWaitForTransactionResponse
	b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait-for-transaction", fields{"commands": submission}).
		OK(&done)
	for _, event := range done.Transaction.Events {
		if event.CreatedEvent != nil {
			return event.CreatedEvent.ContractID
		}
	}
	require.Fail(b.t, "nothing was created")
	return ""
}

func (b *bundle) end() int64 {
	b.t.Helper()
	var end ledgerapi.GetLedgerEndResponse
	b.Call("nobody", http.MethodGet, "/v2/state/ledger-end", nil).OK(&end)
	return end.Offset
}

// list reads a list with a short idle time.
func list[T any](b *bundle, user, path string, body any) []T {
	b.t.Helper()
	var out []T
	b.Call(user, http.MethodPost, path, body).OK(&out)
	return out
}

// byParty is a filter for all contracts of the parties.
func byParty(parties ...ledger.Party) fields {
	filters := fields{}
	for _, party := range parties {
		filters[string(party)] = fields{}
	}
	return fields{"filtersByParty": filters}
}

// filterFor is a filter for one party.
func filterFor(party ledger.Party, kind string, value fields) fields {
	filter := fields{"identifierFilter": fields{kind: fields{"value": value}}}
	return fields{"filtersByParty": fields{string(party): fields{"cumulative": []fields{filter}}}}
}

func decode(t *testing.T, text []byte, target any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, target))
}

func quote[T ~string](text T) string { return strconv.Quote(string(text)) }
