package workflowid_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// names are usual and hostile names of users.
func names() []string {
	return []string{
		"", "order-1", "order 1", " ", "é", "訂單", "🪙", "a\x00b", "a\nb", "a\tb", "a\u202eb", "\xff\xfe", `"`, `'`, "`", `\`,
		`" OR WorkflowId != "`, "o'brien", "order#1", "a/b?c=d%20", "~", strings.Repeat("x", 204), strings.Repeat("x", 255),
		strings.Repeat("x", 256), strings.Repeat("訂", 255), strings.Repeat("x", 100_000), strings.Repeat("_", 255),
		"x#" + strings.Repeat("0", 32), "a_b", "a" + strings.Repeat("\u0301", 300),
	}
}

func TestOf_EveryNameMakesItsOwnLegalID(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range names() {
		id := workflowid.Of("transfer", name, "0123456789abcdef")
		parsed, ok := workflowid.Parse(id.String())
		require.True(t, ok, "%q makes %q", name, id)
		require.Equal(t, id, parsed)
		other, taken := seen[id.String()]
		require.False(t, taken, "%q and %q have the same id", name, other)
		seen[id.String()] = name
		require.True(t, strings.HasPrefix(id.String(), "transfer:"), id)
		require.True(t, strings.HasSuffix(id.String(), ":0123456789abcdef"), id)
		require.LessOrEqual(t, len(workflowid.Keyword(name)), workflowid.MaxBytes)
	}
}

// Nobody can choose a name that equals the short form of another.
func TestKeyword_ShortFormIsNoOtherName(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		short := workflowid.Keyword(name)
		if short != name {
			require.NotEqual(t, short, workflowid.Keyword(short), "%q", name)
		}
	}
}

func TestKeyword_KeepsNamesThatFit(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"order-1", "order 1", "a/b:c_d#e.f", "x+y=z@w|(v)", strings.Repeat("x", 255)} {
		require.Equal(t, name, workflowid.Keyword(name))
	}
	require.Equal(t, "preapproval:alice::1220ab", workflowid.Of("preapproval", "alice::1220ab").String())
	require.Equal(t, "submit:pay-1:key", workflowid.Of("submit", "pay-1", "key").String())
}

func TestOf_KeepsOddNamesReadable(t *testing.T) {
	t.Parallel()
	require.Regexp(t, "^submit:o_brien#[0-9a-f]{32}:key$", workflowid.Of("submit", "o'brien", "key").String())
	require.Regexp(t, "^submit:x+#[0-9a-f]{32}:key-of-a-submission-that-is-so-long$",
		workflowid.Of("submit", strings.Repeat("x", 255), "key-of-a-submission-that-is-so-long").String())
}

func TestParse_RefusesMalformedIDs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "transfer:é:1", "a\x00", `a"b`, `a\b`, strings.Repeat("x", 256), "\xff"} {
		_, ok := workflowid.Parse(text)
		require.False(t, ok, "%q", text)
	}
}

func TestLedgerString_IsLegalOnTheLedger(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		id := workflowid.Of("transfer", name, "0123456789abcdef").String()
		require.NoError(t, ledger.CheckLedgerString(workflowid.LedgerString(id)), "%q", id)
	}
	require.Equal(t, "preapproval:alice::12", workflowid.LedgerString("preapproval:alice::12"))
	require.NotEqual(t, workflowid.LedgerString("a+b"), workflowid.LedgerString("a=b"))
}

func TestLedger_NamesFitTemporalAndComeBack(t *testing.T) {
	t.Parallel()
	first := workflowid.LedgerOf("participant::1220ab", "7312345678901234567/16384")
	copied := workflowid.LedgerOf("participant::1220ab", "7312345678901234567/16385")
	require.Regexp(t, "^[0-9a-f]{8}$", string(first))
	require.NotEqual(t, first, copied, "a copy of the record has another database")
	require.NotEqual(t, first, workflowid.LedgerOf("participant::1220cd", "7312345678901234567/16384"))
	require.Equal(t, string(first)+":florin", first.Name("florin"))
	for _, name := range names() {
		id := workflowid.Of("transfer", name, "0123456789abcdef").String()
		require.LessOrEqual(t, len(first.Name(id)), workflowid.MaxBytes)
		require.Equal(t, id, workflowid.Local(first.Name(id)))
		require.Equal(t, id, workflowid.Local(id), "what has no ledger's id stays")
	}
}

func TestSummary_IsCut(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		summary := workflowid.Summary("A transfer for " + name)
		require.LessOrEqual(t, len(summary), 310)
		require.True(t, utf8.ValidString(summary), "%q", summary)
	}
}

func FuzzOf_DifferentNamesMakeDifferentIDs(f *testing.F) {
	for _, name := range names() {
		f.Add(name, "order-1")
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		first, second := workflowid.Of("transfer", one, "x"), workflowid.Of("transfer", other, "x")
		_, ok := workflowid.Parse(first.String())
		require.True(t, ok, "%q makes %q", one, first)
		require.Equal(t, one == other, first == second, "%q and %q", one, other)
	})
}
