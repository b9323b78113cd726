package ledger

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPayloads_ForgetTheLeastUsed(t *testing.T) {
	t.Parallel()
	payloads := NewPayloads()
	payloads.put("used", "rules", 1000)
	payloads.put("unused", "coin", 1000)
	for i := range 10 * payloadGeneration {
		payloads.put(ContractID(strconv.Itoa(i)), i, 1000)
		kept, ok := payloads.get("used")
		require.True(t, ok)
		require.Equal(t, "rules", kept)
	}
	_, ok := payloads.get("unused")
	require.False(t, ok)
}

// After any operations, the cache is within its limits and counts its bytes correctly.
func TestPayloads_AreBoundedInNumberAndBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cache := NewPayloads()
		for range rapid.IntRange(0, 2000).Draw(t, "steps") {
			id := ContractID(strconv.Itoa(rapid.IntRange(0, 1500).Draw(t, "id")))
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				cache.get(id)
			case 1:
				cache.Forget(id)
				if _, ok := cache.get(id); ok {
					t.Fatal("an archived payload is in the cache")
				}
			default:
				cache.put(id, id, rapid.IntRange(0, 2*maxPayload).Draw(t, "bytes"))
			}
			for _, generation := range []payloads{cache.young, cache.aged} {
				bytes := 0
				for _, one := range generation.byID {
					bytes += one.bytes
				}
				if bytes != generation.bytes || bytes > payloadBytes || len(generation.byID) > payloadGeneration {
					t.Fatalf("%d payloads of %d bytes, counted as %d", len(generation.byID), bytes, generation.bytes)
				}
			}
		}
	})
}

func TestPayloads_SkipLongOnes(t *testing.T) {
	t.Parallel()
	cache := NewPayloads()
	cache.put("long", 1, maxPayload+1)
	_, ok := cache.get("long")
	require.False(t, ok)
}

func TestPayloads_NilRemembersNothing(t *testing.T) {
	t.Parallel()
	var none *Payloads
	none.put("id", 1, 1)
	none.Forget("id")
	_, ok := none.get("id")
	require.False(t, ok)
}
