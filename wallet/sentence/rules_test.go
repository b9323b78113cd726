package sentence_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/sentence"
)

// builtinKinds lists the kinds of events of the built-in packages, with the types of their values.
func builtinKinds(t *testing.T) map[string][]map[string]*lf.Type {
	t.Helper()
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	kinds := map[string][]map[string]*lf.Type{}
	for _, template := range packages.Templates() {
		payload, _ := packages.PayloadType(template)
		kinds["create "+template.Entity] = append(kinds["create "+template.Entity], map[string]*lf.Type{"arg": payload})
		for _, owner := range append(packages.InterfacesOf(template), template) {
			for _, choice := range packages.ChoicesOf(owner) {
				argument, known := packages.ChoiceType(owner, choice)
				require.True(t, known)
				kinds[choice] = append(kinds[choice], map[string]*lf.Type{"arg": argument, "on": payload})
			}
		}
	}
	delete(kinds, "Archive")
	return kinds
}

func TestEntries_DescribeEachChoiceOfTheBuiltInPackages(t *testing.T) {
	t.Parallel()
	kinds := builtinKinds(t)
	known := map[string]bool{}
	for _, entry := range sentence.Entries() {
		known[entry.Kind] = true
		require.Contains(t, kinds, entry.Kind, "it has a sentence and does not exist")
	}
	for kind := range kinds {
		assert.True(t, known[kind], "%s has no sentence", kind)
	}
}

// fieldAt is the type at a path; nil if there is none.
func fieldAt(from *lf.Type, path string) *lf.Type {
	for name := range strings.SplitSeq(path, ".") {
		if from == nil {
			return nil
		}
		if from.Kind == lf.KindOptional {
			from = from.Element
		}
		if from.Kind == lf.KindVariant && name == "value" {
			return from // which constructor has the rest is a condition of the text
		}
		if from.Kind == lf.KindList && name == "0" {
			from = from.Element
			continue
		}
		var next *lf.Type
		for _, field := range from.Fields {
			if field.Name == name {
				next = field.Type
			}
		}
		from = next
	}
	return from
}

var inBraces = regexp.MustCompile(`\{([^ }]+) ?([^}]*)\}`)

func TestEntries_NameFieldsThatExist(t *testing.T) {
	t.Parallel()
	kinds := builtinKinds(t)
	for _, entry := range sentence.Entries() {
		require.NotEmpty(t, entry.Texts, entry.Kind)
		for _, text := range entry.Texts {
			require.Equal(t, 1, strings.Count(text, "["), "%s: one verb: %s", entry.Kind, text)
			for _, found := range inBraces.FindAllStringSubmatch(text, -1) {
				for path := range strings.FieldsSeq(found[2]) {
					root, rest, isPath := strings.Cut(path, ".")
					if !isPath || root == "res" {
						continue // TestReader_SaysWhatHappened reads the two that there are
					}
					for _, types := range kinds[entry.Kind] {
						assert.NotNil(t, fieldAt(types[root], rest), "%s: %s", entry.Kind, path)
					}
				}
			}
		}
		last := entry.Texts[len(entry.Texts)-1]
		require.NotContains(t, last, " on.", "%s: its last text needs a contract that its reader may not see", entry.Kind)
	}
}
