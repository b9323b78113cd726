package remote

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/runfile"
)

func TestAddresses_HaveTheSameNamesAndOrderEverywhere(t *testing.T) {
	t.Parallel()
	places := AddressesOf(runfile.Info{
		URL: "http://127.0.0.1:7575", Page: true, GRPCAddress: "127.0.0.1:6865", TemporalUI: "http://127.0.0.1:8233",
		TemporalAddress: "127.0.0.1:7233",
	})
	names := []string{"Wallet", "Explorer", "Admin", "API", "API page", "gRPC", "Temporal UI", "Temporal"}
	lines := strings.Split(strings.TrimSuffix(places.Lines(), "\n"), "\n")
	rows := state{Addresses: places}.answer().Table.Rows
	require.Len(t, lines, len(names))
	require.Len(t, rows, len(names))
	for i, name := range names {
		require.Equal(t, name, rows[i][0])
		require.Equal(t, name, strings.TrimSpace(lines[i][:16]))
		require.Equal(t, rows[i][1], lines[i][16:])
	}
	require.Equal(t, "http://127.0.0.1:7575/wallet", rows[0][1])

	require.Equal(t, "  API           http://there\n  API page      http://there/docs\n",
		AddressesOf(runfile.Info{URL: "http://there"}).Lines(), "a node without a page")
}
