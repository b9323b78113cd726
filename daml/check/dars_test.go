//go:build dars

package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/check"
)

// TestPublishedDARs_AreWellFormed checks all DARs of a directory. All are well-formed, except files whose names begin
// with illformed.
func TestPublishedDARs_AreWellFormed(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(os.Getenv("DARS"), "*.dar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths, "DARS names a directory of DARs")
	read := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		dar, err := archive.ReadDAR(data, archive.Options{Dev: true})
		if err != nil {
			t.Logf("%s is not read: %v", filepath.Base(path), err)
			continue
		}
		read++
		err = check.Packages(t.Context(), dar.Packages, check.Options{})
		switch name := filepath.Base(path); {
		case strings.HasPrefix(name, "illformed"):
			require.Error(t, err, path)
		case strings.HasPrefix(name, "nuck-example-main"): // its release candidate had other types of keys
			require.ErrorContains(t, err, "HasQueryNByKey", path)
		default:
			require.NoError(t, err, path)
		}
	}
	require.Positive(t, read)
}
