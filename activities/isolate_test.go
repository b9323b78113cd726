package activities_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/lifecycle"
)

// eve makes the poisoned submissions. She is the DSO: her contracts are the network's, so that her submissions have
// every effect that a commit can have.
const eve = ledger.Party("eve::1220")

// newPoisonedBundle is a ledger with the built-in contracts, and its log.
func newPoisonedBundle(t *testing.T) (*bundle, *strings.Builder) {
	t.Helper()
	url := dbtest.URL(t)
	b := &bundle{t: t, db: dbtest.Open(t, url), now: testTime(), url: url}
	var err error
	b.packages, err = ledger.NewPackages(append(builtin.Packages(), testPackage())...)
	require.NoError(t, err)
	for _, party := range []ledger.Party{alice, bob, eve} {
		_, err := b.db.AllocateParty(t.Context(), ledger.PartyDetails{Party: party, IsLocal: true}, "")
		require.NoError(t, err)
	}
	log := &strings.Builder{}
	b.activities = b.newActivities()
	b.activities.Node.Operator, b.activities.Node.DSO = alice, eve
	b.activities.Log = slog.New(slog.NewTextHandler(log, nil))
	b.activities.Lifecycles, err = lifecycle.NewRegistry(b.packages)
	require.NoError(t, err)
	b.activities.Traffic = coin.TrafficRulesOf(coin.MemberOf("node::1220"), "global")
	return b, log
}

// healthy is a submission without a fault, with a lifecycle and a tracking id.
func (b *bundle) healthy(name string) ledger.Submission {
	if b.odd {
		return b.submission(name, []ledger.Party{alice}, create(alice))
	}
	return b.submission(name, []ledger.Party{alice}, create(alice), offer(alice, name))
}

func createOf(template, argument string) ledger.Command {
	pkg, rest, _ := strings.Cut(template, ":")
	module, entity, _ := strings.Cut(rest, ":")
	return ledger.Command{Create: &ledger.CreateCommand{
		Template: lf.TypeName{Package: lf.PackageID("#" + pkg), Module: module, Entity: entity},
		Argument: json.RawMessage(argument),
	}}
}

func offer(sender ledger.Party, trackingID string) ledger.Command {
	return createOf("splice-wallet:Splice.Wallet.TransferOffer:TransferOffer", fmt.Sprintf(`{"sender":%q,"receiver":%q,
		"dso":%q,"amount":{"amount":"1.0","unit":"AmuletUnit"},"description":"","expiresAt":"2027-01-01T00:00:00Z",
		"trackingId":%q}`, sender, bob, eve, trackingID))
}

func lockedCoin(text string) ledger.Command {
	return createOf("splice-amulet:Splice.Amulet:LockedAmulet", fmt.Sprintf(`{"amulet":{"dso":%q,"owner":%q,"amount":{
		"initialAmount":"1.0","createdAt":{"number":"1"},"ratePerRound":{"rate":"0.1"}}},
		"lock":{"holders":[],"expiresAt":"2027-01-01T00:00:00Z","optContext":%q}}`, eve, eve, text))
}

func boughtTraffic(total string) ledger.Command {
	return createOf("splice-amulet:Splice.DecentralizedSynchronizer:MemberTraffic", fmt.Sprintf(`{"dso":%q,
		"memberId":"PAR::node::1220","synchronizerId":"global","migrationId":"0","totalPurchased":%q,"numPurchases":"1",
		"amuletSpent":"1.0","usdSpent":"1.0"}`, eve, total))
}

// poison is one way in which a submission fails after its acknowledgement.
type poison struct {
	name string
	code fault.Code
	// inject changes the node that commits; nil for nothing.
	inject func(b *bundle)
	// submission makes the guilty submission.
	submission func(b *bundle, name string) ledger.Submission
	// key makes the key of its completion, if that is not the submission's.
	key func(string) string
}

// mark is the label of the contracts on which the broken rules fail.
const mark = "poison"

func marked(contract ledger.Contract) bool { return strings.Contains(string(contract.Payload), mark) }

func markedToken(b *bundle, name string) ledger.Submission {
	return b.submission(name, []ledger.Party{eve}, ledger.Command{Create: &ledger.CreateCommand{
		Template: lf.TypeName{Package: "#test-token", Module: "Test.Token", Entity: "Token"},
		Argument: json.RawMessage(fmt.Sprintf(`{"owner":%q,"label":%q}`, eve, mark)),
	}})
}

func altered(alter func(*ledger.Submission)) func(*bundle, string) ledger.Submission {
	return func(b *bundle, name string) ledger.Submission {
		submission := b.submission(name, []ledger.Party{eve}, create(eve))
		alter(&submission)
		return submission
	}
}

