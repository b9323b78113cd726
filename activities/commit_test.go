package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Token is a contract for these tests: its owner can give it to a new owner who agrees.
type Token struct {
	_     struct{}     `lf:"test-token:Test.Token:Token"`
	Owner ledger.Party `lf:"owner"`
	Label string       `lf:"label"`
}

// TokenGive is the choice to give a token away.
type TokenGive struct {
	_  struct{}     `lf:"test-token:Test.Token:Token_Give"`
	To ledger.Party `lf:"to"`
}

// Bomb is a contract with a defect.
type Bomb struct {
	_     struct{}     `lf:"test-token:Test.Token:Bomb"`
	Owner ledger.Party `lf:"owner"`
}

func testPackages(t *testing.T) *ledger.Packages {
	t.Helper()
	packages, err := ledger.NewPackages(testPackage())
	require.NoError(t, err)
	return packages
}

func testPackage() ledger.Package {
	return ledger.Package{
		ID: "1111111111111111111111111111111111111111111111111111111111111111", Name: "test-token", Version: "1.0.0",
		Templates: []ledger.TemplateSource{ledger.Template[Token]{
			Signatories: func(token Token) []ledger.Party { return []ledger.Party{token.Owner} },
			Network:     ledger.Membership[Token]{}, // automation follows tokens
			Choices: []ledger.ChoiceOf[Token]{ledger.Choice[Token, TokenGive, lf.CID[Token]]{
				Consuming: true,
				Controllers: func(token Token, give TokenGive) []ledger.Party {
					return []ledger.Party{token.Owner, give.To}
				},
				Body: func(tx *ledger.Tx, _ lf.CID[Token], token Token, give TokenGive) (lf.CID[Token], error) {
					return ledger.Create(tx, Token{Owner: give.To, Label: token.Label})
				},
			}},
		}, ledger.Template[Bomb]{Signatories: func(Bomb) []ledger.Party { panic("a defect") }}},
	}
}

// bundle is the setup of a test: a ledger with the parties alice and bob.
type bundle struct {
	t          *testing.T
	db         *db.DB
	packages   *ledger.Packages
	activities *activities.Activities
	now        time.Time
	// url is the URL of the database; odd says that offers have other fields. Only some tests set them.
	url string
	odd bool
}

func testTime() time.Time { return time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC) }

const (
	alice = ledger.Party("alice::1220")
	bob   = ledger.Party("bob::1220")
)

func newBundle(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{t: t, db: dbtest.New(t), packages: testPackages(t), now: testTime()}
	for _, party := range []ledger.Party{alice, bob} {
		_, err := b.db.AllocateParty(t.Context(), ledger.PartyDetails{Party: party, IsLocal: true}, "")
		require.NoError(t, err)
	}
	b.activities = b.newActivities()
	_, err := b.db.ChangeLedgerSetting(b.t.Context(), "max-deduplication", "24h0m0s")
	require.NoError(b.t, err)
	return b
}

// newActivities is another process on the same database.
func (b *bundle) newActivities() *activities.Activities {
	return &activities.Activities{
		DB: b.db, Packages: b.packages, Node: ledger.Node{Namespace: "1220", PrivateKey: []byte("secret")},
		Clock: func() time.Time { return b.now }, Log: slog.New(slog.DiscardHandler),
	}
}

func (b *bundle) submission(commandID string, actAs []ledger.Party, commands ...ledger.Command) ledger.Submission {
	prepared, refusal := b.packages.PrepareCommands(commands, nil)
	require.Nil(b.t, refusal)
	return b.seal(ledger.Submission{
		Key: "key-" + commandID, Identity: ledger.DefaultUser("user"), CommandID: commandID,
		SubmissionID: "submission-" + commandID,
		ActAs:        ledger.SortedParties(actAs), Commands: prepared, ReceivedAt: b.now, Kind: ledger.KindCommand,
	})
}

func (b *bundle) seal(submission ledger.Submission) ledger.Submission {
	b.t.Helper()
	sealed, err := b.activities.Seal(b.t.Context(), submission)
	require.NoError(b.t, err)
	return sealed
}

func (b *bundle) commit(submissions ...ledger.Submission) []ledger.Completion {
	b.t.Helper()
	for i, submission := range submissions { // a test may have changed it
		submissions[i] = b.seal(submission)
	}
	_, err := b.activities.CommitSubmissions(b.t.Context(),
		activities.CommitSubmissionsInput{Submissions: submissions})
	require.NoError(b.t, err)
	keys := make([]string, len(submissions))
	for i, submission := range submissions {
		keys[i] = submission.Key
	}
	byKey, err := b.db.CompletionsByKey(b.t.Context(), keys)
	require.NoError(b.t, err)
	completions := make([]ledger.Completion, len(submissions))
	for i, key := range keys {
		require.Contains(b.t, byKey, key)
		completions[i] = byKey[key]
	}
	return completions
}

