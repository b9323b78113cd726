package node

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/settings"
)

const automationYAML = `# what this node does by itself
domains:
  global:
    buy-extra-traffic:
      target-throughput: 20000
      min-topup-interval: 1m
wallet-sweep:
  alice::1220aa:
    max-balance-usd: 12345678901234567890.0000000001 # more digits than a float has
    min-balance-usd: 10
    receiver: bob::1220bb
auto-accept-transfers:
  bob::1220bb:
    from-parties: [alice::1220aa]
`

const automationJSON = `{
  "topup": {"enabled": true, "targetThroughput": 20000, "minTopupInterval": "1m"},
  "walletSweep": {"alice::1220aa": {
    "maxBalanceUSD": 12345678901234567890.0000000001, "minBalanceUSD": "10", "receiver": "bob::1220bb"
  }},
  "autoAcceptTransfers": {"bob::1220bb": {"fromParties": ["alice::1220aa"]}}
}`

func TestAutomationConfig_ReadsYAMLAndJSON(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "automation.yaml")
	require.NoError(t, os.WriteFile(file, []byte(automationYAML), 0o600))
	want := settings.Settings{
		TopUp: &settings.TopUp{
			TargetThroughput: 20000, MinTopupInterval: settings.Duration(time.Minute), ReservedTraffic: 200_000,
		},
		Sweeps: map[ledger.Party]settings.Sweep{"alice::1220aa": {
			MaxBalanceUSD: decimal.MustParse("12345678901234567890.0000000001"), MinBalanceUSD: decimal.FromInt(10),
			Receiver: "bob::1220bb",
		}},
		AutoAccept: map[ledger.Party]settings.AutoAccept{"bob::1220bb": {FromParties: []ledger.Party{"alice::1220aa"}}},
	}
	for name, source := range map[string]automationSettings{
		file: {AutomationConfig: file}, "FLORIN_AUTOMATION": {Automation: automationJSON},
	} {
		config, err := source.Config()
		require.NoError(t, err)
		require.Equal(t, &automationConfig{name: name, settings: want}, config)
	}
	config, err := (&automationSettings{}).Config()
	require.NoError(t, err)
	require.Nil(t, config, "no automation is configured")
}

func TestAutomationConfig_FormatsLines(t *testing.T) {
	t.Parallel()
	config, err := (&automationSettings{Automation: automationYAML}).Config()
	require.NoError(t, err)
	lines, err := config.Lines()
	require.NoError(t, err)
	require.Equal(t, []string{
		`# automation from FLORIN_AUTOMATION; changes over HTTP override it:`,
		`#   auto-accept-transfers:`,
		`#     "bob::1220bb": {"from-parties":["alice::1220aa"]}`,
		`#   top-up: {"target-throughput":20000,"min-topup-interval":"1m0s","reserved-traffic":200000}`,
		`#   wallet-sweep:`,
		`#     "alice::1220aa": {"max-balance-usd":"12345678901234567890.0000000001","min-balance-usd":"10.0000000000",` +
			`"receiver":"bob::1220bb","use-transfer-preapproval":false}`,
	}, lines)
}

func TestAutomationConfig_NamesMistakes(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	for name, c := range map[string]struct {
		given automationSettings
		want  string
	}{
		"two of them": {automationSettings{AutomationConfig: "a.yaml", Automation: "{}"}, "--automation-config=a.yaml: " +
			"--automation (FLORIN_AUTOMATION) is also set; set only one of them"},
		"no file": {automationSettings{AutomationConfig: missing}, "--automation-config=" + missing +
			": cannot read the file; name a readable file, or none: open " + missing + ": no such file or directory"},
		"no YAML": {automationSettings{Automation: "top-up: ["}, "FLORIN_AUTOMATION has mistakes:\n" +
			"  this is neither YAML nor JSON: yaml: line 1: did not find expected node content"},
		"two documents": {automationSettings{Automation: "{}\n---\n{}\n"}, "FLORIN_AUTOMATION has mistakes:\n" +
			"  the text has several documents; keep only the part before the second ---"},
		"an alias": {
			automationSettings{Automation: "top-up: &a\n  reserved-traffic: *a\n"},
			"FLORIN_AUTOMATION has mistakes:\n  line 2: the alias *a is not allowed; write the value out",
		},
		"mistakes on their lines": {
			automationSettings{Automation: "top-up:\n  target-throughput: fast\nwallet-sweep:\n" +
				"  alice::1220aa:\n    max-balance-usd: 5\n    min-balance-usd: 10\n    receiver: bob::1220bb\n"},
			"FLORIN_AUTOMATION has mistakes:\n" +
				`  line 2: top-up.target-throughput: "fast" is no whole number of at most 64 bits; give one, such as 20000` +
				"\n" + `  line 5: wallet-sweep."alice::1220aa".max-balance-usd: 5.0 is less than the 10.0 that a sweep leaves; ` +
				"give as much or more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.given.Config()
			require.EqualError(t, err, c.want)
		})
	}
}
