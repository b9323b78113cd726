package db_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

func TestLedgerSettings_StayThoseOfTheFirstStart(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	read, err := d.LedgerSettings(t.Context())
	require.NoError(t, err)
	require.Equal(t, ledger.DefaultSettings(), read)

	others, err := d.FoundLedgerSettings(t.Context(), ledger.DefaultSettings(), map[string]string{"coin-price": "0.02"})
	require.NoError(t, err)
	require.Empty(t, others)
	want := ledger.DefaultSettings()
	want.CoinPrice = decimal.MustParse("0.02")
	for name, given := range map[string]map[string]string{
		"nothing": nil, "the same": {"coin-price": "0.02"}, "others": {"coin-price": "1.0", "participant": "other"},
	} {
		fallback := ledger.DefaultSettings()
		fallback.EnforceTraffic = true // the default of a later version
		others, err := d.FoundLedgerSettings(t.Context(), fallback, given)
		require.NoError(t, err)
		if name != "others" {
			require.Empty(t, others, name)
		} else {
			require.Len(t, others, 2)
			require.Equal(t, []string{"participant", "coin-price"}, []string{others[0].Name, others[1].Name})
			require.Equal(t, []string{"1.0", "0.02"}, []string{others[1].Given, others[1].InForce})
		}
		read, err := d.LedgerSettings(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, read, name)
	}
}

func TestLedgerSettings_OneOfConcurrentNodesFounds(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var group sync.WaitGroup
	refused := make([][]db.OtherSetting, 6)
	for i := range refused {
		group.Go(func() {
			name := map[string]string{"participant": string(rune('a' + i))}
			var err error
			refused[i], err = d.FoundLedgerSettings(t.Context(), ledger.DefaultSettings(), name)
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	founders := 0
	for _, others := range refused {
		if len(others) == 0 {
			founders++
		}
	}
	require.Equal(t, 1, founders)
}

func TestLedgerSettings_ApplyFromTheNextOffset(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	_, err := d.FoundLedgerSettings(t.Context(), ledger.DefaultSettings(), nil)
	require.NoError(t, err)
	head, err := d.Head(t.Context())
	require.NoError(t, err)
	frank := ledger.Identity{IdentityProviderID: "acme", UserID: "frank"}
	operator := db.ForCaller(t.Context(), db.Caller{Identity: frank})
	changed, err := d.ChangeLedgerSetting(operator, "enforce-traffic", "true")
	require.NoError(t, err)
	require.True(t, changed)
	again, err := d.ChangeLedgerSetting(t.Context(), "enforce-traffic", "true")
	require.NoError(t, err)
	require.False(t, again)

	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		loaded, err := tx.Load(t.Context(), db.LoadRequest{})
		require.True(t, loaded.Settings.EnforceTraffic)
		return err
	}))
	last, err := d.LastSettingChanges(t.Context())
	require.NoError(t, err)
	require.Equal(t, head.Offset+1, last["enforce-traffic"].From)
	require.Equal(t, frank, last["enforce-traffic"].By, "a second request changed nothing")
	require.False(t, last["enforce-traffic"].At.IsZero())
	require.Zero(t, last["coin-price"].By, "of the first start")
	require.Equal(t, `setting change enforce-traffic {"value": "false", "from_offset": 1} {"value": "true", "from_offset": 1}`,
		entriesOf(t, d, db.LogFilter{By: "frank"})[0])
}
