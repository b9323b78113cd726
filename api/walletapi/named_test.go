package walletapi_test

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/test/apitest"
)

// named are the requests with a name from the caller.
func (b bank) named() map[string]struct {
	path string
	body map[string]any
} {
	return map[string]struct {
		path string
		body map[string]any
	}{
		"a tap": {"/v0/wallet/tap", map[string]any{"amount": "1", "command_id": "one"}},
		"a send": {"/v0/wallet/transfer-preapproval/send", map[string]any{
			"receiver_party_id": b.bob.Party, "amount": "1", "deduplication_id": "one",
		}},
		"a transfer":    {transfers, offerOf(b.bob.Party, "one")},
		"an allocation": {allocations, b.allocation("one")},
	}
}

// A named change belongs to the wallet: another user of the wallet, such as a service that takes over, gets the first
// answer, and the wallet pays once.
func TestNamedChange_OtherUserOfWalletGetsFirstAnswer(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "10")
	b.preapprove(b.bob)
	users{b.Server, t}.onboard(map[string]any{"name": "deputy", "party_id": b.alice.Party})
	for name, request := range b.named() {
		before := b.head().Offset
		first := b.post(b.alice, request.path, request.body)
		first.OK(nil)
		made := b.head().Offset
		require.Greater(t, made, before, name)
		for _, user := range []string{"deputy", "alice"} {
			again := b.Call(user, http.MethodPost, request.path, request.body)
			again.OK(nil)
			require.Equal(t, first.Text, again.Text, name)
		}
		require.Empty(t, b.accepted(made), "%s is made once", name)
	}
}

// A used name with other content moves nothing, and the answer says so. Deadlines and the notation of amounts are not
// part of the content.
func TestNamedChange_RefusesOtherContentUnderAUsedName(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "10")
	b.preapprove(b.bob)
	b.preapprove(b.carol)
	toCarol := map[string]any{"receiver_party_id": b.carol.Party}
	others := map[string][]map[string]any{
		"a tap":      {{"amount": "2"}},
		"a send":     {toCarol, {"amount": "2"}, {"description": "other words"}},
		"a transfer": {toCarol, {"amount": "2"}, {"description": "other words"}},
		"an allocation": {
			{"transfer_leg": map[string]any{"receiver": b.alice.Party, "amount": "25"}},
			{"transfer_leg": map[string]any{"receiver": b.bob.Party, "amount": "26"}},
			{"transfer_leg": map[string]any{"receiver": b.bob.Party, "amount": "25", "meta": map[string]any{"a": "b"}}},
		},
	}
	as := map[string]string{
		"a tap": `command_id \"one\"`, "a send": `deduplication_id \"one\"`, "a transfer": `tracking_id \"one\"`,
		"an allocation": `transfer_leg_id \"one\"`,
	}
	first, made := map[string]apitest.Answer{}, b.head().Offset
	check := func() {
		t.Helper()
		for name, request := range b.named() {
			for _, other := range others[name] {
				body := maps.Clone(request.body)
				maps.Copy(body, other)
				answer := b.post(b.alice, request.path, body)
				fails(t, answer, http.StatusConflict, as[name])
				require.Contains(t, answer.Text, "Nothing was done", name)
			}
		}
		require.Empty(t, b.accepted(made))
	}
	for name, request := range b.named() {
		first[name] = b.post(b.alice, request.path, request.body)
		first[name].OK(nil)
	}
	made = b.head().Offset
	check()
	same := map[string]map[string]any{
		"a tap": {"amount": "1.00"}, "a send": {"amount": "1.00"}, "an allocation": {},
		"a transfer": {"amount": "25.50", "expires_at": micros(30 * time.Minute)},
	}
	for name, request := range b.named() {
		body := maps.Clone(request.body)
		maps.Copy(body, same[name])
		again := b.post(b.alice, request.path, body)
		require.Equal(t, first[name].Text, again.Text, name)
	}

	b.tap(b.alice, "1") // something is left of the record
	b.Call(apitest.Admin, http.MethodPost, "/v2/participant-pruning/prune",
		map[string]any{"pruneUpTo": b.head().Offset - 1}).OK(nil)
	made = b.head().Offset
	check()
}

// accepted returns the offsets of the transactions after an offset.
func (b bank) accepted(after ledger.Offset) (found []ledger.Offset) {
	b.t.Helper()
	for offset := after + 1; offset <= b.head().Offset; offset++ {
		_, ok, err := b.DB.UpdateByOffset(b.t.Context(), offset)
		require.NoError(b.t, err)
		if ok {
			found = append(found, offset)
		}
	}
	return found
}

