package ledger_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

// contract: parties-name
func TestIdentifiers_FollowTheirFormats(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("a", n) }
	hash := "00" + strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		check     func(string) error
		good, bad []string
	}{
		"ledger strings": {
			ledger.CheckLedgerString, []string{"a", "cmd-1_2.3:4#5/6 7", long(255)}, []string{"", long(256), "a+b", "é", "a\nb"},
		},
		"user ids": {
			ledger.CheckUserID, []string{"alice@example.org", "a|b(c)~'`!^$", long(128)}, []string{"", long(129), "a b", "a/b"},
		},
		"parties": {
			ledger.CheckParty, []string{"a", "Alice-1_x::1220ab", "with space", long(255)}, []string{"", long(256), "a.b", "ü"},
		},
		"party hints": {
			ledger.CheckPartyHint, []string{"alice", "a:b", long(185)}, []string{"", "a::b", long(186), "a.b"},
		},
		"package ids":   {ledger.CheckPackageID, []string{"a-b_c 1", long(64)}, []string{"", long(65), "a.b"}},
		"package names": {ledger.CheckPackageName, []string{"splice-amulet", long(255)}, []string{"", long(256), "a b"}},
		"names":         {ledger.CheckName, []string{"Archive", "_x$1", long(1000)}, []string{"", "1a", "a-b", long(1001)}},
		"synchronizers": {
			ledger.CheckSynchronizerID,
			[]string{"global-domain::1220ab", "global::1220::34-0", "a:b c_d::12"},
			[]string{
				"", "global", "::1220", "global::", "global::12::3-", "gl/bal::12", "a::b::c", "a::b::34-0::x", "a:::b", "a::b::",
				"a::b_c", long(186) + "::12", "a::" + long(69),
			},
		},
		"contract ids": {
			ledger.CheckContractID,
			[]string{hash, hash + "ca12", hash + strings.Repeat("00", 94)},
			[]string{
				"", "00", "01" + hash[2:], strings.ToUpper(hash), hash + "0", hash[:64], hash + "zz",
				hash + strings.Repeat("00", 95),
			},
		},
	} {
		for _, good := range c.good {
			require.NoError(t, c.check(good), "%s: %q", name, good)
		}
		for _, bad := range c.bad {
			err := c.check(bad)
			require.Error(t, err, "%s: %q", name, bad)
			require.Less(t, len(err.Error()), 400, "%s: hostile values do not fill errors", name)
		}
	}
}

func TestParties_SortAndCompareLists(t *testing.T) {
	t.Parallel()
	given := []ledger.Party{charlie, alice, charlie}
	sorted := ledger.SortedParties(given, []ledger.Party{bob})
	require.Equal(t, []ledger.Party{alice, bob, charlie}, sorted)
	require.Equal(t, []ledger.Party{charlie, alice, charlie}, given, "the inputs do not change")
	require.True(t, ledger.PartiesContain(sorted, bob))
	require.False(t, ledger.PartiesContain(sorted, diana))
	require.Equal(t, []ledger.Party{diana}, ledger.MissingParties(sorted, []ledger.Party{diana, alice, diana}))
	require.Empty(t, ledger.MissingParties(sorted, given))
	require.True(t, ledger.PartiesOverlap(sorted, []ledger.Party{diana, charlie}))
	require.False(t, ledger.PartiesOverlap(sorted, []ledger.Party{diana}))
	require.Equal(t, sorted, ledger.FromStrings[ledger.Party](ledger.Strings(sorted)))
}

// contract: submit-change-id
func TestChangeID_CoversUserCommandAndActors(t *testing.T) {
	t.Parallel()
	change := ledger.NewChangeID(ledger.DefaultUser("user"), "command", []ledger.Party{alice, bob})
	require.Regexp(t, "^1220[0-9a-f]{64}$", string(change))
	require.Equal(t, change, ledger.NewChangeID(ledger.DefaultUser("user"), "command", []ledger.Party{bob, alice, bob}))
	require.Equal(t, change, ledger.Submission{
		Identity: ledger.DefaultUser("user"), CommandID: "command", ActAs: []ledger.Party{bob, alice},
		ReadAs: []ledger.Party{diana}, SubmissionID: "other",
	}.ChangeID())
	for _, other := range []ledger.ChangeID{
		ledger.NewChangeID(ledger.DefaultUser("usercommand"), "", []ledger.Party{alice, bob}),
		ledger.NewChangeID(ledger.DefaultUser("user"), "command2", []ledger.Party{alice, bob}),
		ledger.NewChangeID(ledger.DefaultUser("user2"), "command", []ledger.Party{alice, bob}),
		ledger.NewChangeID(ledger.DefaultUser("user"), "command", []ledger.Party{alice}),
		ledger.NewChangeID(ledger.DefaultUser("user"), "command", []ledger.Party{alice + bob}),
		ledger.NewChangeID(ledger.Identity{IdentityProviderID: "acme", UserID: "user"}, "command", []ledger.Party{
			alice,
			bob,
		}),
	} {
		require.NotEqual(t, change, other)
	}
}

