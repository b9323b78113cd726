package settings_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/settings"
)

const (
	alice = "alice::1220aa"
	bob   = "bob::1220bb"
)

// file makes a map of names and values, each on its own line.
func file(namesAndValues ...any) settings.Node {
	node := settings.Node{Line: 1, Kind: settings.Map}
	for i := 0; i < len(namesAndValues); i += 2 {
		name, _ := namesAndValues[i].(string)
		line := i/2 + 1
		field := settings.Field{Name: name, Line: line}
		switch value := namesAndValues[i+1].(type) {
		case settings.Node:
			field.Node = value
		case string:
			field.Node = settings.Node{Line: line, Text: value}
		case []string:
			field.Node = settings.Node{Line: line, Kind: settings.List}
			for _, item := range value {
				field.Node.Items = append(field.Node.Items, settings.Node{Line: line, Text: item})
			}
		case nil:
			field.Node = settings.Node{Line: line, Kind: settings.Null}
		}
		node.Fields = append(node.Fields, field)
	}
	return node
}

func TestRead_TakesSpliceAndOwnNames(t *testing.T) {
	t.Parallel()
	want := settings.Settings{
		TopUp: &settings.TopUp{
			TargetThroughput: 20000, MinTopupInterval: settings.Duration(time.Minute), ReservedTraffic: 200_000,
		},
		Sweeps: map[ledger.Party]settings.Sweep{alice: {
			MaxBalanceUSD: decimal.FromInt(100), MinBalanceUSD: decimal.MustParse("10.5"), Receiver: bob,
			UseTransferPreapproval: true,
		}},
		AutoAccept: map[ledger.Party]settings.AutoAccept{bob: {FromParties: []ledger.Party{alice}}},
	}
	for name, given := range map[string]settings.Node{
		"with hyphens": file(
			"domains", file("global", file("buy-extra-traffic", file(
				"target-throughput", "20000", "min-topup-interval", "1 minute"))),
			"wallet-sweep", file(alice, file("max-balance-usd", "100", "min-balance-usd", "10.5",
				"receiver", bob, "use-transfer-preapproval", "true")),
			"auto-accept-transfers", file(bob, file("from-parties", []string{alice}))),
		"with capitals": file(
			"topup", file("enabled", "true", "targetThroughput", "20000", "minTopupInterval", "1m",
				"reservedTraffic", "200000"),
			"walletSweep", file(alice, file("maxBalanceUSD", "100", "minBalanceUSD", "10.5",
				"receiver", bob, "useTransferPreapproval", "true")),
			"autoAcceptTransfers", file(bob, file("fromParties", []string{alice}))),
		"in one name": file(
			"domains.global.buy-extra-traffic", file("target_throughput", "20000", "min_topup_interval", "60s"),
			"wallet_sweep", file(alice, file("max_balance_usd", "100", "min_balance_usd", "10.5",
				"receiver", bob, "use_transfer_preapproval", "true")),
			"auto_accept_transfers", file(bob, file("from_parties", []string{alice}))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := settings.Read(given)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestRead_FillsInDefaults(t *testing.T) {
	t.Parallel()
	got, err := settings.Read(settings.Node{Kind: settings.Null})
	require.NoError(t, err)
	require.Nil(t, got.TopUp)
	got, err = settings.Read(file("top-up", nil, "wallet-sweep", nil))
	require.NoError(t, err)
	require.Equal(t, &settings.TopUp{
		MinTopupInterval: settings.Duration(10 * time.Minute), ReservedTraffic: 200_000,
	}, got.TopUp, "no throughput: no traffic is bought")
	got, err = settings.Read(file("top-up", file("enabled", "false", "target-throughput", "20000")))
	require.NoError(t, err)
	require.Zero(t, got.TopUp.TargetThroughput)
}

func TestRead_NamesMistakes(t *testing.T) {
	t.Parallel()
	sweep := func(namesAndValues ...any) settings.Node {
		return file("wallet-sweep", file(alice, file(namesAndValues...)))
	}
	cases := map[string]struct {
		file settings.Node
		want string
	}{
		"an unknown section": {file("wallet-sweeps", nil), "line 1: wallet-sweeps: there is no such setting; " +
			"here are auto-accept-transfers, domains, domains.global.buy-extra-traffic, top-up, wallet-sweep"},
		"an unknown name": {file("top-up", file("throughput", "1")), "line 1: top-up.throughput: there is no such setting; " +
			"here are enabled, min-topup-interval, reserved-traffic, target-throughput"},
		"two names for one": {
			file("top-up", file("target-throughput", "1", "targetThroughput", "2")),
			"line 2: top-up.targetThroughput: is given twice, the first time as target-throughput; keep one of them",
		},
		"two top-ups": {
			file("top-up", nil, "domains.global.buy-extra-traffic", nil),
			"line 2: domains.global.buy-extra-traffic: the top-up is given twice; " +
				"keep one of top-up and domains.global.buy-extra-traffic",
		},
		"a short interval": {
			file("top-up", file("target-throughput", "1", "min-topup-interval", "10s")),
			"line 2: top-up.min-topup-interval: 10s is below the polling interval of 30s, at which the node looks whether " +
				"to buy; give 30s or more",
		},
		"no duration": {
			file("top-up", file("min-topup-interval", "10")),
			`line 1: top-up.min-topup-interval: "10" is no duration; give a number with a unit, such as 30s, 10m, 1h30m ` +
				"or 10 minutes",
		},
		"no whole number": {
			file("top-up", file("target-throughput", "1.5")),
			`line 1: top-up.target-throughput: "1.5" is no whole number of at most 64 bits; give one, such as 20000`,
		},
		"negative": {
			file("top-up", file("target-throughput", "-1")),
			"line 1: top-up.target-throughput: -1 is negative; give bytes per second, or 0 to buy no traffic",
		},
		"a negative reserve": {
			file("top-up", file("reserved-traffic", "-1")),
			"line 1: top-up.reserved-traffic: -1 is negative; give bytes, or 0 to reserve none",
		},
		"too much": {
			file("top-up", file("target-throughput", "9223372036854775807")),
			"line 1: top-up.min-topup-interval: 9223372036854775807 bytes per second for 10m0s are too many; " +
				"give a shorter interval",
		},
		"no boolean": {
			file("top-up", file("enabled", "yes")),
			`line 1: top-up.enabled: "yes" is neither true nor false; give one of them`,
		},
		"no map": {file("top-up", "20000"), "line 1: top-up: names and values are expected here: " +
			"enabled, min-topup-interval, reserved-traffic, target-throughput"},
		"no wallet": {
			file("wallet-sweep", file("alice", nil)),
			`line 1: wallet-sweep.alice: "alice" is no whole party id; give one such as alice::1220…`,
		},
		"a wallet twice": {
			file("auto-accept-transfers", file(
				alice, file("from-parties", []string{bob}), alice, file("from-parties", []string{bob}))),
			`line 2: auto-accept-transfers."alice::1220aa": is given twice; keep one of them`,
		},
		"no amount": {sweep("max-balance-usd", "1e3"), `line 1: wallet-sweep."alice::1220aa".max-balance-usd: ` +
			`"1e3" is no number of US dollars; give one with at most ten digits after the point, such as 100 or 99.5` +
			"\nline 1: wallet-sweep.\"alice::1220aa\": min-balance-usd is missing; add it" +
			"\nline 1: wallet-sweep.\"alice::1220aa\": receiver is missing; add it"},
		"less than the minimum": {
			sweep("max-balance-usd", "10", "min-balance-usd", "10.1", "receiver", bob),
			`line 1: wallet-sweep."alice::1220aa".max-balance-usd: 10.0 is less than the 10.1 that a sweep leaves; ` +
				"give as much or more",
		},
		"a negative minimum": {
			sweep("max-balance-usd", "10", "min-balance-usd", "-1", "receiver", bob),
			`line 2: wallet-sweep."alice::1220aa".min-balance-usd: -1.0 is negative; give what the wallet keeps, ` +
				"in US dollars",
		},
		"to itself": {
			sweep("max-balance-usd", "10", "min-balance-usd", "1", "receiver", alice),
			`line 3: wallet-sweep."alice::1220aa".receiver: alice::1220aa is the wallet that is swept; name another party`,
		},
		"a ring": {
			file("wallet-sweep", file(
				alice, file("max-balance-usd", "10", "min-balance-usd", "1", "receiver", bob),
				bob, file("max-balance-usd", "10", "min-balance-usd", "1", "receiver", alice))),
			`line 1: wallet-sweep."alice::1220aa".receiver: bob::1220bb sweeps back to alice::1220aa, so that coin would ` +
				"go round; let one of them sweep elsewhere, or not at all\n" +
				`line 2: wallet-sweep."bob::1220bb".receiver: alice::1220aa sweeps back to bob::1220bb, so that coin would ` +
				"go round; let one of them sweep elsewhere, or not at all",
		},
		"no sender": {
			file("auto-accept-transfers", file(alice, file("from-parties", []string{}))),
			`line 1: auto-accept-transfers."alice::1220aa".from-parties: no sender is named; name one, or leave the ` +
				"receiver out",
		},
		"a sender twice": {
			file("auto-accept-transfers", file(alice, file("from-parties", []string{bob, bob}))),
			`line 1: auto-accept-transfers."alice::1220aa".from-parties[1]: bob::1220bb is named twice; name it once`,
		},
		"no list": {
			file("auto-accept-transfers", file(alice, file("from-parties", bob))),
			`line 1: auto-accept-transfers."alice::1220aa".from-parties: a list of party ids is expected here`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := settings.Read(c.file)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestDuration_ReadsUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "1h30m": 90 * time.Minute, "10 minutes": 10 * time.Minute, "1 m": time.Minute,
		"2 hours": 2 * time.Hour, "90d": 90 * 24 * time.Hour, "500 ms": 500 * time.Millisecond,
		" 5 seconds ": 5 * time.Second,
	} {
		got, err := settings.ParseDuration(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "10", "ten minutes", "10 fortnights", "1.5 days"} {
		_, err := settings.ParseDuration(text)
		require.ErrorContains(t, err, "is no duration; give a number with a unit", text)
	}
	for _, text := range []string{"999999999999999999 days", "106752 days", "2562048h", "-2562047h60m"} {
		_, err := settings.ParseDuration(text)
		require.ErrorContains(t, err, "is no duration: it is longer than 292 years, the longest there is", text)
	}
}

func TestEntries_RoundTrip(t *testing.T) {
	t.Parallel()
	topUp := settings.TopUp{TargetThroughput: 20000, MinTopupInterval: settings.Duration(time.Minute)}
	sweep := settings.Sweep{MaxBalanceUSD: decimal.FromInt(100), MinBalanceUSD: decimal.FromInt(10), Receiver: bob}
	accept := settings.AutoAccept{FromParties: []ledger.Party{alice}}
	entries, err := settings.Settings{
		TopUp: &topUp, Sweeps: map[ledger.Party]settings.Sweep{alice: sweep},
		AutoAccept: map[ledger.Party]settings.AutoAccept{bob: accept},
	}.Entries()
	require.NoError(t, err)
	require.Equal(t, []settings.Entry{
		{settings.KindAutoAccept, bob, json.RawMessage(`{"from-parties":["alice::1220aa"]}`)},
		{settings.KindTopUp, "", json.RawMessage(
			`{"target-throughput":20000,"min-topup-interval":"1m0s","reserved-traffic":0}`)},
		{settings.KindSweep, alice, json.RawMessage(`{"max-balance-usd":"100.0000000000",` +
			`"min-balance-usd":"10.0000000000","receiver":"bob::1220bb","use-transfer-preapproval":false}`)},
	}, entries)
	var gotTopUp settings.TopUp
	require.NoError(t, json.Unmarshal(entries[1].Value, &gotTopUp))
	require.Equal(t, topUp, gotTopUp)
	var gotSweep settings.Sweep
	require.NoError(t, json.Unmarshal(entries[2].Value, &gotSweep))
	require.Equal(t, sweep, gotSweep)
	require.Equal(t, automation.SweepConfig{
		MaxBalanceUSD: decimal.FromInt(100), MinBalanceUSD: decimal.FromInt(10), Receiver: bob,
	}, gotSweep.Config())
}

func TestTopUp_ComputesThePurchase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		throughput      int64
		interval        time.Duration
		bytes           int64
		stretchedToLast time.Duration
	}{
		{20_000, time.Minute, 1_200_000, time.Minute},
		{1_000, time.Minute, 210_000, 210 * time.Second},
		{1_000, 10 * time.Minute, 600_000, 10 * time.Minute},
	} {
		got, err := settings.TopUp{
			TargetThroughput: c.throughput, MinTopupInterval: settings.Duration(c.interval),
		}.Purchase(200_000)
		require.NoError(t, err)
		require.Equal(t, automation.TopUp{Bytes: c.bytes, Interval: c.stretchedToLast}, got)
	}
}
