package builtin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// Contracts appear in the lists of all their parties, so their size is limited. Every template refuses a long text and
// a large map in any field, and the refusal names the field.
func TestTemplates_RefuseLongTextsAndLargeMaps(t *testing.T) {
	t.Parallel()
	const author = ledger.Party("DSO::1220d5")
	book, err := ledgertest.New(builtin.Packages()...)
	require.NoError(t, err)
	genuine := cointest.Start(t)
	refused := map[string]bool{}
	for _, template := range book.Packages.Templates() {
		tried := map[string]bool{}
		for _, contract := range ledgertest.Forge(book, template, ledgertest.Forger{
			Author: author, Examples: slices.Collect(maps.Values(genuine.Active)),
		}) {
			var payload any
			require.NoError(t, json.Unmarshal(contract.Payload, &payload))
			for _, large := range enlarge(payload, "") {
				if tried[large.path] {
					continue
				}
				argument, err := json.Marshal(large.value)
				require.NoError(t, err)
				_, err = book.SubmitCommands(ledgertest.As(author), ledger.Command{Create: &ledger.CreateCommand{
					Template: template, Argument: argument,
				}})
				tried[large.path] = true
				if !fault.ValueSize.Matches(err) {
					continue // the field is no text, or a set with equal elements
				}
				refusal, _ := fault.As(err)
				require.Contains(t, large.path, dotted.Replace(refusal.Context["field"]), template)
				refused[fmt.Sprintf("%s %s", template.QualifiedName(), large.path)] = true
			}
		}
	}
	for _, contract := range book.Active {
		require.LessOrEqual(t, len(contract.Payload), ledger.MaxContractBytes, contract.Template)
	}
	for _, place := range []string{
		"Splice.Wallet.TransferOffer:TransferOffer description", "Splice.Wallet.TransferOffer:TransferOffer trackingId",
		"Splice.AmuletTransferInstruction:AmuletTransferInstruction transfer.meta.values",
		"Splice.AmuletAllocation:AmuletAllocation allocation.settlement.settlementRef.id",
		"Splice.Wallet.Payment:AppPaymentRequest description",
		"Splice.Wallet.Subscriptions:SubscriptionRequest subscriptionData.description",
	} {
		require.True(t, refused[place], "%s: %s", place, slices.Sorted(maps.Keys(refused)))
	}
}

// dotted turns the path of a field into the form of enlarge.
var dotted = strings.NewReplacer("[", ".", "]", "")

type largePayload struct {
	path  string
	value any
}

// enlarge makes one part of a payload too large at a time: every text, and every map and list.
func enlarge(value any, path string) (all []largePayload) {
	inside := func(label string, inner any, put func(any) any) {
		for _, large := range enlarge(inner, strings.TrimPrefix(path+label, ".")) {
			all = append(all, largePayload{large.path, put(large.value)})
		}
	}
	switch value := value.(type) {
	case map[string]any:
		many := maps.Clone(value)
		for i := range ledger.MaxContractBytes / 8 {
			many[strconv.Itoa(i)] = "x"
		}
		all = append(all, largePayload{path, many})
		for key, inner := range value {
			inside("."+key, inner, func(large any) any {
				changed := maps.Clone(value)
				changed[key] = large
				return changed
			})
		}
	case []any:
		if len(value) == 0 {
			break
		}
		all = append(all, largePayload{path, slices.Repeat(value[:1], ledger.MaxContractBytes/8)})
		for i, inner := range value {
			inside(fmt.Sprintf(".%d", i), inner, func(large any) any {
				changed := slices.Clone(value)
				changed[i] = large
				return changed
			})
		}
	case string:
		all = append(all, largePayload{path, strings.Repeat("x", ledger.MaxTextBytes+1)})
	}
	return all
}
