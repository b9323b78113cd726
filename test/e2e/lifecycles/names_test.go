package lifecycles_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/workflows"
)

// longestHint makes the hint of the longest possible party id.
func longestHint(name string) string { return name + strings.Repeat("-", 185-len(name)) }

// trackingIDs are examples: users may choose any text.
func trackingIDs() []string {
	return []string{
		"", " ", "Zahlung für Öl", "訂單-42", "🪙🪙", "a\nb\tc", "a\u202eb", `say "hi"`, "o'brien", `C:\pay`, "`id`", "%s%00",
		`" OR WorkflowType != "`, "order#" + strings.Repeat("0", 32), strings.Repeat("x", 204), strings.Repeat("x", 255),
		strings.Repeat("x", 256), strings.Repeat("訂", 255), strings.Repeat("y", 10_000), "a/b?c=d&e", "..", "\x7f",
	}
}

// allOver waits until no contract has a workflow.
func (n *node) allOver() {
	n.t.Helper()
	var rows []activities.DueLifecycle
	n.eventually("everything is over", func() bool {
		rows = rows[:0]
		found, err := n.db.Lifecycles(n.t.Context(), "", 100)
		for _, row := range found {
			rows = append(rows, activities.DueLifecycle{WorkflowID: row.WorkflowID, Kind: row.Kind})
		}
		return err == nil && len(found) == 0
	})
}

// track makes a traffic request with a tracking id and, if offers allow the id, an accepted offer. It reports whether
// they do.
func (n *node) track(sender, receiver ledger.Party, trackingID string) (offered bool) {
	n.t.Helper()
	const tooLong = walletapp.MaxTextLength
	expires := lf.TimestampOf(n.now().Add(day))
	n.submit([]ledger.Party{sender, n.operator()}, create(n, walletapp.BuyTrafficRequest{
		DSO: n.identity.DSO, EndUserParty: sender, ExpiresAt: expires, TrackingID: trackingID, TrafficAmount: 1,
		MemberID: "PAR::participant::1220", SynchronizerID: "unknown::1220",
	}))
	if utf8.RuneCountInString(trackingID) >= tooLong {
		return false
	}
	n.submit([]ledger.Party{sender}, create(n, walletapp.TransferOffer{
		Sender: sender, Receiver: receiver, DSO: n.identity.DSO, TrackingID: trackingID,
		Amount: payments.PaymentAmount{Amount: decimal.MustParse("1.0"), Unit: payments.AmuletUnit}, ExpiresAt: expires,
	}))
	offers := active[walletapp.TransferOffer](n)
	n.submit([]ledger.Party{receiver}, exercise[walletapp.TransferOffer](n, offers[len(offers)-1].ID,
		"TransferOffer_Accept", walletapp.TransferOfferAccept{}))
	return true
}

func TestTrackingID_AllowsAnyText(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.wallet(alice)
	n.tap(alice, "1000.0")
	offers := 0
	for _, id := range trackingIDs() {
		if n.track(alice, bob, id) {
			offers++
		}
	}
	n.allOver()
	require.Empty(t, active[walletapp.AcceptedTransferOffer](n))
	require.Empty(t, active[walletapp.BuyTrafficRequest](n))
	require.Equal(t, fmt.Sprintf("%d.0", offers), n.balance(bob))
}

func TestLongestPartyID_HasLifecycles(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party(longestHint("alice")), n.party(longestHint("bob :"))
	require.Len(t, alice, 255)
	n.tap(n.operator(), "1000000.0")
	n.tap(alice, "100.0")
	n.preapprove(bob, n.operator())
	n.waits(workflowid.Of("preapproval", string(bob)).String(), "renewal")

	n.ended(n.command(alice, bob, n.operator(), "10.0", 0))
	require.Equal(t, "10.0", n.balance(bob))

	n.waits(n.instruct(alice, bob, day), "accept")

	n.submit([]ledger.Party{alice}, create(n, tokenwallet.MergeDelegationProposal{
		Delegation: tokenwallet.MergeDelegation{Operator: n.operator(), Owner: alice},
	}))
	merging := workflowid.Of("merge-delegation", string(alice)).String()
	n.waits(merging, "acceptance, which is left to clients")
	n.advance(plan.MergePatience)
	n.waits(merging, "merging, which is left to clients")
	n.advance(plan.MergePatience)
	n.waits(merging, "more than ten")
	for range lifecycle.TooManyHoldings {
		n.tap(alice, "1.0")
	}
	n.eventually("its holdings become one", func() bool { return len(n.coins(alice)) == 1 })
}

// record is the record of a client.
type record struct {
	*db.DB
	*db.Watcher
}

func (n *node) client() *workflows.Client {
	n.t.Helper()
	return workflows.NewClient(workflows.ClientOptions{
		Temporal: n.temporal, Ledger: n.ledger, Namespace: "default", Record: record{n.db, n.watch()}, Outcomes: activities.NewOutcomes(),
		MaxBatch:       1,
		AttributeBytes: workflows.DefaultAttributeBytes, MaxInFlight: 100, StartTimeout: 10 * time.Second, Clock: time.Now,
	})
}

