package node

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
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

func TestLimitSettings_DefaultsAreThoseOfTheParts(t *testing.T) {
	t.Parallel()
	settings := parsed(t)
	require.NoError(t, settings.check())
	require.Equal(t, limitSettings{
		MaxRequests: admission.DefaultRequests, MaxUserRequests: admission.DefaultUserRequests, MaxUserInFlight: 768,
		MaxReads: admission.DefaultReads, MaxStreams: admission.DefaultStreams, MaxUserStreams: admission.DefaultUserStreams,
		MaxBody: endpoint.DefaultMaxBodyBytes, MaxMemory: admission.DefaultBodyMemory + admission.DefaultAnswerMemory,
	}, settings)
	options := settings.limitOptions()
	options.Now = nil
	require.Equal(t, admission.Options{
		Requests: admission.DefaultRequests, UserRequests: admission.DefaultUserRequests,
		Streams: admission.DefaultStreams, UserStreams: admission.DefaultUserStreams,
		Reads: admission.DefaultReads, UserReads: admission.DefaultUserReads,
		BodyMemory: admission.DefaultBodyMemory, UserBodyMemory: admission.DefaultUserBodyMemory,
		Answer: admission.DefaultAnswer, AnswerMemory: admission.DefaultAnswerMemory,
		UserAnswerMemory: admission.DefaultUserAnswerMemory, RefusalRate: refusalRate,
	}, options)
}

func TestLimitSettings_RefusesBodiesBeyondTheShareOfAUser(t *testing.T) {
	t.Parallel()
	settings := parsed(t, "--max-body=100000000")
	require.EqualError(t, settings.check(),
		"--max-memory=201326592: it must be at least 8 times --max-body=100000000, so that one user can send such a body")
	require.NoError(t, parsed(t, "--max-body=100000000", "--max-memory=800000000").check())
}

func TestLimitSettings_RefusesZero(t *testing.T) {
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
			require.ErrorContains(t, settings.check(), want)
		})
	}
	settings := parsed(t)
	settings.UserRate = math.NaN()
	require.ErrorContains(t, settings.check(), "--user-rate=NaN")
}

// Each limit is set on SIGHUP, or named as one that is not.
func TestLimitSettings_AreReadAgainOrListed(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"max-user-in-flight"} // see rereadLimits
	seen := 0
	for i := range reflect.TypeFor[limitSettings]().NumField() {
		flag := flagOf(reflect.TypeFor[limitSettings]().Field(i))
		before, now := parsed(t), parsed(t)
		value := reflect.ValueOf(&now).Elem().Field(i)
		if value.CanFloat() {
			value.SetFloat(value.Float() + 7)
		} else {
			value.SetInt(value.Int() + 80)
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

// part is a share of a user that counts its processes.
type part struct{ processes int }

func (p *part) Divide(processes int) { p.processes = processes }

func TestShares_AreDividedAgain(t *testing.T) {
	t.Parallel()
	var all shares
	all.set(3)
	one := &part{}
	all.join(one)
	require.Equal(t, 3, one.processes)
	all.set(2)
	require.Equal(t, 2, one.processes)
	all.set(0)
	require.Equal(t, 1, one.processes, "this one, at least")
	require.Equal(t, 1, all.count())
}
