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

func parseLimits(t *testing.T, arguments ...string) limitSettings {
	t.Helper()
	var settings limitSettings
	parser, err := kong.New(&settings)
	require.NoError(t, err)
	_, err = parser.Parse(arguments)
	require.NoError(t, err)
	return settings
}

func TestLimitSettings_DefaultsMatchAdmission(t *testing.T) {
	t.Parallel()
	settings := parseLimits(t)
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
	settings := parseLimits(t, "--max-body=100000000")
	require.EqualError(t, settings.check(),
		"--max-memory=201326592: it must be at least 8 times --max-body=100000000, so that one user can send such a body")
	require.NoError(t, parseLimits(t, "--max-body=100000000", "--max-memory=800000000").check())
}

func TestLimitSettings_RefusesValuesBelowOne(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[limitSettings]()
	for i := range fields.NumField() {
		field := fields.Field(i)
		t.Run(field.Name, func(t *testing.T) {
			t.Parallel()
			settings := parseLimits(t)
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
	settings := parseLimits(t)
	settings.UserRate = math.NaN()
	require.ErrorContains(t, settings.check(), "--user-rate=NaN")
}

func TestLimitSettings_SIGHUPAppliesOrRequestsRestart(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"max-user-in-flight"} // see rereadLimits
	needRestart := 0
	for i := range reflect.TypeFor[limitSettings]().NumField() {
		flag := flagOf(reflect.TypeFor[limitSettings]().Field(i))
		before, now := parseLimits(t), parseLimits(t)
		value := reflect.ValueOf(&now).Elem().Field(i)
		if value.CanFloat() {
			value.SetFloat(value.Float() + 7)
		} else {
			value.SetInt(value.Int() + 80)
		}
		was, is := before.limitOptions(), now.limitOptions()
		was.Now, is.Now = nil, nil
		late := restartFlags(map[string]string{flag: "1"}, map[string]string{flag: "8"})
		switch {
		case !reflect.DeepEqual(was, is):
			require.Empty(t, late, flag)
		case slices.Contains(elsewhere, flag):
			require.Empty(t, late, flag)
		default:
			needRestart++
			require.Equal(t, []string{flag}, late)
		}
	}
	require.Equal(t, len(restartLimits), needRestart)
	require.Equal(t, []string{"listen", "stop-delay"}, restartFlags(
		map[string]string{"listen": "a", "stop-delay": "5s", "log-level": "info", "max-streams": "1", "hosts": "[]"},
		map[string]string{"listen": "b", "stop-delay": "1s", "log-level": "warn", "max-streams": "2", "hosts": "[]"}))
}

type fakeLimit struct{ processes int }

func (l *fakeLimit) Divide(processes int) { l.processes = processes }

func TestShares_DivideByTheNumberOfProcesses(t *testing.T) {
	t.Parallel()
	var all shares
	all.set(3)
	limit := &fakeLimit{}
	all.join(limit)
	require.Equal(t, 3, limit.processes)
	all.set(2)
	require.Equal(t, 2, limit.processes)
	all.set(0)
	require.Equal(t, 1, limit.processes, "at least this process")
	require.Equal(t, 1, all.count())
}