// contract: submit-command-id
func TestLongestNames_CommitAndAreFound(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	var parties []ledger.Party
	for i := range 40 { // more than fit into a search attribute
		parties = append(parties, n.party(longestHint(fmt.Sprint("party", i))))
	}
	submitter := n.client()
	for _, commandID := range []string{
		strings.Repeat("c", 255), "a b#c:d/e_f-g.h", " ", "order#" + strings.Repeat("0", 32), strings.Repeat("c", 204),
	} {
		submission := tapping(n, parties[0], commandID)
		submission.ActAs = ledger.SortedParties(parties)
		submission.UserID = "user'`|~!@^$.+:()-_#" + strings.Repeat("u", 108)
		require.NoError(t, ledger.CheckUserID(submission.UserID))
		require.NoError(t, submitter.Submit(t.Context(), submission), "%q", commandID)
		var completion ledger.Completion
		n.eventually("it is committed", func() bool {
			var ok bool
			var err error
			completion, ok, err = n.db.CompletionBySubmissionKey(t.Context(), submission.Key)
			return err == nil && ok
		})
		require.Nil(t, completion.Refusal)
		found, err := submitter.WorkflowOf(t.Context(), completion)
		require.NoError(t, err)
		require.Regexp(t, "^"+n.ledger.Name("submit:"), found)
		completion.Key = uuid.NewString() // as if it had shared a workflow with others
		n.eventually("it is found by its command id", func() bool {
			by, err := submitter.WorkflowOf(t.Context(), completion)
			return err == nil && by == found
		})
	}
}

func TestLongestPartyID_Onboards(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	party := n.identity.LocalParty(longestHint("external"))
	outcome, err := n.client().Onboard(t.Context(), party, topology.Contribution{ID: uuid.NewString(), UserID: "o'brien"},
		true)
	require.NoError(t, err)
	require.NotNil(t, outcome.Refusal, "nothing was contributed")
}

// spoil changes rows in the database.
func (n *node) spoil(statement string, arguments ...any) {
	n.t.Helper()
	connection, err := pgx.Connect(n.t.Context(), n.databaseURL)
	require.NoError(n.t, err)
	defer connection.Close(n.t.Context())
	tag, err := connection.Exec(n.t.Context(), statement, arguments...)
	require.NoError(n.t, err)
	require.Positive(n.t, tag.RowsAffected())
}

// A namespace that refuses every call does not stop the clock forever.
func TestClock_AdvancesPastARefusedLifecycle(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.stop()
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	id := n.instruct(alice, bob, 30*day)
	const more = 9000 // than a memo has room for
	n.spoil("UPDATE lifecycles SET parties = array_fill($1::text, ARRAY[$2::integer])", strings.Repeat("p", 250), more)
	n.start(namespace(t))
	n.advance(day)
	row, ok, err := n.db.Lifecycle(t.Context(), id)
	require.NoError(t, err)
	require.True(t, ok)
	require.NotEmpty(t, row.Refusal)
}

// TestNamespace_SeparatesEqualWork lets two ledgers do the same in one namespace.
func TestNamespace_SeparatesEqualWork(t *testing.T) {
	t.Parallel()
	shared := namespace(t)
	var looks atomic.Int64
	ledgers := make([]*node, 2)
	for i := range ledgers {
		n := newNodeWith(t, 10*365*day, func(n *node) []automation.Automation {
			return []automation.Automation{giving(n, never, &looks)}
		})
		n.stop()
		n.start(shared)
		ledgers[i] = n
	}
	for i, n := range ledgers {
		alice := n.party("alice")
		n.tap(n.operator(), "1000000.0")
		submission := tapping(n, alice, "same")
		require.NoError(t, n.client().Submit(t.Context(), submission))
		n.eventually("it is committed", func() bool { return len(n.coins(alice)) == 1 })
		completion, _, err := n.db.CompletionBySubmissionKey(t.Context(), submission.Key)
		require.NoError(t, err)
		found, err := n.client().WorkflowOf(t.Context(), completion)
		require.NoError(t, err)
		require.Equal(t, n.ledger.Name("submit:same:"+submission.Key), found)
		n.eventually("it is found by its command id", func() bool {
			completion.Key = uuid.NewString()
			by, err := n.client().WorkflowOf(t.Context(), completion)
			return err == nil && by == found
		})
		theirs, err := ledgers[1-i].client().WorkflowOf(t.Context(), completion)
		require.NoError(t, err)
		require.NotEqual(t, found, theirs)
		n.preapprove(alice, n.operator())
		n.waits(workflowid.Of("preapproval", string(alice)).String(), "renewal")
		giver := n.givers("giver")[0]
		schedule := n.temporal.ScheduleClient().GetHandle(t.Context(), workflows.ScheduleID(n.ledger, kindGiving))
		require.NoError(t, schedule.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
		n.eventually("its automation runs", func() bool { return n.offers()[giver] == 1 })
		require.Zero(t, n.forged.Load(), "it took no work of the other")
	}
}