// createdIn returns the last contract that the update of an accepted completion creates.
func (b *bundle) createdIn(completion ledger.Completion) ledger.ContractID {
	b.t.Helper()
	require.Nil(b.t, completion.Refusal)
	update, ok, err := b.db.UpdateByOffset(b.t.Context(), completion.Offset)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	for _, v := range slices.Backward(update.Events) {
		if v.Kind == ledger.EventCreate {
			return v.ContractID
		}
	}
	b.t.Fatal("nothing was created")
	return ""
}

func create(owner ledger.Party) ledger.Command {
	return ledger.Command{Create: &ledger.CreateCommand{
		Template: lf.TypeName{Package: "#test-token", Module: "Test.Token", Entity: "Token"},
		Argument: json.RawMessage(fmt.Sprintf(`{"owner":%q,"label":"<one>"}`, owner)),
	}}
}

func give(id ledger.ContractID, to ledger.Party) ledger.Command {
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: lf.TypeName{Package: "#test-token", Module: "Test.Token", Entity: "Token"}, Contract: id,
		Choice: "Token_Give", Argument: json.RawMessage(fmt.Sprintf(`{"to":%q}`, to)),
	}}
}

func TestCommitSubmissions_RecordsCompletionsUpdatesContracts(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	first := b.commit(b.submission("create", []ledger.Party{alice}, create(alice)))[0]
	require.Equal(t, ledger.Offset(1), first.Offset)
	require.NotEmpty(t, first.UpdateID)
	require.Positive(t, first.PaidTrafficCost)
	token := b.createdIn(first)

	second := b.commit(b.submission("give", []ledger.Party{alice, bob}, give(token, bob)))[0]
	require.Nil(t, second.Refusal)
	require.Equal(t, ledger.Offset(2), second.Offset)
	require.True(t, second.RecordTime.After(first.RecordTime), "record times strictly increase")

	active, err := b.db.ActiveContracts(t.Context(), db.ActiveQuery{At: 2, Limit: 10})
	require.NoError(t, err)
	require.Len(t, active, 1)
	require.Equal(t, []ledger.Party{bob}, active[0].Signatories)
	require.NoError(t, ledger.AuthenticateContract(active[0].Contract))
	old, ok, err := b.db.Contract(t.Context(), token)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, ledger.Offset(2), *old.Archived)
}

func TestCommitSubmissions_StoresARefusalAndCommitsTheRest(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	completions := b.commit(
		b.submission("one", []ledger.Party{alice}, create(alice)),
		b.submission("not authorized", []ledger.Party{bob}, create(alice)),
		b.submission("two", []ledger.Party{bob}, create(bob)),
	)
	require.True(t, completions[0].Accepted())
	require.True(t, fault.DamlAuthorizationError.Matches(completions[1].Refusal))
	require.Empty(t, completions[1].UpdateID)
	require.Zero(t, completions[1].PaidTrafficCost)
	require.True(t, completions[2].Accepted())
	require.Equal(t, []ledger.Offset{1, 2, 3},
		[]ledger.Offset{completions[0].Offset, completions[1].Offset, completions[2].Offset})
}

func TestCommitSubmissions_SeesEarlierSubmissionsOfTheBatch(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	token := b.createdIn(b.commit(b.submission("create", []ledger.Party{alice}, create(alice)))[0])
	completions := b.commit(
		b.submission("first", []ledger.Party{alice, bob}, give(token, bob)),
		b.submission("second", []ledger.Party{alice, bob}, give(token, alice)),
	)
	require.True(t, completions[0].Accepted())
	require.True(t, fault.ContractNotFound.Matches(completions[1].Refusal), "the token is spent: %v",
		completions[1].Refusal)
}

// measurement reports a commit as a whole.
type measurement struct {
	steps  []string
	report func(steps []string, done []ledger.Completion)
}

func (m *measurement) Did(step string)                   { m.steps = append(m.steps, step) }
func (m *measurement) Committed(all []ledger.Completion) { m.report(m.steps, all) }

