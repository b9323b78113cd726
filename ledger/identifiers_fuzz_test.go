package ledger_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

// Accepted identifiers are plain text that fits every store, log and URL.
func FuzzIdentifiers_ArePlainText(f *testing.F) {
	for _, seed := range []string{
		"", "alice", "alice::1220ab", "a b", "a\x00", "\xff", "é", "::", "a::b::c", "..", "%2e", "`|'", "1220", "00ab",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for name, check := range map[string]func(string) error{
			"user id": ledger.CheckUserID, "party": ledger.CheckParty, "hint": ledger.CheckPartyHint,
			"ledger string": ledger.CheckLedgerString, "package id": ledger.CheckPackageID,
			"package name": ledger.CheckPackageName, "name": ledger.CheckName, "contract id": ledger.CheckContractID,
			"synchronizer": ledger.CheckSynchronizerID,
		} {
			err := check(value)
			if err != nil {
				require.Less(t, len(err.Error()), 1200, "%s: refusals do not repeat hostile values", name)
				continue
			}
			require.NotEmpty(t, value, name)
			require.LessOrEqual(t, len(value), 1000, name)
			for _, char := range value {
				require.True(t, char >= ' ' && char < utf8.RuneSelf && char != 127, "%s %q", name, value)
			}
		}
	})
}
