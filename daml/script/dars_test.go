//go:build dars

package script_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/daml/script"
)

// needParties are scripts of clearportx-amm-production that need parties of a running network. They fail on an empty
// ledger.
var needParties = []string{
	"CreateAllPools:createAllPools", "GiveAliceBobTokens:giveTokens", "MintForAliceAndBob:mintForAliceAndBob",
	"MintForTesting:mintForTesting", "QuickPoolInit:quickPoolInit", "VerifyPool:verifyPool", "VetPackage:vetProduction",
	"VetPackageForAliceBob:vetPackage",
}

// TestPublishedDARs_RunTheirScripts runs the scripts of all packages in the DARs of a directory.
func TestPublishedDARs_RunTheirScripts(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(os.Getenv("DARS"), "*.dar"))
	require.NoError(t, err)
	const minDARs, minScripts = 10, 50
	require.GreaterOrEqual(t, len(paths), minDARs, "DARS names a directory of DARs")
	scripts := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		dar, err := archive.ReadDAR(data, archive.Options{Dev: true})
		if err != nil || check.Packages(t.Context(), dar.Packages, check.Options{}) != nil {
			continue // other tests cover these
		}
		packages := ast.Packages{}
		for _, p := range dar.Packages {
			packages[p.ID] = p
		}
		suite, err := script.NewSuite(packages)
		require.NoError(t, err)
		for _, p := range dar.Packages {
			for _, found := range script.Find(p, packages) {
				scripts++
				t.Run(filepath.Base(path)+" "+p.Name+" "+found.Name.QualifiedName(), func(t *testing.T) {
					t.Parallel()
					report := suite.Run(t.Context(), found, script.Options{})
					if p.Name == "clearportx-amm-production" && slices.Contains(needParties, found.Name.QualifiedName()) {
						require.NotNil(t, report.Failure)
						require.Contains(t, report.Failure.Message, "not found")
						return
					}
					if report.Failure != nil {
						t.Errorf("%s: %s", report.Failure.Code, report.Failure.Message)
					}
				})
			}
		}
	}
	require.GreaterOrEqual(t, scripts, minScripts, "the DARs have scripts")
}