// Concurrent offers with one tracking id, by several users of a wallet and to several receivers, make one offer.
func TestTrackingID_ConcurrentOffersMakeOne(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{Once: true}) // a later request learns of the first one only when it repeats
	users{b.Server, t}.onboard(map[string]any{"name": "deputy", "party_id": b.alice.Party})
	var group sync.WaitGroup
	answers := make(chan apitest.Answer, 8)
	for i := range cap(answers) {
		user, receiver := []string{"alice", "deputy"}[i%2], []*apitest.Wallet{b.bob, b.carol}[i/2%2]
		group.Go(func() {
			answers <- b.Call(user, http.MethodPost, offers, offerOf(receiver.Party, "at once"))
		})
	}
	group.Wait()
	close(answers)
	made := map[string]bool{}
	for answer := range answers {
		if answer.Status == http.StatusOK {
			made[answer.Text] = true
			continue
		}
		require.Contains(t, []int{http.StatusConflict, http.StatusTooManyRequests}, answer.Status, answer.Text)
	}
	require.Len(t, made, 1)
	require.Len(t, b.offers(b.alice, offers, "offers"), 1)
}

// recordingSubmitter refuses everything and records the submissions.
type recordingSubmitter struct{ taken chan ledger.Submission }

func (n recordingSubmitter) SubmitAndTrace(
	_ context.Context, submission ledger.Submission,
) (none ledger.Completion, id string, err error) {
	n.taken <- submission
	return none, "", fault.ServiceNotRunning.New("it only notes")
}

func (recordingSubmitter) WorkflowOf(context.Context, ledger.Completion) (string, error) {
	return "", nil
}

func TestNamedChange_DeduplicatesForOneDay(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{LedgerSettings: func(s *ledger.Settings) { s.MaxDeduplication = time.Microsecond }})
	b.tap(b.alice, "10")
	b.preapprove(b.bob)
	way := recordingSubmitter{make(chan ledger.Submission, 1)}
	twin := b.Twin(apitest.Options{Wallets: way})
	for name, request := range b.named() {
		fails(t, twin.Call("alice", http.MethodPost, request.path, request.body), http.StatusServiceUnavailable, "")
		require.Equal(t, &ledger.DeduplicationPeriod{Duration: new(24 * time.Hour)}, (<-way.taken).Deduplication, name)

		first := b.post(b.alice, request.path, request.body)
		first.OK(nil)
		again := b.post(b.alice, request.path, request.body)
		require.Equal(t, first.Text, again.Text, "%s, whatever the ledger's period", name)
	}
}

// After pruning, the node does not repeat the change and does not advise another name.
func TestNamedChange_NotRepeatedAfterPruning(t *testing.T) {
	t.Parallel()
	b := newBank(t, apitest.Options{})
	b.tap(b.alice, "10")
	b.preapprove(b.bob)
	for _, request := range b.named() {
		b.post(b.alice, request.path, request.body).OK(nil)
	}
	b.tap(b.alice, "1") // something is left
	b.Call(apitest.Admin, http.MethodPost, "/v2/participant-pruning/prune",
		map[string]any{"pruneUpTo": b.head().Offset - 1}).OK(nil)
	before := b.head().Offset
	for name, request := range b.named() {
		again := b.post(b.alice, request.path, request.body)
		if name == "a send" { // its answer is empty
			again.OK(nil)
			require.Empty(t, again.Text)
			continue
		}
		fails(t, again, http.StatusConflict, "its answer is pruned")
		require.NotContains(t, again.Text, "use a new command id")
	}
	require.Empty(t, b.accepted(before))
}

// A new proposal replaces an expired one.
func TestSetupProposal_ReplacesExpiredProposal(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	o := newOutsider(t, s, "ext1")
	over := apitest.Create(s, coin.ExternalPartySetupProposal{
		Validator: s.Node.Operator, User: o.id, DSO: s.Node.DSO,
		CreatedAt:            lf.TimestampOf(time.Now().Add(-91 * 24 * time.Hour)),
		PreapprovalExpiresAt: lf.TimestampOf(time.Now().Add(-24 * time.Hour)),
	}, s.Node.Operator, s.Node.DSO)
	proposal := o.propose()
	require.NotEqual(t, string(over), proposal)
	require.Len(t, activeOf[coin.ExternalPartySetupProposal](t, s, o.id), 1, "the expired one is withdrawn")
	o.accept(proposal)
}
