package node

import (
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// parsed are the limits of a command line.
func parsed(t *testing.T, arguments ...string) limitSettings {
	t.Helper()
	var settings limitSettings
	parser, err := kong.New(&settings)
	require.NoError(t, err)
	_, err = parser.Parse(arguments)
	require.NoError(t, err)
	return settings
}

func TestTheDefaultsOfLimitsAreThoseOfTheParts(t *testing.T) {
	t.Parallel()
	settings := parsed(t)
	require.NoError(t, settings.check())
	require.Equal(t, limitSettings{
		MaxRequests: endpoint.DefaultMaxRequests, MaxUserRequests: endpoint.DefaultMaxUserRequests, MaxUserInFlight: 768,
		MaxReads: endpoint.DefaultMaxReads, MaxUserReads: endpoint.DefaultMaxUserReads,
		MaxUserStreams: endpoint.DefaultMaxUserStreams, AddressRate: 200, RefusalRate: 300,
		MaxAnonymousRequests: endpoint.DefaultMaxAnonymousRequests, MaxAddressRequests: endpoint.DefaultMaxAddressRequests,
		AnonymousShare:    endpoint.DefaultAnonymousShare,
		MaxUserBodyMemory: endpoint.DefaultMaxUserBodyMemory, MaxValues: endpoint.DefaultMaxValues,
		MaxAnswer: endpoint.DefaultMaxAnswer, MaxAnswerMemory: endpoint.DefaultMaxAnswerMemory,
		MaxUserAnswerMemory: endpoint.DefaultMaxUserAnswerMemory,
		MaxUserKeptAnswers:  changes.DefaultUserAnswers, MaxUserKeptBytes: changes.DefaultUserBytes,
		MaxBody: endpoint.DefaultMaxBodyBytes, MaxBodyMemory: endpoint.DefaultMaxBodyMemory,
		MaxHeader: api.DefaultMaxHeaderBytes, MaxDepth: endpoint.DefaultMaxDepth,
		MaxElements: endpoint.DefaultMaxElements, MaxCommands: ledgerapi.DefaultMaxCommands,
		MaxDisclosed: ledgerapi.DefaultMaxDisclosed, MaxParties: ledgerapi.DefaultMaxParties,
		MaxLedgerTimeAhead: ledgerapi.DefaultMaxLedgerTimeAhead,
		MaxConnections:     api.DefaultMaxConnections, MaxAddressConnections: api.DefaultMaxAddressConnections,
		HeaderTimeout: api.DefaultHeaderTimeout,
		ReadTimeout:   api.DefaultReadTimeout, WriteTimeout: api.DefaultWriteTimeout, IdleTimeout: api.DefaultIdleTimeout,
		ClientPatience: endpoint.DefaultClientPatience,
	}, settings)
}

func TestLimitsOfNothingAreRefused(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[limitSettings]()
	for i := range fields.NumField() {
		field := fields.Field(i)
		t.Run(field.Name, func(t *testing.T) {
			t.Parallel()
			settings := parsed(t)
			value := reflect.ValueOf(&settings).Elem().Field(i)
			want := "it must be at least 1"
			switch value.Kind() {
			case reflect.Float64:
				value.SetFloat(-1)
				want = "it must not be negative"
			default:
				value.SetInt(0)
			}
			if field.Type == reflect.TypeFor[time.Duration]() {
				want = "it must be more than nothing"
			}
			require.ErrorContains(t, settings.check(), want)
		})
	}
	settings := parsed(t)
	settings.UserRate = math.NaN()
	require.ErrorContains(t, settings.check(), "--user-rate=NaN")
}

func TestPartiesMaySubmitSoOften(t *testing.T) {
	t.Parallel()
	rates := newPartyRates(parsed(t).PartyRate)
	of := func(parties ...ledger.Party) error { return rates.admit(ledger.Submission{ActAs: parties}) }
	for range 100 {
		require.NoError(t, of("alice::1220"), "any number, unless a rate is set")
	}
	rates.set(parsed(t, "--party-rate=0.01").PartyRate)
	require.NoError(t, of("alice::1220"))
	refusal := of("bob::1220", "alice::1220")
	require.True(t, fault.ServerOverloaded.Matches(refusal), "%v", refusal)
	require.ErrorContains(t, refusal, "More than 0.01 submissions a second act as one of bob::1220, alice::1220")
	require.NoError(t, of("bob::1220"), "a submission that is refused counts for nobody")
	rates.Divide(2)
	require.ErrorContains(t, of("bob::1220"), "More than 0.005 (this process's part of 0.01 for 2 processes) submissions")
}

// Each limit is set on SIGHUP, or named as one that is not.
func TestLimitsAreReadAgainOrNamed(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"max-user-in-flight", "max-user-streams", "party-rate"} // see rereadLimits
	seen := 0
	for i := range reflect.TypeFor[limitSettings]().NumField() {
		flag := flagOf(reflect.TypeFor[limitSettings]().Field(i))
		before, now := parsed(t), parsed(t)
		value := reflect.ValueOf(&now).Elem().Field(i)
		if value.CanFloat() {
			value.SetFloat(value.Float() + 7)
		} else {
			value.SetInt(value.Int() + 7)
		}
		was, is := before.limitOptions(), now.limitOptions()
		was.Now, is.Now = nil, nil
		late := lateSettings(map[string]string{flag: "1"}, map[string]string{flag: "8"})
		switch {
		case !reflect.DeepEqual(was, is):
			require.Empty(t, late, flag)
		case slices.Contains(elsewhere, flag):
			require.Empty(t, late, flag)
		default:
			seen++
			require.Equal(t, []string{flag}, late)
		}
	}
	require.Equal(t, len(limitsOfTheStart), seen)
	require.Equal(t, []string{"listen", "stop-delay"}, lateSettings(
		map[string]string{"listen": "a", "stop-delay": "5s", "log-level": "info", "max-streams": "1", "hosts": "[]"},
		map[string]string{"listen": "b", "stop-delay": "1s", "log-level": "warn", "max-streams": "2", "hosts": "[]"}))
}

func TestSharesAreDividedAnew(t *testing.T) {
	t.Parallel()
	var all shares
	all.set(3)
	rates := newPartyRates(6)
	all.join(rates)
	require.Equal(t, 3, rates.processes)
	all.set(2)
	require.Equal(t, 2, rates.processes)
	all.set(0)
	require.Equal(t, 1, rates.processes, "this one, at least")
	require.Equal(t, 1, all.count())
}
