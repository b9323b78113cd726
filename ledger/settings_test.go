package ledger_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

func TestSettings_RoundTrip(t *testing.T) {
	t.Parallel()
	settings := ledger.DefaultSettings()
	settings.CoinPrice, settings.EnforceTraffic = decimal.MustParse("1.25"), true
	settings.RoundTick, settings.MaxProvidedParties, settings.AuthSecret = time.Second, 0, "digest"
	text, err := json.Marshal(settings)
	require.NoError(t, err)
	var read ledger.Settings
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, settings, read)
}

func TestSettings_HaveDefaults(t *testing.T) {
	t.Parallel()
	var read ledger.Settings
	require.NoError(t, json.Unmarshal([]byte(`{"of-a-newer-version":"1","coin-price":"2"}`), &read))
	want := ledger.DefaultSettings()
	want.CoinPrice = decimal.MustParse("2")
	require.Equal(t, want, read)
	require.ErrorContains(t, json.Unmarshal([]byte(`{"coin-price":"x"}`), &read), "coin-price=x")
}

func TestSettings_ExplainRefusedValues(t *testing.T) {
	t.Parallel()
	bad := map[string][]string{
		"coin-price":        {"0", "-1", "1.00000000001", "x", "", "1000000.0000000001", "9000000000000000000000000000"},
		"enforce-traffic":   {"yes", "", "1"},
		"max-deduplication": {"0s", "-1h", "week"}, "onboarding-wait": {"0s", "x"}, "round-tick": {"0s"},
		"max-provided-parties": {"-1", "many"}, "max-self-allocated-parties": {"-1"},
		"participant": {""}, "synchronizer": {""}, "operator-hint": {""}, "operator-user": {""}, "admin-user": {""},
		"auth-secret": {""},
	}
	for _, setting := range ledger.AllSettings() {
		require.NotEmpty(t, bad[setting.Name], setting.Name)
		require.NotEmpty(t, setting.Description)
		for _, text := range bad[setting.Name] {
			settings := ledger.DefaultSettings()
			err := setting.Set(&settings, text)
			require.ErrorContains(t, err, setting.Name+"="+text+": it must be ")
			require.Equal(t, ledger.DefaultSettings(), settings, "a bad value changes nothing")
		}
	}
}

func TestSettings_EqualValuesHaveEqualTexts(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"coin-price": {"0.01", "0.0100", ".01"}, "max-deduplication": {"168h", "10080m", "168h0m0s"},
		"max-provided-parties": {"7", "07"},
	} {
		setting, ok := ledger.FindSetting(name)
		require.True(t, ok)
		printed := map[string]bool{}
		for _, text := range texts {
			settings := ledger.DefaultSettings()
			if setting.Set(&settings, text) == nil {
				printed[setting.Show(settings)] = true
			}
		}
		require.Len(t, printed, 1, name)
	}
}

func TestSettings_SayHowToChangeTheSecret(t *testing.T) {
	t.Parallel()
	setting, known := ledger.FindSetting(ledger.AuthSecret)
	require.True(t, known)
	require.Contains(t, setting.Description, "the value is its digest")
	require.Contains(t, setting.Description, "first `florin config set auth-secret NEW`, then restart")
}
