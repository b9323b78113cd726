package daml

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/script/scripttest"
)

// growing is a script that keeps everything that it creates.
const growing = `module M {
	val grow: Int64 -> List Int64 -> Unit = \(n: Int64) (l: List Int64) -> M:grow (ADD_INT64 n 1) (Cons @Int64 [n] l);
	val grows: LL:Script Unit = H:script (\(u: Unit) -> M:grow 0 (Nil @Int64));
}`

func TestMemory_StopsAScriptThatGrowsWithoutEnd(t *testing.T) {
	t.Parallel()
	packages, main := scripttest.Packages(t, growing)
	runner, err := script.NewSuite(packages)
	require.NoError(t, err)
	one := &suite{file: &file{path: "m.dar", dar: &archive.DAR{Main: main}}, runner: runner}
	command := &TestCommand{Timeout: time.Minute, Memory: 128 << 20}
	r := job{one, script.Find(main, packages)[0]}.run(t.Context(), command.options())
	require.NotNil(t, r.report.Failure)
	require.Empty(t, r.report.Failure.Code)
	require.Equal(t, "The run takes more than 128M of memory: look for a value that grows without end, or choose a "+
		"larger --memory.", r.report.Failure.Message)
}

func TestMemory_RunsALargeScriptAlone(t *testing.T) {
	t.Parallel()
	one := suiteOfWallet(t)
	jobs := []job{{one, one.scripts[1]}, {one, one.scripts[1]}}
	for atOnce, passes := range map[int]int{1: 1, 2: 2} {
		var asked atomic.Int64
		passed := 0
		for r := range run(t.Context(), jobs, options{atOnce: atOnce, timeout: time.Minute, script: script.Options{
			More: func(int64) bool { return asked.Add(1) > 1 },
		}}) {
			if r.report.Failure == nil {
				passed++
			}
		}
		require.Equal(t, passes, passed, "%d at once", atOnce)
	}
}

func TestMemory_GrantsUpToTheLimit(t *testing.T) {
	t.Parallel()
	require.False(t, (&pool{limit: 1}).more(0))
	large := &pool{limit: 1 << 50}
	require.True(t, large.more(1<<40))
	require.False(t, large.more(1<<51))
}
