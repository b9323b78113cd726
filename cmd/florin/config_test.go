package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/ledger"
)

// Nodes do not read the secret of tokens from the ledger.
func TestConfig_TellsWhenAChangeTakesEffect(t *testing.T) {
	t.Parallel()
	for _, setting := range ledger.AllSettings() {
		name := setting.Name
		text := inForce(operatorapi.LedgerSetting{Name: name, Value: "new", FromOffset: 7})
		if name == ledger.AuthSecret {
			require.Contains(t, text, "until you restart them")
			require.NotContains(t, text, "every node")
		} else {
			require.Equal(t, name+"=new from offset 7 on, on every node", text)
		}
	}
}

func TestConfig_SaysWhatIsADigest(t *testing.T) {
	t.Parallel()
	require.Equal(t, "(digest) 09ab", valueOf(operatorapi.LedgerSetting{Value: "09ab", Secret: true}))
	require.Equal(t, "(no secret)", valueOf(operatorapi.LedgerSetting{Secret: true}))
	require.Equal(t, "0.005", valueOf(operatorapi.LedgerSetting{Value: "0.005"}))
}
