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
