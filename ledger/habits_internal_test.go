package ledger

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Habits keep a bounded number of accounts, whatever they cost. They first drop accounts that cost no more than unknown
// ones.
func TestHabits_RememberFewAccounts(t *testing.T) {
	t.Parallel()
	for name, ratio := range map[string]int{"cheap": 1, "as newcomers": 5, "dear": 50} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var known Habits
			greedy := DefaultUser("greedy")
			known.Learn(greedy, 10_000, Completion{PaidTrafficCost: 400 * 10_000})
			for i := range 10_000 {
				known.Learn(DefaultUser(strconv.Itoa(i)), 2000, Completion{PaidTrafficCost: int64(ratio) * 4 * 2000})
				require.LessOrEqual(t, len(known.accounts), maxHabits)
			}
			if ratio <= 8 {
				require.Greater(t, known.Cost(greedy, 2000), 40*2000, "it costs much, and is not forgotten for others")
			}
		})
	}
}
