//go:build dars

package upgrade_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/upgrade"
)

// broken are the published versions that break a rule of upgrades, with the rule.
var broken = map[string]string{
	"clearportx-amm 1.0.1 1.0.3":              "FieldNotOptional",
	"clearportx-amm 1.0.1 1.0.4":              "FieldNotOptional",
	"clearportx-amm-production 1.0.25 1.0.26": "ModuleMissing",
}

// TestPublishedDARs_UpgradeTheirPredecessors compares versions of one package among the main packages of a directory's
// DARs. The newer version may follow the older, except those in broken.
func TestPublishedDARs_UpgradeTheirPredecessors(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(os.Getenv("DARS"), "*.dar"))
	require.NoError(t, err)
	var mains []*ast.Package
	known := ast.Packages{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		dar, err := archive.ReadDAR(data, archive.Options{Dev: true})
		if err != nil {
			continue // other tests cover these
		}
		mains = append(mains, dar.Main)
		for _, p := range dar.Packages {
			known[p.ID] = p
		}
	}
	for _, older := range mains {
		for _, newer := range mains {
			if older.Name == newer.Name && upgrade.CompareReleases(older.Release, newer.Release) < 0 {
				err := upgrade.Check(older, newer, known)
				if rule := broken[older.Name+" "+older.Release+" "+newer.Release]; rule != "" {
					require.ErrorContains(t, err, rule)
					continue
				}
				require.NoError(t, err)
				t.Logf("%s %s may follow %s", newer.Name, newer.Release, older.Release)
			}
		}
	}
}
