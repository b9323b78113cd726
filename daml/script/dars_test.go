//go:build dars

package script_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/daml/script"
)

// TestPublishedDARs runs the scripts of all packages in the DARs of a directory.
func TestPublishedDARs(t *testing.T) {
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
			continue // other tests are about those
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
					if report.Failure != nil {
						t.Errorf("%s: %s", report.Failure.Code, report.Failure.Message)
					}
				})
			}
		}
	}
	require.GreaterOrEqual(t, scripts, minScripts, "the DARs have scripts")
}
