package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/packages/catalog"
)

// It measures the wait of a request for the packages, alone and beside many others.
func BenchmarkFor_AloneAndBesideOthers(b *testing.B) {
	packages, err := ledger.NewPackages(ledgertest.Packages()...)
	require.NoError(b, err)
	c, err := catalog.New(b.Context(), catalog.Options{
		Node:    ledger.Node{ParticipantID: "participant::1220ab", SynchronizerID: "global::1220ab"},
		BuiltIn: packages, Record: dbtest.New(b), Now: time.Now,
	})
	require.NoError(b, err)
	ask := func(b *testing.B) {
		b.Helper()
		if _, err := c.For(b.Context()); err != nil {
			b.Error(err)
		}
	}
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			ask(b)
		}
	})
	b.Run("beside many", func(b *testing.B) {
		b.SetParallelism(64)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				ask(b)
			}
		})
	})
}
