package ledger

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPayloadsKeepWhatIsUsedAndForgetWhatIsNot(t *testing.T) {
	t.Parallel()
	payloads := NewPayloads()
	payloads.put("used", "rules")
	payloads.put("unused", "coin")
	for i := range 10 * payloadGeneration {
		payloads.put(ContractID(strconv.Itoa(i)), i)
		kept, ok := payloads.get("used")
		require.True(t, ok)
		require.Equal(t, "rules", kept)
	}
	_, ok := payloads.get("unused")
	require.False(t, ok)
	require.LessOrEqual(t, len(payloads.young)+len(payloads.aged), 2*payloadGeneration)
}

func TestNoPayloadsRememberNothing(t *testing.T) {
	t.Parallel()
	var none *Payloads
	none.put("id", 1)
	_, ok := none.get("id")
	require.False(t, ok)
}
