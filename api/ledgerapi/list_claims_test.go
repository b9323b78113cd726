package ledgerapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// A user opens more waiting lists than it may read at the same time.
func TestLists_WaitingUsesNoTurn(t *testing.T) {
	t.Parallel()
	watcher := &steps{}
	b := newBundle(t, apitest.Options{Watcher: watcher})
	list := func() {
		body := fields{"beginExclusive": 0, "filter": byParty(b.alice), "verbose": true}
		b.Call("alice", http.MethodPost, "/v2/updates?limit=1&stream_idle_timeout_ms=3600000", body).OK(nil)
	}
	for range admission.DefaultUserReads {
		watcher.acts = append(watcher.acts, list)
	}
	watcher.acts = append(watcher.acts, func() {
		b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", b.submission("last", b.create("last"))).OK(nil)
	})
	list()
	require.Empty(t, watcher.acts)
}

// A list waits in the only place for waiting, and the user works on in the only place for work.
func TestLists_WaitingUsesNoWorkingPlace(t *testing.T) {
	t.Parallel()
	watcher := &steps{}
	limits := admission.New(admission.Options{Requests: 1, UserRequests: 1})
	b := newBundle(t, apitest.Options{Watcher: watcher, Limits: limits})
	list := func(limit string) apitest.Answer {
		body := fields{"beginExclusive": 0, "filter": byParty(b.alice), "verbose": true}
		return b.Call("alice", http.MethodPost, "/v2/updates?stream_idle_timeout_ms=3600000&limit="+limit, body)
	}
	watcher.acts = []func(){
		func() { require.Contains(t, list("1").Text, "The node has reached its limit of waiting requests: 1.") },
		func() {
			b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", b.submission("work", b.create("work"))).OK(nil)
			var found []json.RawMessage
			list("5").OK(&found)
			require.Len(t, found, 2, "what there is, and a checkpoint: there is no place to wait for more")
		},
	}
	list("1").OK(nil)
	require.Empty(t, watcher.acts)
}

// A caller loses its rights, in each way, while its list waits.
func TestLists_ShowNothingAfterRightsAreLost(t *testing.T) {
	t.Parallel()
	updates := func(b *bundle) fields {
		return fields{"beginExclusive": 0, "filter": byParty(b.alice), "verbose": true}
	}
	lists := map[string]func(b *bundle) fields{
		"/v2/updates": updates, "/v2/updates/flats": updates, "/v2/updates/trees": updates,
		completionsPath: func(b *bundle) fields { return fields{"parties": []ledger.Party{b.alice}, "userId": "reader"} },
	}
	right := func(b *bundle) ledger.Right { return ledger.Right{Kind: ledger.CanActAs, Party: b.alice} }
	losses := map[string]func(b *bundle) error{
		"deleted": func(b *bundle) error { return b.DB.DeleteUser(b.t.Context(), "reader") },
		"revoked": func(b *bundle) error {
			_, err := b.DB.RevokeRights(b.t.Context(), "reader", []ledger.Right{right(b)})
			return err
		},
		"deactivated": func(b *bundle) error {
			_, err := b.DB.UpdateUser(b.t.Context(), "reader", nil, func(u *ledger.User) error {
				u.IsDeactivated = true
				return nil
			})
			return err
		},
	}
	for path, body := range lists {
		for name, lose := range losses {
			t.Run(path+" "+name+" and nothing comes", func(t *testing.T) {
				t.Parallel()
				watcher := &steps{}
				b := newBundle(t, apitest.Options{Watcher: watcher})
				b.Rights("reader", right(b))
				watcher.acts = []func(){func() {
					require.NoError(t, lose(b))
					b.Resolver.UserChanged("reader")
				}}
				answer := b.Call("reader", http.MethodPost, path+"?stream_idle_timeout_ms=3600000", body(b))
				require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict}, answer.Status,
					answer.Text)
			})
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				watcher := &steps{}
				b := newBundle(t, apitest.Options{Watcher: watcher})
				b.Rights("reader", right(b))
				as := func(user, label string) {
					submission := b.submission(label, b.create(label))
					b.Call(user, http.MethodPost, "/v2/commands/submit-and-wait", submission).OK(nil)
				}
				watcher.acts = []func(){
					func() { as("reader", "before") },
					func() {
						as("alice", "secret")
						as("reader", "secret too")
						require.NoError(t, lose(b))
						b.Resolver.UserChanged("reader")
					},
				}
				answer := b.Call("reader", http.MethodPost, path+"?stream_idle_timeout_ms=3600000", body(b))
				require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict}, answer.Status,
					answer.Text)
				require.NotContains(t, answer.Text, "secret")
			})
		}
	}
}

// The caller of a waiting list gets a right, such as by onboarding a party.
//
// contract: completions-granted
func TestLists_ContinueAfterAdditionalRight(t *testing.T) {
	t.Parallel()
	for name, further := range map[string]ledger.Right{
		"of a party": {Kind: ledger.CanReadAs, Party: "carol::1220aa"}, "of the node": {Kind: ledger.ParticipantAdmin},
		"of all parties": {Kind: ledger.CanReadAsAnyParty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			watcher := &steps{}
			b := newBundle(t, apitest.Options{Watcher: watcher})
			if further.Party != "" {
				further.Party = b.bob
			}
			reads := ledger.Right{Kind: ledger.CanReadAs, Party: b.alice}
			b.Rights("reader", reads)
			watcher.acts = []func(){
				func() {
					_, err := b.DB.GrantRights(b.t.Context(), "reader", []ledger.Right{further})
					require.NoError(t, err)
					b.Resolver.UserChanged("reader")
				},
				func() { b.wait("later", b.create("later")) },
			}
			var found []any
			b.Call("reader", http.MethodPost, "/v2/updates?limit=1&stream_idle_timeout_ms=3600000",
				fields{"beginExclusive": 0, "filter": byParty(b.alice), "verbose": true}).OK(&found)
			require.Len(t, found, 1)
			require.Empty(t, watcher.acts)
		})
	}
}
