package daml

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/script/scripttest"
)

func TestTestCommand_ShowsWhereAScriptTimedOut(t *testing.T) {
	t.Parallel()
	packages, main := scripttest.Packages(t, `module Wallet {
		val forever: LL:Script Unit = H:script (\(u: Unit) -> loc(Wallet, 19, 2, 19, 32) H:say (Wallet:spin 0) (H:done ()));
		val spin: Int64 -> Text = \(n: Int64) ->
			loc(Wallet, 21, 2, 21, 9) APPEND_TEXT "" (loc(Wallet, 22, 2, 22, 9) Wallet:loop n);
		val loop: Int64 -> Text = \(n: Int64) -> Wallet:loop n;
	}`)
	runner, err := script.NewSuite(packages)
	require.NoError(t, err)
	one := &suite{
		file: &file{
			path: "wallet.dar", dar: &archive.DAR{Main: main, Packages: []*ast.Package{main}}, packages: packages,
			source: func(string) (string, bool) { return wallet, true },
		},
		runner: runner, scripts: script.Find(main, packages),
	}
	r := job{one, one.scripts[0]}.run(t.Context(), options{timeout: 50 * time.Millisecond})
	var text strings.Builder
	writeFailure(&text, r)
	require.Contains(t, text.String(), "takes longer than 50ms")
	require.Contains(t, text.String(), "it was here when its time ended: Wallet:22:3")
	require.Contains(t, text.String(),
		"call stack, the innermost first\n    Wallet:22:3\n    Wallet:loop\n    Wallet:spin at Wallet:22:3\n")
	require.NotContains(t, text.String(), "it fails here")
}

// TestJob_DoesNotCountWaitingTime lets a script wait longer than its CPU time.
func TestJob_DoesNotCountWaitingTime(t *testing.T) {
	t.Parallel()
	one := suiteOfWallet(t)
	const timeout = 200 * time.Millisecond
	waits := options{timeout: timeout}
	passed := time.After(2 * timeout)
	var once sync.Once
	waits.script.More = func(int64) bool {
		once.Do(func() { <-passed })
		return true
	}
	for _, found := range one.scripts {
		if found.Name.Name == "write" {
			r := job{one, found}.run(t.Context(), waits)
			require.Nil(t, r.report.Failure)
			require.Greater(t, r.took, timeout)
			return
		}
	}
	t.Fatal("there is no such script")
}
