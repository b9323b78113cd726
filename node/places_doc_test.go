package node

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/workflows"
)

// place is a limited resource of which no caller may take all: a row of the table in docs/security.md.
type place struct {
	name      string
	all, each string
	// refusal is the answer beyond the limit.
	refusal string
	// folder has the test in which one caller takes all that it can, and others still find room.
	folder, test string
}

// placesOf lists all places with the numbers in the code.
func placesOf(t *testing.T) []place {
	t.Helper()
	settings := parseLimits(t)
	maxInFlight := defaultOf(t, "MaxInFlight")
	flag := func(name string, value any) string { return fmt.Sprintf("`--%s` %v", name, value) }
	const overloaded, backpressure = "429", "`PARTICIPANT_BACKPRESSURE`"
	return []place{
		{
			"requests under way", flag("max-requests", settings.MaxRequests),
			flag("max-user-requests", settings.MaxUserRequests), overloaded,
			"api/endpoint", "TestRequests_LimitEachUser",
		},
		{
			"requests that wait for new entries", flag("max-requests", settings.MaxRequests),
			flag("max-user-requests", settings.MaxUserRequests), overloaded,
			"api/endpoint", "TestRequests_WaitingUsesNoWorkingPlace",
		},
		{
			"reads under way", flag("max-reads", settings.MaxReads),
			"a quarter, beside others half as many as there are processors", "wait, then " + overloaded,
			"api/endpoint", "TestReads_LimitEachUser",
		},
		{
			"changes of users and parties under way", strconv.Itoa(admission.DirectCommits),
			strconv.Itoa(admission.UserDirectCommits), "wait, then " + overloaded,
			"api/endpoint", "TestDirectCommits_LimitEachUser",
		},
		{
			"requests without a usable token", strconv.Itoa(admission.DefaultAnonymousRequests),
			"first come, first served", overloaded, "api/endpoint", "TestAnonymous_HasPlacesOfItsOwn",
		},
		{
			"those of them under way", strconv.Itoa(admission.AnonymousTurns), "first come, first served",
			"wait, then " + overloaded, "api/endpoint", "TestAnonymous_TakesTurns",
		},
		{
			"bytes of long bodies", "a third of " + flag("max-memory", settings.MaxMemory), "three eighths", overloaded,
			"api/endpoint", "TestBodies_LimitMemoryPerUser",
		},
		{
			"bytes of the requests of open streams, beyond 4 KiB of each", "the same again", "three eighths", overloaded,
			"api/endpoint", "TestStreams_LimitMemoryOfRequestsPerUser",
		},
		{
			"bytes of answers, and of the rows behind them",
			"two thirds of " + flag("max-memory", settings.MaxMemory), "three eighths", overloaded, "api/endpoint", "TestAnswers_LimitMemoryPerUser",
		},
		{
			"answers with a very large row", strconv.Itoa(admission.LargeAnswers),
			strconv.Itoa(admission.LargeAnswers), overloaded, "api/endpoint", "TestAnswers_OversizedRowsAreReadOneAtATime",
		},
		{
			"submissions in flight, with those in the batcher's queue", flag("max-in-flight", maxInFlight),
			flag("max-user-in-flight", settings.MaxUserInFlight), backpressure,
			"workflows", "TestFlights_BoundEachUser",
		},
		{
			"submissions that wait for their minimum ledger time", flag("max-in-flight", maxInFlight),
			strconv.Itoa(maxInFlight / workflows.WaitingShare), backpressure,
			"workflows", "TestFlights_ReservePlacesForTimedSubmissions",
		},
		{
			"streams", flag("max-streams", settings.MaxStreams), flag("max-user-streams", settings.MaxUserStreams),
			"`MAXIMUM_NUMBER_OF_STREAMS`", "api/endpoint", "TestStreams_LimitEachUser",
		},
		{
			"streams that read a page", strconv.Itoa(admission.StreamReads), strconv.Itoa(admission.UserStreamReads),
			"wait", "internal/turns", "TestTurns_LeaveRoomBesideAUser",
		},
		{
			"answers kept for `Idempotency-Key`", "any number",
			strconv.Itoa(changes.DefaultUserAnswers), overloaded,
			"api/changes", "TestKeeper_LimitsAnswersPerUser",
		},
		{
			"bytes of those answers", "any number", strconv.Itoa(changes.DefaultUserBytes), overloaded,
			"api/changes", "TestKeeper_LimitsAnswersPerUser",
		},
		{
			"parties that users allocated, with waiting onboardings", "any number",
			"`max-self-allocated-parties` " + strconv.Itoa(ledger.DefaultSettings().MaxSelfAllocatedParties), "403",
			"api/ledgerapi/parties", "TestAllocateParty_LimitsSelfAllocation",
		},
	}
}

func defaultOf(t *testing.T, name string) int {
	t.Helper()
	field, found := reflect.TypeFor[Settings]().FieldByName(name)
	require.True(t, found, name)
	value, err := strconv.Atoi(field.Tag.Get("default"))
	require.NoError(t, err)
	return value
}

// The test also finds the test of each place.
func TestPlacesDoc_AgreesWithTheCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/security.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n### Places\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| .*\|$`).FindAllString(section, -1)
	places := placesOf(t)
	require.Len(t, rows, len(places)+1, "one row for each place, and the head")
	for i, place := range places {
		require.Equal(t, fmt.Sprintf("| %s | %s | %s | %s | `%s`: `%s` |", place.name, place.all, place.each, place.refusal,
			place.folder, place.test), rows[i+1])
		files, err := filepath.Glob(filepath.Join("..", place.folder, "*_test.go"))
		require.NoError(t, err)
		tested := false
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			tested = tested || strings.Contains(string(content), "\nfunc "+place.test+"(t *testing.T) {")
		}
		require.True(t, tested, "there is no %s in %s", place.test, place.folder)
	}
}
