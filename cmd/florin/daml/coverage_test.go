package daml

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/daml/script/scripttest"
	"github.com/florinledger/florin/ledger/lf"
)

// lib is a tested package, and libSource its source.
const (
	lib = `
module Lib {
	val twice: Int64 -> Int64 = \(n: Int64) -> loc(Lib, 3, 2, 3, 7) (ADD_INT64 n n);
	val never: Int64 -> Int64 = \(n: Int64) -> loc(Lib, 6, 2, 6, 7) (ADD_INT64 n 1);
}
module Other { val never: Int64 -> Int64 = \(n: Int64) -> loc(Other, 1, 2, 1, 7) (ADD_INT64 n 1); }`
	libSource = "module Lib where\n\ntwice n =\n  n + n\n\nnever n =\n  n + 1\n"
)

func TestCoverage_CountsLinesOfOtherPackages(t *testing.T) {
	t.Parallel()
	packages, main := scripttest.Packages(t, `module M {
		val test: LL:Script Unit = H:script (\(u: Unit) -> case EQUAL @Int64 2 ('lib':Lib:twice 1) of _ -> H:done ()); }`)
	for id, text := range map[string]string{
		"lib": lib, "idle": "module Idle { val v: Int64 = loc(Idle, 1, 2, 1, 7) 1; }",
	} {
		p, err := asttest.Parse(lf.PackageID(id), ast.V2_1, text)
		require.NoError(t, err)
		p.Name, packages[p.ID] = id, p
	}
	suiteOf := func(p *ast.Package, source func(string) (string, bool)) *suite {
		runner, err := script.NewSuite(packages)
		require.NoError(t, err)
		dar := &archive.DAR{Main: p, Packages: []*ast.Package{packages["idle"], packages["lib"], main}}
		return &suite{file: &file{path: "t.dar", dar: dar, packages: packages, source: source}, runner: runner}
	}
	tests := suiteOf(main, func(string) (string, bool) { return "", false })
	tested := suiteOf(packages["lib"], func(module string) (string, bool) { return libSource, module == "Lib" })
	tests.cover()
	r := job{tests, script.Find(main, packages)[0]}.run(t.Context(), options{timeout: time.Minute})
	require.Nil(t, r.report.Failure)

	var out bytes.Buffer
	p := printer{command: &TestCommand{Coverage: true}, out: &out}
	p.coverage([]coverage{tests.coverage([]result{r}, tested)})
	require.Contains(t, out.String(), "Lib of lib 1.0.0    50 % (1 of 2)\n")
	require.Contains(t, out.String(), "Other of lib 1.0.0  0 % (0 of 1)\n")
	require.NotContains(t, out.String(), "Idle", "nothing of that package ran")

	var page strings.Builder
	require.NoError(t, writeHTML(&page, []coverage{tests.coverage([]result{r}, tested)}))
	require.Contains(t, page.String(), `<span class="ran"><span class="number">4</span>  n &#43; n</span>`)
	require.Contains(t, page.String(), `<span class="not"><span class="number">7</span>  n &#43; 1</span>`)
	require.Contains(t, page.String(), `>Lib of lib 1.0.0</h2>`)
	require.NotContains(t, page.String(), `>Other of lib 1.0.0</h2>`, "its source is not there")
	page.Reset()
	require.NoError(t, writeHTML(&page, []coverage{tests.coverage([]result{r})}))
	require.NotContains(t, page.String(), `<span class="ran">`)
	require.Contains(t, page.String(), "<td>50 % (1 of 2)</td>")
}

func TestCoverage_LinksEachSourceOfSeveralFiles(t *testing.T) {
	t.Parallel()
	one := suiteOfWallet(t)
	covered := one.coverage(runAll(t, one))
	covered.Modules[0].Package = "test 1.0.0" // as that of a package beside the main one
	var page bytes.Buffer
	require.NoError(t, writeHTML(&page, []coverage{covered, covered}))
	for name, attribute := range map[string]string{"headings": `id="([^"]*)"`, "links": `href="#([^"]*)"`} {
		var found []string
		for _, match := range regexp.MustCompile(attribute).FindAllStringSubmatch(page.String(), -1) {
			found = append(found, match[1])
		}
		require.Equal(t, []string{"source-0-0", "source-1-0"}, found, name)
	}
}

func TestCoverage_JSONHasEmptyLists(t *testing.T) {
	t.Parallel()
	main := asttest.Package(t, `module M { val all: Unit = loc(M, 1, 1, 1, 9) (); }`)
	runner, err := script.NewSuite(ast.Packages{main.ID: main})
	require.NoError(t, err)
	one := &suite{
		file: &file{
			path: "m.dar", dar: &archive.DAR{Main: main, Packages: []*ast.Package{main}},
			source: func(string) (string, bool) { return "", false },
		},
		runner: runner,
	}
	shown, err := json.Marshal(one.coverage(nil))
	require.NoError(t, err)
	require.JSONEq(t, `{"dar": "m.dar", "packages": [], "modules": [
		{"name": "M", "line_count": 1, "lines_run": 0, "never_run": [2]}]}`, string(shown))

	main.Modules = nil
	shown, err = json.Marshal(one.coverage(nil))
	require.NoError(t, err)
	require.JSONEq(t, `{"dar": "m.dar", "packages": [], "modules": []}`, string(shown))

	wallet := suiteOfWallet(t)
	shown, err = json.Marshal(wallet.coverage(runAll(t, wallet)))
	require.NoError(t, err)
	require.NotContains(t, string(shown), "null")
}