// A large batch must not block the head for long, so its transaction ends and others come in between.
func TestCommitSubmissions_SplitsALargeBatch(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	var transactions [][]ledger.Completion
	b.activities.Measure = func() activities.Measurement {
		return &measurement{report: func(steps []string, done []ledger.Completion) {
			require.Equal(t, []string{
				activities.StepLock, activities.StepLoad, activities.StepDecide, activities.StepWrite,
			}, steps)
			transactions = append(transactions, done)
		}}
	}
	var batch []ledger.Submission
	large := json.RawMessage(fmt.Sprintf(`{"owner":%q,"label":%q}`, alice, strings.Repeat("x", 12_000)))
	for i := range 20 {
		var commands []ledger.Command
		for range 10 {
			commands = append(commands, createOf("test-token:Test.Token:Token", string(large)))
		}
		batch = append(batch, b.submission(fmt.Sprintf("large %d", i), []ledger.Party{alice}, commands...))
	}
	batch = append(batch, b.submission("last", []ledger.Party{bob}, create(bob)))
	completions := b.commit(batch...)
	for i, completion := range completions {
		require.Nil(t, completion.Refusal)
		require.Equal(t, completions[0].Offset+ledger.Offset(i), completion.Offset, "in their order")
	}
	require.GreaterOrEqual(t, len(transactions), 2)
	for _, one := range transactions {
		cost := int64(0)
		for _, completion := range one[:len(one)-1] {
			cost += completion.PaidTrafficCost
		}
		require.Less(t, cost, int64(1<<20), "the first submission that fills it is the last")
	}
	again := b.commit(batch...)
	require.Equal(t, completions, again)
}

// The real cost of a commit changes the estimate for due submissions of the same account.
func TestCommitSubmissions_TeachesTheCostOfDueWork(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	const estimate = 100
	submission := b.submission("large", []ledger.Party{alice},
		createOf("test-token:Test.Token:Token", fmt.Sprintf(`{"owner":%q,"label":%q}`, alice, strings.Repeat("x", 16_000))))
	newcomer := b.activities.DueCost(submission.Identity, estimate)
	require.Nil(t, b.commit(submission)[0].Refusal)
	require.Less(t, b.activities.DueCost(submission.Identity, estimate), newcomer, "its cost is as its commands suggest")
}

// contract: submit-commands
func TestCommitSubmissions_CommitsAllCommandsOrNone(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	completion := b.commit(b.submission("both", []ledger.Party{alice}, create(alice), create(bob)))[0]
	require.True(t, fault.DamlAuthorizationError.Matches(completion.Refusal))
	require.Equal(t, "1", completion.Refusal.Context["command_index"])
	active, err := b.db.ActiveContracts(t.Context(), db.ActiveQuery{At: completion.Offset, Limit: 10})
	require.NoError(t, err)
	require.Empty(t, active)
}

func TestCommitSubmissions_RepeatsTheFirstCompletion(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	in := activities.CommitSubmissionsInput{Submissions: []ledger.Submission{
		b.submission("a", []ledger.Party{alice}, create(alice)),
		b.submission("b", []ledger.Party{bob}, create(alice)),
	}}
	first, err := b.activities.CommitSubmissions(t.Context(), in)
	require.NoError(t, err)
	b.now = b.now.Add(time.Hour)
	again, err := b.newActivities().CommitSubmissions(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, first, again)
	head, err := b.db.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(2), head.Offset)
}

// contract: submit-deduplication
func TestDeduplication_AcceptsAChangeOnceWithinItsWindow(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	repeat := func(key string, period *ledger.DeduplicationPeriod) ledger.Completion {
		submission := b.submission("change", []ledger.Party{alice}, create(alice))
		submission.Key, submission.SubmissionID, submission.Deduplication = key, "submission "+key, period
		return b.commit(submission)[0]
	}
	first := repeat("1", nil)
	require.True(t, first.Accepted())
	require.Equal(t, ledger.Offset(0), *first.Deduplication.Offset)

	second := repeat("2", nil)
	require.True(t, fault.DuplicateCommand.Matches(second.Refusal))
	require.Equal(t, "1", second.Refusal.Context["completion_offset"])
	require.Equal(t, "Some(submission 1)", second.Refusal.Context["existingSubmissionId"])
	require.Equal(t, first.Offset-1, *second.Deduplication.Offset)

	b.now = b.now.Add(25 * time.Hour)
	third := repeat("3", nil)
	require.True(t, third.Accepted(), "outside the maximum the change runs again")
	require.Equal(t, first.Offset, *third.Deduplication.Offset)

	long := 48 * time.Hour
	b.now = b.now.Add(30 * time.Hour)
	require.True(t, fault.DuplicateCommand.Matches(repeat("4", &ledger.DeduplicationPeriod{Duration: &long}).Refusal))
	from := third.Offset
	require.True(t, repeat("5", &ledger.DeduplicationPeriod{Offset: &from}).Accepted(),
		"nothing was accepted after the offset")
}

