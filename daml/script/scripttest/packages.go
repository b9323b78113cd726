// Package scripttest has packages for tests of scripts: small ones in the text form of Daml-LF, which stand for the
// standard library and the library of Daml Script, and helper functions for short scripts.
package scripttest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/ledger/lf"
)

// Packages makes a main package and its dependencies. Its text may use the functions of module H and the templates of
// module N. LL, T, A and others stand for modules of the libraries.
func Packages(tb testing.TB, source string) (ast.Packages, *ast.Package) {
	tb.Helper()
	packages := ast.Packages{}
	for id, text := range standard {
		p, err := asttest.Parse(id, ast.V2_1, text)
		if err != nil {
			tb.Fatal(id, err)
		}
		packages[id] = p
	}
	packages["library"].Name = "daml-script"
	main := asttest.Package(tb, inFull(notes+helpers+source))
	packages[main.ID] = main
	return packages, main
}

// AddVersion adds another version of the main package, with only the templates of module N. Edits are pairs of a text
// in it and its replacement.
func AddVersion(tb testing.TB, packages ast.Packages, id lf.PackageID, release string, edits ...string) {
	tb.Helper()
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(notes, edits[i]) {
			tb.Fatal("no such text:", edits[i])
		}
	}
	text := strings.NewReplacer(edits...).Replace(notes)
	p, err := asttest.Parse(id, ast.V2_3, inFull("metadata ('test' : '"+release+"')"+text))
	if err != nil {
		tb.Fatal(id, err)
	}
	packages[id] = p
}

// modules are the short names of modules.
var modules = map[string]string{
	"LL": "'library':Daml.Script.Internal.LowLevel",
	"T":  "'5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4':DA.Types",
	"NE": "'bde4bd30749e99603e5afa354706608601029e225d4983324d617825b634253a':DA.NonEmpty.Types",
	"A":  "'6f8e6085f5769861ae7a40dccd618d6f747297d59b37cab89b93e2fa80b0c024':DA.Internal.Any",
	"F":  "'7adc4c2d07fa3a51173c843cba36e610c1168b2dbbf53076e20c0092eae8763d':DA.Internal.Fail.Types",
	"C":  "'library':Daml.Script.Internal.Questions.Commands",
	"S":  "'library':Daml.Script.Internal.Questions.Submit.Error",
	"U":  "'library':Daml.Script.Internal.Questions.UserManagement",
	"K":  "'library':Daml.Script.Internal.Questions.Crypto.Text",
}

var shortName = regexp.MustCompile(`([ (\[,\t])(LL|T|NE|A|F|C|S|U|K):([A-Za-z])`)

// inFull writes out the short names of modules.
func inFull(source string) string {
	return shortName.ReplaceAllStringFunc(source, func(match string) string {
		parts := shortName.FindStringSubmatch(match)
		return parts[1] + modules[parts[2]] + ":" + parts[3]
	})
}
