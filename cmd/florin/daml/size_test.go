package daml

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSize_TakesUnits(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string]size{
		"1": 1, "1000": 1000, "512M": 512 << 20, "1G": 1 << 30,
		"2GiB": 2 << 30, "16K": 16 << 10, "1T": 1 << 40, "3GB": 3 << 30,
	} {
		var read size
		require.NoError(t, read.UnmarshalText([]byte(text)), text)
		require.Equal(t, expected, read, text)
	}
	for _, text := range []string{"", "0", "-5", "-1G", "1.5G", "G", "1X", "9999999999T", "1 G"} {
		require.Error(t, new(size).UnmarshalText([]byte(text)), text)
	}
	require.ErrorContains(t, new(size).UnmarshalText([]byte("99999999T")), "too large")
	require.ErrorContains(t, new(size).UnmarshalText([]byte("99999999999999999999")), "too large")
	require.Equal(t, "1 byte", size(1).words())
	require.Equal(t, "1500 bytes", size(1500).words())
	require.Equal(t, "16G", size(16<<30).words())
	require.Equal(t, "16G", size(16<<30).String())
	require.Equal(t, "1500", size(1500).String())
}
