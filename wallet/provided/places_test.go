package provided_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// spendingPlaces lists the files that spend the operator's coin on a request of somebody else, each with its bound.
var spendingPlaces = map[string]string{
	"wallet/lifecycle/preapproval.go":   "a renewal pays for one more lifetime, in the last days of the one before",
	"api/walletapi/preapproval.go":      "the rule of this package, at the door and at the commit",
	"api/walletapi/external/setup.go":   "the rule of this package, at the door and at the commit; administrators ask",
	"wallet/automation/topup.go":        "the operator's setting says how much traffic is bought, and how often",
	"wallet/automation/preapprovals.go": "the rule of this package, at the plan (proposals.go) and at the commit",
}

// Code that spends the operator's coin must state its bound.
func TestPlaces_SpendingOperatorCoinAreListed(t *testing.T) {
	t.Parallel()
	spends := regexp.MustCompile(`[iI]nputs\(.*Operator\)|Wallet: +[\w.]*Operator\b`)
	found := map[string]bool{}
	for _, root := range []string{"wallet", "api", "activities", "workflows", "node", "cmd"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", root),
			func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
					return err
				}
				text, err := os.ReadFile(path)
				if err == nil && spends.Match(text) {
					found[filepath.ToSlash(strings.TrimPrefix(path, filepath.Join("..", "..")+string(filepath.Separator)))] = true
				}
				return err
			}))
	}
	for path := range found {
		require.Contains(t, spendingPlaces, path, "say what bounds what the operator pays there")
	}
	for path := range spendingPlaces {
		require.Contains(t, found, path, "the list is longer than the code")
	}
}
