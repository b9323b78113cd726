package main

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
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
	require.Nil(t, parsed(t).admission(), "any number, unless a rate is set")
	admit := parsed(t, "--party-rate=0.01").admission()
	of := func(parties ...ledger.Party) error { return admit(ledger.Submission{ActAs: parties}) }
	require.NoError(t, of("alice::1220"))
	refusal := of("bob::1220", "alice::1220")
	require.True(t, fault.ServerOverloaded.Matches(refusal), "%v", refusal)
	require.ErrorContains(t, refusal, "More than 0.01 submissions a second act as one of bob::1220, alice::1220")
	require.NoError(t, of("bob::1220"), "a submission that is refused counts for nobody")
}