// poisons make every effect of a commit fail, by the submission or by a broken rule. Failures of tables are in
// [TestCommitApart_RefusesOnADataErrorInAnyTable].
func poisons() []poison {
	var long strings.Builder // no two parts are alike, so the database cannot compress it
	for i := range 4000 {
		fmt.Fprintf(&long, "%x", i*7919)
	}
	breaking := func(stake func(ledger.Contract) (int64, error)) func(*bundle) {
		return func(b *bundle) { b.activities.Traffic.Stake = stake }
	}
	return []poison{
		{
			name: "a text that an index cannot read", code: fault.MalformedText,
			submission: func(b *bundle, name string) ledger.Submission {
				submission := b.submission(name, []ledger.Party{eve}, lockedCoin("@"))
				create := submission.Commands[0].Create
				create.Argument = json.RawMessage(strings.Replace(string(create.Argument), "@", `\u0000`, 1))
				return submission
			},
		},
		{
			name: "a sum of traffic that no account can hold", code: fault.FailedToExecuteTransaction,
			submission: func(b *bundle, name string) ledger.Submission {
				return b.submission(name, []ledger.Party{eve}, boughtTraffic("9000000000000000000"),
					boughtTraffic("9000000000000000000"))
			},
		},
		{
			name: "traffic that cannot be told", code: fault.LedgerAPIInternalError, submission: markedToken,
			inject: breaking(func(contract ledger.Contract) (int64, error) {
				if marked(contract) {
					return 0, errors.New("broken")
				}
				return 0, nil
			}),
		},
		{
			name: "a panic in the rules of traffic", code: fault.LedgerAPIInternalError, submission: markedToken,
			inject: breaking(func(contract ledger.Contract) (int64, error) {
				if marked(contract) {
					panic("broken")
				}
				return 0, nil
			}),
		},
		{
			name: "a panic in a template", code: fault.DamlInterpretationError,
			submission: func(b *bundle, name string) ledger.Submission {
				return b.submission(name, []ledger.Party{eve}, createOf("test-token:Test.Token:Bomb",
					fmt.Sprintf(`{"owner":%q}`, eve)))
			},
		},
		{
			name: "a lifecycle that cannot be told", code: fault.LedgerAPIInternalError, inject: withOddOffers,
			submission: oddOffer,
		},
		{
			name: "a tracking entry that cannot be told", code: fault.LedgerAPIInternalError, submission: oddOffer,
			inject: func(b *bundle) { withOddOffers(b); b.activities.Lifecycles = nil },
		},
		{
			name: "a signed transaction that is none", code: fault.InvalidArgument,
			submission: altered(func(s *ledger.Submission) {
				s.Signed = &ledger.SignedTransaction{Transaction: []byte("\xff\x00\x01"), Scheme: "x"}
			}),
		},
		{
			name: "a command id with a NUL", code: fault.MalformedText,
			submission: altered(func(s *ledger.Submission) { s.CommandID += "\x00" }),
		},
		{
			name: "broken UTF-8", code: fault.MalformedText,
			submission: altered(func(s *ledger.Submission) { s.WorkflowID = "\xff" }),
		},
		{
			name: "a key with a NUL, at which loading fails", code: fault.MalformedText,
			submission: altered(func(s *ledger.Submission) { s.Key += "\x00" }),
			key:        func(key string) string { return strings.TrimSuffix(key, "\x00") },
		},
		{
			name: "a party twice", code: fault.FailedToExecuteTransaction,
			submission: altered(func(s *ledger.Submission) { s.ActAs = append(s.ActAs, eve) }),
		},
		{
			name: "no party", code: fault.FailedToExecuteTransaction,
			submission: altered(func(s *ledger.Submission) { s.ActAs = nil }),
		},
		{
			name: "an index row that is too large", code: fault.FailedToExecuteTransaction,
			submission: altered(func(s *ledger.Submission) { s.UserID = long.String() }),
		},
		{
			name: "no command", code: fault.LedgerAPIInternalError,
			submission: altered(func(s *ledger.Submission) { s.Commands = nil }),
		},
	}
}

// OddOffer has the name of an offer, but other fields.
type OddOffer struct {
	_          struct{}     `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer"`
	Sender     ledger.Party `lf:"sender"`
	TrackingID int64        `lf:"trackingId"`
	Receiver   []string     `lf:"receiver"`
}

func oddOffer(b *bundle, name string) ledger.Submission {
	return b.submission(name, []ledger.Party{eve}, createOf("splice-wallet:Splice.Wallet.TransferOffer:TransferOffer",
		fmt.Sprintf(`{"sender":%q,"trackingId":"7","receiver":["a"]}`, eve)))
}

