package lifecycles_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/wallet/automation"
)

// tick is half the life of a round.
const tick = 10 * time.Minute

// openRounds are the numbers of the open rounds.
func (n *node) openRounds() (numbers []int64) {
	for _, round := range active[coin.OpenMiningRound](n) {
		numbers = append(numbers, round.Payload.Round.Number)
	}
	return numbers
}

func TestRounds_OpenIssueAndClose(t *testing.T) {
	t.Parallel()
	n := newNodeWith(t, 2*tick, func(*node) []automation.Automation {
		return []automation.Automation{automation.Rounds()}
	})
	first := active[coin.OpenMiningRound](n)
	require.Equal(t, []int64{0, 1, 2}, n.openRounds())

	n.advance(2*tick - time.Minute)
	require.Equal(t, []int64{0, 1, 2}, n.openRounds(), "it is still open")
	n.advance(time.Minute)
	require.Equal(t, []int64{1, 2, 3}, n.openRounds())
	issuing := active[coin.IssuingMiningRound](n)
	require.Len(t, issuing, 1)
	require.Equal(t, int64(0), issuing[0].Payload.Round.Number)
	opens := first[0].Payload.TargetClosesAt.Time().Add(tick)
	require.WithinDuration(t, opens, issuing[0].Payload.OpensAt.Time(), patience)
	require.Equal(t, "0.01", active[coin.OpenMiningRound](n)[2].Payload.AmuletPrice.Show(), "the price of new rounds")

	for next := int64(2); next <= 6; next++ {
		n.advance(tick)
		require.Equal(t, []int64{next, next + 1, next + 2}, n.openRounds())
	}
	oldest := active[coin.IssuingMiningRound](n)[0].Payload.Round.Number
	require.Positive(t, oldest, "round 0 has closed")
	require.Empty(t, active[coin.ClosedMiningRound](n))
	require.Empty(t, active[coin.SummarizingMiningRound](n))

	n.advance(90 * day)
	require.Equal(t, []int64{7, 8, 9}, n.openRounds(), "rounds do not stop the clock")
	for _, state := range active[coin.ExternalPartyConfigState](n) {
		require.True(t, state.Payload.TargetArchiveAfter.Time().After(n.now()))
	}
}
