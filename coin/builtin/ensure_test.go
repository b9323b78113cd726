package builtin_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// plainWords is a sentence without its full stop. It may contain field names.
var plainWords = regexp.MustCompile(`^[a-z][A-Za-z0-9 ,.'-]*[a-z0-9]$`)

// The refusal of a payload names the broken condition in plain words. The test changes good payloads in one place at a
// time, until each condition of each template has refused one.
func TestEnsure_RefusalNamesTheCondition(t *testing.T) {
	t.Parallel()
	const author = ledger.Party("DSO::1220d5")
	book, err := ledgertest.New(builtin.Packages()...)
	require.NoError(t, err)
	genuine := cointest.Start(t)
	for _, template := range book.Packages.Templates() {
		demands := book.Packages.Demands(template)
		refused := map[string]bool{}
		for _, contract := range ledgertest.Forge(book, template, ledgertest.Forger{
			Author: author, Examples: slices.Collect(maps.Values(genuine.Active)),
		}) {
			var payload any
			require.NoError(t, json.Unmarshal(contract.Payload, &payload))
			for _, spoiled := range append(spoil(payload), spoiledRules(payload)...) {
				argument, err := json.Marshal(spoiled)
				require.NoError(t, err)
				_, err = book.SubmitCommands(ledgertest.As(author), ledger.Command{Create: &ledger.CreateCommand{
					Template: template, Argument: argument,
				}})
				if !fault.TemplatePreconditionViolated.Matches(err) {
					continue
				}
				refusal, _ := fault.As(err)
				text, found := strings.CutPrefix(refusal.Hint, "The template requires that ")
				require.True(t, found, refusal.Hint)
				text = strings.TrimSuffix(text, ". Correct these fields.")
				require.Contains(t, demands, text, template)
				refused[text] = true
			}
		}
		for _, demand := range demands {
			require.Regexp(t, plainWords, demand, template)
			assert.True(t, refused[demand], "%s: no refusal for the condition that %s", template, demand)
		}
	}
}

// spoiledRules are rules of the coin with bad optional fields; nothing for other payloads.
func spoiledRules(value any) (spoiled []any) {
	rules, _ := value.(map[string]any)
	schedule, ok := rules["configSchedule"].(map[string]any)
	if !ok {
		return nil
	}
	later, version := maps.Clone(rules), maps.Clone(rules)
	later["configSchedule"] = map[string]any{
		"initialValue": schedule["initialValue"],
		"futureValues": []any{map[string]any{"_1": "2200-01-01T00:00:00Z", "_2": schedule["initialValue"]}},
	}
	version["contractStateSchemaVersion"] = "-1"
	return []any{later, version}
}

// spoil changes one leaf of a payload at a time.
func spoil(value any) (spoiled []any) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			for _, other := range spoil(inner) {
				changed := maps.Clone(value)
				changed[key] = other
				spoiled = append(spoiled, changed)
			}
		}
	case []any:
		spoiled = append(spoiled, []any{})
		for i, inner := range value {
			for _, other := range spoil(inner) {
				changed := slices.Clone(value)
				changed[i] = other
				spoiled = append(spoiled, changed)
			}
		}
	case string:
		spoiled = append(spoiled, "", strings.Repeat("x", 1000), "1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z")
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			spoiled = append(spoiled, "0", "-1", "0.0000000000", "-1.0000000000", "1000000000000")
		}
	}
	return spoiled
}