func TestDeduplication_AcceptsAChangeAfterARefusal(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	missing := b.submission("change", []ledger.Party{alice, bob},
		give("00"+ledger.ContractID(strings.Repeat("ab", 65)), bob))
	require.True(t, fault.ContractNotFound.Matches(b.commit(missing)[0].Refusal))
	retry := b.submission("change", []ledger.Party{alice, bob}, create(alice))
	retry.Key = "retry"
	require.True(t, b.commit(retry)[0].Accepted())

	other := b.submission("other", []ledger.Party{alice, bob}, missing.Commands...)
	again := b.submission("other", []ledger.Party{alice, bob}, create(alice))
	again.Key = "again"
	completions := b.commit(other, again)
	require.True(t, fault.ContractNotFound.Matches(completions[0].Refusal))
	require.True(t, completions[1].Accepted(), "also within one batch: %v", completions[1].Refusal)
}

func TestCommitSubmissions_RefusesUnknownParties(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	const carol = ledger.Party("carol::1220")
	token := b.createdIn(b.commit(b.submission("create", []ledger.Party{alice}, create(alice)))[0])
	completions := b.commit(
		b.submission("submitter", []ledger.Party{carol}, create(carol)),
		b.submission("receiver", []ledger.Party{alice, carol}, give(token, carol)),
	)
	require.True(t, fault.NoSynchronizerOnWhichAllSubmittersCanSubmit.Matches(completions[0].Refusal))
	require.True(t, fault.NoSynchronizerOnWhichAllSubmittersCanSubmit.Matches(completions[1].Refusal))
}

// Several processes commit transfers of the same tokens at once.
func TestCommitSubmissions_NeverSpendsTwiceInARace(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	const tokens, racers = 5, 4
	var ids []ledger.ContractID
	for i := range tokens {
		completion := b.commit(b.submission("create "+strconv.Itoa(i), []ledger.Party{alice}, create(alice)))[0]
		ids = append(ids, b.createdIn(completion))
	}
	var wg sync.WaitGroup
	failures := make(chan error, racers*tokens)
	for racer := range racers {
		process := b.newActivities()
		var batches []activities.CommitSubmissionsInput
		for i, id := range ids {
			name := fmt.Sprintf("race %d %d", racer, i)
			batches = append(batches, activities.CommitSubmissionsInput{Submissions: []ledger.Submission{
				b.submission(name, []ledger.Party{alice, bob}, give(id, bob)),
			}})
		}
		wg.Go(func() {
			for _, batch := range batches {
				if _, err := process.CommitSubmissions(context.WithoutCancel(t.Context()), batch); err != nil {
					failures <- err
				}
			}
		})
	}
	wg.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	head, err := b.db.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(tokens+racers*tokens), head.Offset, "offsets have no gaps")
	active, err := b.db.ActiveContracts(t.Context(), db.ActiveQuery{At: head.Offset, Limit: 100})
	require.NoError(t, err)
	require.Len(t, active, tokens)
	for _, contract := range active {
		require.Equal(t, []ledger.Party{bob}, contract.Signatories)
	}
}

func TestCommitSubmissions_DeliversCompletionsToWaiters(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.activities.Outcomes = activities.NewOutcomes()
	delivered := make(chan ledger.Completion, 1)
	submission := b.submission("create", []ledger.Party{alice}, create(alice))
	b.activities.Outcomes.Expect(submission.Key, func(c ledger.Completion) { delivered <- c }, nil)
	stored := b.commit(submission)[0]
	require.Equal(t, stored.UpdateID, (<-delivered).UpdateID)
	require.Empty(t, b.activities.Outcomes.Expected())
}

func TestCommitSubmissions_ChargesTrafficToTheNode(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	_, err := b.db.ChangeLedgerSetting(t.Context(), "enforce-traffic", "true")
	require.NoError(t, err)
	b.activities.Traffic = ledger.TrafficRules{BaseBurst: 1_000_000, BaseWindow: time.Hour}
	first := b.commit(b.submission("one", []ledger.Party{alice}, create(alice)))[0]
	head, err := b.db.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1_000_000-first.PaidTrafficCost, head.Traffic.Base)

	b.activities.Traffic.BaseBurst = first.PaidTrafficCost * 3 / 2
	b.now = b.now.Add(2 * time.Hour)
	completions := b.commit(
		b.submission("covered", []ledger.Party{alice}, create(alice)),
		b.submission("too much", []ledger.Party{alice}, create(alice)),
	)
	require.True(t, completions[0].Accepted())
	require.True(t, fault.SequencerNotEnoughTrafficCredit.Matches(completions[1].Refusal))
	require.Zero(t, completions[1].PaidTrafficCost)
	require.Empty(t, completions[1].UpdateID)

	b.activities.Traffic.Stake = func(contract ledger.Contract) (int64, error) {
		return 10_000, nil // each contract buys some
	}
	purchase := b.commit(b.submission("buy", []ledger.Party{alice}, create(alice)))[0]
	require.True(t, purchase.Accepted(), "a node without traffic can buy some")
	head, err = b.db.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(10_000), head.Traffic.Purchased)
	require.Positive(t, head.Traffic.Consumed)
}
