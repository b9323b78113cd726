package daml

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
)

func TestDescribe_ShowsAReleaseCandidate(t *testing.T) {
	t.Parallel()
	require.Equal(t, "2.3-rc2", languageOf(&ast.Package{Version: ast.V2_3, WrittenVersion: "2.3-rc2"}))
	require.Equal(t, "2.3", languageOf(&ast.Package{Version: ast.V2_3}))
}
