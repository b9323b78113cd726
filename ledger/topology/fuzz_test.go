package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/topology"
)

// FuzzParse_KeepsBytesAndMeaning parses random bytes: the parser does not crash and keeps the bytes, and every mapping
// that it can write encodes and parses as the same mapping.
func FuzzParse_KeepsBytesAndMeaning(f *testing.F) {
	file := readVectors(f)
	for _, v := range append(file.Synthetic, file.Server) {
		for _, transaction := range v.Transactions {
			f.Add(transaction.Bytes)
		}
	}
	owner, self := newKey(f, 1), newHost(f, "self", 8)
	for _, transaction := range decentralizedBody(f, self, owner, newKey(f, 2)).transactions {
		f.Add(transaction.Transaction)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		read, err := topology.Parse(raw)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.Equal(t, raw, read.Raw)
		require.Equal(t, topology.HashOf(raw), read.Hash)
		written, err := topology.Encode(read.Mapping)
		if err != nil {
			require.IsType(t, topology.Other(""), read.Mapping)
			return
		}
		again, err := topology.Parse(written)
		require.NoError(t, err)
		require.Equal(t, read.Mapping, again.Mapping)
	})
}

// FuzzRequest_SurvivesHostileTransactions sends hostile transactions through all checks.
func FuzzRequest_SurvivesHostileTransactions(f *testing.F) {
	for _, v := range readVectors(f).Synthetic {
		f.Add(v.Allocate.Transactions[0].Transaction, v.Allocate.MultiHashSignatures[0].Signature)
	}
	owner := newKey(f, 1)
	f.Fuzz(func(t *testing.T, raw, signature []byte) {
		given := &body{transactions: []topology.OnboardingTransaction{{Transaction: raw}}}
		given.signAll(t, owner)
		given.multi[0].Signature = signature
		_, _, _ = given.judge(vectorNode)
	})
}