func TestChangeID_OfAWalletIgnoresTheUser(t *testing.T) {
	t.Parallel()
	changeID := func(kind string, who ledger.Identity, commandID string) ledger.ChangeID {
		return ledger.Submission{Kind: kind, Identity: who, CommandID: commandID, ActAs: []ledger.Party{alice}}.ChangeID()
	}
	one, two := ledger.DefaultUser("one"), ledger.Identity{IdentityProviderID: "acme", UserID: "two"}
	require.Equal(t, changeID(ledger.KindWallet, one, "send"), changeID(ledger.KindWallet, two, "send"))
	require.NotEqual(t, changeID(ledger.KindWallet, one, "send"), changeID(ledger.KindWallet, one, "tap"))
	for _, kind := range []string{ledger.KindCommand, ledger.KindExternal, ledger.KindAutomation, ledger.KindLifecycle} {
		require.NotEqual(t, changeID(kind, one, "send"), changeID(kind, two, "send"))
		require.NotEqual(t, changeID(ledger.KindWallet, one, "send"), changeID(kind, one, "send"), "%s cannot take it", kind)
	}
}

// The record contains change ids, so their form must never change.
func TestChangeID_KeepsItsStoredForm(t *testing.T) {
	t.Parallel()
	parties := []ledger.Party{"alice::1220aa"}
	require.EqualValues(t, "1220a0c4e73fa39d3aed4f188967c3bb40b523efec3d6db4267ace39f0bed43094b4",
		ledger.NewChangeID(ledger.DefaultUser("user"), "command", parties))
	require.EqualValues(t, "1220dd1449b40f259eba53b85e243939e87c018fa87d79f627087e6894805778c549",
		ledger.NewChangeID(ledger.Identity{IdentityProviderID: "acme", UserID: "user"}, "command", parties))
}

func TestIdentityText_NamesUserAndProvider(t *testing.T) {
	t.Parallel()
	require.Equal(t, "user", ledger.IdentityText(ledger.DefaultUser("user")))
	require.Equal(t, "user @ acme", ledger.IdentityText(ledger.Identity{IdentityProviderID: "acme", UserID: "user"}))
}

func TestTraceID_ReadsTraceparent(t *testing.T) {
	t.Parallel()
	trace := ledger.TraceContext{Traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
	require.Equal(t, "4bf92f3577b34da6a3ce929d0e0e4736", trace.TraceID())
	require.Empty(t, ledger.TraceContext{}.TraceID())
}

func TestMentionedContracts_NeedsNoTypes(t *testing.T) {
	t.Parallel()
	id := func(digit string) ledger.ContractID { return ledger.ContractID("00" + strings.Repeat(digit, 64)) }
	argument := func(digit string) []byte { return []byte(`{"cid":"` + string(id(digit)) + `","text":"00ab","n":"00"}`) }
	submission := ledger.Submission{Commands: []ledger.Command{
		{Create: &ledger.CreateCommand{Argument: argument("1")}},
		{Exercise: &ledger.ExerciseCommand{Contract: id("2"), Argument: argument("3")}},
		{CreateAndExercise: &ledger.CreateAndExerciseCommand{CreateArgument: argument("4"), ChoiceArgument: argument("5")}},
		{ExerciseByKey: &ledger.ExerciseByKeyCommand{Argument: argument("6")}},
	}}
	require.Equal(t, []ledger.ContractID{id("1"), id("2"), id("3"), id("4"), id("5"), id("6")},
		submission.MentionedContracts())
}

func TestParty_SplitsAtItsLastTwoColons(t *testing.T) {
	t.Parallel()
	for _, hint := range []string{"alice", "x:", ":x", ":", "a:b", " x ", "a-b_c"} {
		party := ledger.Node{Namespace: "1220ab"}.LocalParty(hint)
		require.NoError(t, ledger.CheckPartyHint(hint))
		split, namespace, ok := ledger.SplitParty(string(party))
		require.True(t, ok, party)
		require.Equal(t, []string{hint, "1220ab"}, []string{split, namespace})
	}
	for _, id := range []string{"", "alice", "::1220", "alice::", "::", "a:b"} {
		_, _, ok := ledger.SplitParty(id)
		require.False(t, ok, id)
	}
}
