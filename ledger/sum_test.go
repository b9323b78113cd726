package ledger_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

func TestSum_FailsOnOverflow(t *testing.T) {
	t.Parallel()
	for _, numbers := range [][]int64{{math.MaxInt64, 1}, {math.MinInt64, -1}, {math.MaxInt64, math.MaxInt64, 1}} {
		_, err := ledger.Sum(numbers...)
		require.True(t, fault.DamlFailure.Matches(err), "%v", err)
		require.ErrorContains(t, err, "ArithmeticError")
	}
	total, err := ledger.Sum(math.MaxInt64, 7, -7, math.MinInt64)
	require.NoError(t, err)
	require.Equal(t, int64(-1), total)
}
