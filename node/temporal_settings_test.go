package node

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExplainTemporal_NamesTheTLSFlagWhereItHelps(t *testing.T) {
	t.Parallel()
	plain := errors.New("failed reaching server: error reading server preface: EOF")
	explained := explainTemporal("temporal.example:7233", plain)
	require.ErrorIs(t, explained, plain)
	require.ErrorContains(t, explained, "no Temporal at temporal.example:7233")
	require.ErrorContains(t, explained, "--temporal-tls")
	away := explainTemporal("temporal.example:7233", errors.New("connection refused"))
	require.NotContains(t, away.Error(), "--temporal-tls")
	require.ErrorContains(t, away, "check its address (--temporal-address, FLORIN_TEMPORAL_ADDRESS) and that it runs")
}