// withOddOffers makes the node create offers that the effects of a commit cannot read.
func withOddOffers(b *bundle) {
	packages := builtin.Packages()
	for i, pkg := range packages {
		if pkg.Name == "splice-wallet" {
			packages[i].Templates = []ledger.TemplateSource{ledger.Template[OddOffer]{
				Network:     ledger.DSONamed(func(OddOffer) ledger.Party { return eve }),
				Signatories: func(o OddOffer) []ledger.Party { return []ledger.Party{o.Sender} },
			}}
			packages[i].Interfaces = nil
		}
	}
	var err error
	b.packages, err = ledger.NewPackages(append(packages, testPackage())...)
	require.NoError(b.t, err)
	b.activities.Packages, b.odd = b.packages, true
}

// commitRaw seals and commits submissions, and returns the error.
func (b *bundle) commitRaw(submissions []ledger.Submission) error {
	submissions = slices.Clone(submissions)
	for i, submission := range submissions {
		submissions[i] = b.seal(submission)
	}
	_, err := b.activities.CommitSubmissions(b.t.Context(), activities.CommitSubmissionsInput{Submissions: submissions})
	return err
}

func (b *bundle) completions(keys []string) map[string]ledger.Completion {
	b.t.Helper()
	completions, err := b.db.CompletionsByKey(b.t.Context(), keys)
	require.NoError(b.t, err)
	return completions
}

// requireNoGaps checks that completions and updates have every offset up to the head, once.
func (b *bundle) requireNoGaps(completions map[string]ledger.Completion) {
	b.t.Helper()
	head, err := b.db.Head(b.t.Context())
	require.NoError(b.t, err)
	require.Equal(b.t, ledger.Offset(len(completions)), head.Offset)
	seen := map[ledger.Offset]bool{}
	for _, completion := range completions {
		require.False(b.t, seen[completion.Offset])
		seen[completion.Offset] = true
		_, hasUpdate, err := b.db.UpdateByOffset(b.t.Context(), completion.Offset)
		require.NoError(b.t, err)
		require.Equal(b.t, completion.Accepted(), hasUpdate)
	}
}

func TestCommitApart_RefusesTheSubmissionThatFails(t *testing.T) {
	t.Parallel()
	for i, poison := range poisons() {
		t.Run(poison.name, func(t *testing.T) {
			t.Parallel()
			b, log := newPoisonedBundle(t)
			if poison.inject != nil {
				poison.inject(b)
			}
			const size = 12
			var batch []ledger.Submission
			var keys []string
			for n := range size {
				submission := b.healthy(fmt.Sprint("healthy-", n))
				if n == (i*5)%size {
					submission = poison.submission(b, mark)
				}
				batch, keys = append(batch, submission), append(keys, submission.Key)
			}
			guilty := (i * 5) % size
			if poison.key != nil {
				keys[guilty] = poison.key(keys[guilty])
			}
			require.NoError(t, b.commitRaw(batch))
			first := b.completions(keys)
			require.Len(t, first, size)
			for n, key := range keys {
				if n != guilty {
					require.True(t, first[key].Accepted(), "%d: %v", n, first[key].Refusal)
				}
			}
			refusal := first[keys[guilty]].Refusal
			require.True(t, poison.code.Matches(refusal), "%v", refusal)
			require.NotEmpty(t, first[keys[guilty]].ActAs)
			b.requireNoGaps(first)
			if poison.code.ID == fault.LedgerAPIInternalError.ID {
				require.Contains(t, log.String(), "could not decide or record")
			}

			require.NoError(t, b.commitRaw(batch), "a second time")
			require.Equal(t, first, b.completions(keys))
		})
	}
}

func TestCommitApart_CommitsTheOthersOfAPoisonedBatch(t *testing.T) {
	t.Parallel()
	b, _ := newPoisonedBundle(t)
	var usable []poison
	for _, poison := range poisons() {
		if poison.inject == nil {
			usable = append(usable, poison)
		}
	}
	round, all := 0, map[string]ledger.Completion{}
	rapid.Check(t, func(rt *rapid.T) {
		round++
		poison := rapid.SampledFrom(usable).Draw(rt, "poison")
		size := rapid.IntRange(1, 9).Draw(rt, "size")
		guilty := rapid.IntRange(0, size-1).Draw(rt, "guilty")
		var batch []ledger.Submission
		var keys []string
		for n := range size {
			submission := b.healthy(fmt.Sprintf("%d-%d", round, n))
			if n == guilty {
				submission = poison.submission(b, fmt.Sprintf("%s-%d", mark, round))
			}
			key := submission.Key
			if n == guilty && poison.key != nil {
				key = poison.key(key)
			}
			batch, keys = append(batch, submission), append(keys, key)
		}
		require.NoError(rt, b.commitRaw(batch))
		for n, key := range keys {
			completion, ok := b.completions(keys)[key]
			require.True(rt, ok)
			require.Equal(rt, n != guilty, completion.Accepted(), "%s: %v", poison.name, completion.Refusal)
			all[key] = completion
		}
	})
	b.requireNoGaps(all)
}
