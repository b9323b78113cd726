package ledgerapi

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// For all templates, texts and parties, a transaction takes no more of the record than interpretation counted, and its
// readers can read it in every form.
func TestLargestTransaction_CanBeReadInEveryForm(t *testing.T) {
	t.Parallel()
	genuine := cointest.Start(t)
	book, err := ledgertest.New(builtin.Packages()...)
	require.NoError(t, err)
	author := ledger.Party(strings.Repeat("a", ledger.MaxPartyHintLength) + "::1220" + strings.Repeat("ab", 32))
	for _, template := range book.Packages.Templates() {
		for _, text := range []string{"Amulet", strings.Repeat("<\u2028\x01 text", 300)} {
			for _, contract := range ledgertest.Forge(book, template, ledgertest.Forger{
				Author: author, Examples: slices.Collect(maps.Values(genuine.Active)),
				Text: func(string) string { return text },
			}) {
				transaction, err := book.SubmitCommands(ledgertest.As(author), ledger.Command{
					CreateAndExercise: &ledger.CreateAndExerciseCommand{
						Template: template, CreateArgument: contract.Payload, Choice: "Archive", ChoiceArgument: []byte(`{}`),
					},
				}, ledger.Command{Create: &ledger.CreateCommand{Template: template, Argument: contract.Payload}})
				require.NoError(t, err, template)
				requireReadable(t, book, transaction)
			}
		}
	}
	for _, transaction := range genuine.Transactions {
		requireReadable(t, genuine.Ledger, transaction)
	}
}

// inRecord converts events to their stored form.
func inRecord(t *testing.T, value any) []byte {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(value))
	return text.Bytes()
}

// requireReadable reads a transaction in its largest forms. A result for a small event also holds for many of them in
// one transaction.
func requireReadable(t *testing.T, book *ledgertest.Ledger, transaction ledger.Transaction) {
	t.Helper()
	const (
		share  = admission.DefaultAnswer / ledger.MaxTransactionBytes
		around = 1 << 10 // size of an answer without its events
	)
	events := transaction.Events()
	require.LessOrEqual(t, len(inRecord(t, events)), transaction.Bytes)
	update := ledger.Update{
		Offset: 1, ID: "1220ab", EffectiveAt: transaction.EffectiveAt, RecordTime: transaction.EffectiveAt, Events: events,
	}
	a := &API{catalog: builtIn{book.Packages}}
	all := &filterSet{wildcard: true, wildcardBlob: true, views: map[lf.TypeName]bool{}}
	for _, event := range events {
		for _, name := range book.Packages.InterfacesOf(event.Template) {
			all.views[name] = true
		}
	}
	for _, shape := range []TransactionShape{ShapeACSDelta, ShapeLedgerEffects} {
		format := &transactionFormat{events: &eventFormat{anyParty: all}, shape: shape}
		shown, err := a.toAPITransaction(t.Context(), update, format)
		require.NoError(t, err)
		for _, answer := range []any{shown, toAPITree(shown)} {
			require.LessOrEqual(t, len(inRecord(t, answer)), share*transaction.Bytes+around, events[0].Template)
		}
	}
	require.LessOrEqual(t, sizeOfUpdate(update), int64(share*transaction.Bytes+around))
}

// builtIn is a catalog of fixed packages.
type builtIn struct{ packages *ledger.Packages }

func (b builtIn) Snapshot() *ledger.Packages                    { return b.packages }
func (b builtIn) For(context.Context) (*ledger.Packages, error) { return b.packages, nil }
