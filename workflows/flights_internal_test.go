package workflows

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// flightOf is a submission of the user; its change and key follow from the number.
func flightOf(user string, number int) (ledger.ChangeID, ledger.Submission) {
	s := ledger.Submission{
		Identity: ledger.DefaultUser(user), CommandID: strconv.Itoa(number), Key: user + strconv.Itoa(number),
		ActAs: []ledger.Party{"alice::1220"},
	}
	return s.ChangeID(), s
}

func TestFlights_BoundEachUser(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	f := newFlights(3, 2, func() time.Time { return now })
	enter := func(user string, number int) *fault.Fault {
		change, s := flightOf(user, number)
		refusal := f.enter(change, s, 100, "global::1220")
		f.start(s, "")
		return refusal
	}
	leave := func(user string, number int) {
		change, s := flightOf(user, number)
		f.leave(change, s.Key)
	}
	require.Nil(t, enter("greedy", 1))
	require.Nil(t, enter("greedy", 2))
	refusal := enter("greedy", 3)
	require.True(t, fault.ParticipantBackpressure.Matches(refusal))
	require.Equal(t, `2 commands of user "greedy" are in flight, the most for one user`, refusal.Cause)
	require.Nil(t, enter("modest", 1), "there is room for others")
	require.Zero(t, f.underWay.places.TakenBy(accountOf(ledger.Identity{IdentityProviderID: "acme", UserID: "greedy"})),
		"another provider's user")
	refusal = enter("third", 1)
	require.True(t, fault.ParticipantBackpressure.Matches(refusal))
	require.Contains(t, refusal.Cause, "3 commands are in flight, the most it takes")

	leave("greedy", 1)
	leave("greedy", 1) // a second time changes nothing
	require.Nil(t, enter("greedy", 4))
	require.NotNil(t, enter("greedy", 5))

	now = now.Add(maxFlight)
	require.Len(t, f.dropLost(), 3)
	require.Zero(t, f.underWay.places.Taken(), "lost flights take no place")
	require.Nil(t, enter("greedy", 6))
	require.Nil(t, enter("greedy", 7))
}

func TestFlights_BoundBytes(t *testing.T) {
	t.Parallel()
	f := newFlights(1024, 768, func() time.Time { return time.Unix(1_800_000_000, 0) })
	enter := func(user string, number, bytes int) *fault.Fault {
		change, s := flightOf(user, number)
		return f.enter(change, s, bytes, "global::1220")
	}
	require.Nil(t, enter("greedy", 1, maxUserFlightBytes))
	require.Contains(t, enter("greedy", 2, 1).Cause, `33554432 of them of user "greedy"; 1 more would exceed the limit`)
	for i := range maxFlightBytes/maxUserFlightBytes - 1 {
		require.Nil(t, enter("user-"+strconv.Itoa(i), 1, maxUserFlightBytes))
	}
	require.NotNil(t, enter("late", 1, 1))
	change, s := flightOf("greedy", 1)
	f.leave(change, s.Key)
	require.Nil(t, enter("late", 1, 1))
}

// A submission that waits for its turn has no acknowledgement: it does not show how the node is, and is not lost.
func TestFlights_CountOnlyStartedSubmissionsAsLate(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	f := newFlights(10, 10, func() time.Time { return now })
	change, s := flightOf("alice", 1)
	require.Nil(t, f.enter(change, s, 100, "global::1220"))
	now = now.Add(2 * maxFlight)
	require.Zero(t, f.oldest())
	require.Empty(t, f.dropLost())
	f.start(s, "")
	now = now.Add(time.Minute)
	require.Equal(t, time.Minute, f.oldest())
	now = now.Add(maxFlight)
	require.Equal(t, []string{s.Key}, f.dropLost())
}

func TestFlights_BoundBytesOfTimedSubmissions(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	f := newFlights(1024, 768, func() time.Time { return now })
	enter := func(user string, number, bytes int) *fault.Fault {
		change, s := flightOf(user, number)
		s.ReceivedAt, s.MinLedgerTime = now, new(now.Add(time.Minute))
		return f.enter(change, s, bytes, "global::1220")
	}
	require.Nil(t, enter("greedy", 1, maxUserWaitingBytes-100))
	refusal := enter("greedy", 2, 101)
	require.True(t, fault.ParticipantBackpressure.Matches(refusal))
	require.Contains(t, refusal.Cause, `2097052 of them of user "greedy"; 101 more would exceed the limit`)
	require.Nil(t, enter("greedy", 3, 100))
	for i := range maxWaitingBytes/maxUserWaitingBytes - 1 {
		require.Nil(t, enter("user-"+strconv.Itoa(i), 1, maxUserWaitingBytes))
	}
	require.NotNil(t, enter("late", 1, 1))
	change, s := flightOf("greedy", 1)
	f.leave(change, s.Key)
	require.Nil(t, enter("late", 1, 1))
	require.Equal(t, 100, f.waiting.bytes.TakenBy(accountOf(ledger.DefaultUser("greedy"))))
}

// contract: error-in-flight
func TestFlights_RefuseAChangeInFlight(t *testing.T) {
	t.Parallel()
	f := newFlights(10, 10, func() time.Time { return time.Unix(1_800_000_000, 0) })
	change, first := flightOf("alice", 1)
	first.SubmissionID = "first"
	require.Nil(t, f.enter(change, first, 100, "global::1220"))
	again := first
	again.Key, again.SubmissionID = "another", "again"
	refusal := f.enter(change, again, 100, "global::1220")
	require.True(t, fault.SubmissionAlreadyInFlight.Matches(refusal), "%v", refusal)
	require.Equal(t, "Some(first)", refusal.Context["existingSubmissionId"])

	f.leave(change, again.Key)
	require.NotNil(t, f.enter(change, again, 100, "global::1220"), "only the submission in flight ends its flight")
	f.leave(change, first.Key)
	require.Nil(t, f.enter(change, again, 100, "global::1220"))
}

func TestFlights_KnowTheOldest(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	f := newFlights(10, 10, func() time.Time { return now })
	require.Zero(t, f.oldest())
	first, s := flightOf("alice", 1)
	require.Nil(t, f.enter(first, s, 100, "global"))
	f.start(s, "")
	now = now.Add(time.Minute)
	second, later := flightOf("alice", 2)
	require.Nil(t, f.enter(second, later, 100, "global"))
	f.start(later, "")
	timed, waiting := flightOf("alice", 3)
	waiting.MinLedgerTime = &now
	require.Nil(t, f.enter(timed, waiting, 100, "global"))
	f.start(waiting, "")
	require.Equal(t, time.Minute, f.oldest())
	f.leave(first, s.Key)
	now = now.Add(time.Second)
	require.Equal(t, time.Second, f.oldest())
	f.leave(second, later.Key)
	now = now.Add(time.Hour)
	require.Zero(t, f.oldest(), "a submission that waits for its time does not count")
}

func TestFlights_StalledWhileNoneLands(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	f := newFlights(10, 10, func() time.Time { return now })
	take := func(user string, number int) (land func()) {
		change, s := flightOf(user, number)
		require.Nil(t, f.enter(change, s, 100, "global"))
		f.start(s, "")
		return func() { f.leave(change, s.Key) }
	}
	require.Zero(t, f.stalled())
	landFirst := take("greedy", 1)
	for range 10 {
		land := take("modest", 1)
		now = now.Add(10 * time.Second)
		require.Equal(t, 10*time.Second, f.stalled(), "others complete")
		land()
	}
	require.Equal(t, 100*time.Second, f.oldest())
	require.Zero(t, f.stalled())
	now = now.Add(time.Minute)
	require.Equal(t, time.Minute, f.stalled(), "nothing completes")
	landFirst()
	now = now.Add(time.Minute)
	require.Zero(t, f.stalled(), "nobody waits")
	take("modest", 1)
	now = now.Add(time.Second)
	require.Equal(t, time.Second, f.stalled(), "the idle time does not count")
}

func TestFlights_ReservePlacesForTimedSubmissions(t *testing.T) {
	t.Parallel()
	const places = 2 * WaitingShare
	now := time.Unix(1_800_000_000, 0)
	f := newFlights(places, places-1, func() time.Time { return now })
	wait := func(user string, number int) *fault.Fault {
		change, s := flightOf(user, number)
		later := now.Add(time.Hour)
		s.ReceivedAt, s.MinLedgerTime = now, &later
		refusal := f.enter(change, s, 100, "global::1220")
		f.start(s, "")
		return refusal
	}
	for user := range WaitingShare {
		for number := range places / WaitingShare {
			require.Nil(t, wait("greedy"+strconv.Itoa(user), number))
		}
		refusal := wait("greedy"+strconv.Itoa(user), places)
		require.True(t, fault.ParticipantBackpressure.Matches(refusal), "%v", refusal)
	}
	refusal := wait("late", 1)
	require.True(t, fault.ParticipantBackpressure.Matches(refusal))
	require.Contains(t, refusal.Cause, "16 commands wait for their minimum ledger time, the most it takes")
	for number := range places - 1 {
		change, s := flightOf("modest", number)
		require.Nil(t, f.enter(change, s, 100, "global::1220"), "those that do not wait have all their places")
		f.start(s, "")
	}
	change, signed := flightOf("signer", 1) // never waits
	later := now.Add(time.Hour)
	signed.ReceivedAt, signed.MinLedgerTime, signed.Signed = now, &later, &ledger.SignedTransaction{}
	require.Nil(t, f.enter(change, signed, 100, "global::1220"))
	f.start(signed, "")

	now = now.Add(maxFlight)
	require.Len(t, f.dropLost(), places, "timed submissions are not lost before their time")
	require.NotNil(t, wait("late", 1))
	now = now.Add(time.Hour)
	require.Len(t, f.dropLost(), places)
	require.Zero(t, f.waiting.places.Taken())
	require.Nil(t, wait("late", 1))
}

// Each user of the provider submits the largest timed submission.
func TestFlights_BoundWaitingBytesOfAnIdentityProvider(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	f := newFlights(1024, 768, func() time.Time { return now })
	enter := func(provider, user string) *fault.Fault {
		_, s := flightOf(user, 1)
		s.IdentityProviderID, s.ReceivedAt, s.MinLedgerTime = provider, now, new(now.Add(time.Minute))
		return f.enter(s.ChangeID(), s, maxUserWaitingBytes, "global::1220")
	}
	for i := range maxWaitingBytes / maxUserWaitingBytes / 2 {
		require.Nil(t, enter("acme", "user-"+strconv.Itoa(i)))
	}
	refusal := enter("acme", "late")
	require.True(t, fault.ParticipantBackpressure.Matches(refusal))
	require.Contains(t, refusal.Cause, `of users of identity provider "acme" wait for their minimum ledger time`)
	require.Nil(t, enter(ledger.DefaultIdentityProvider, "late"))
}

// The administrator of an identity provider submits as many users.
func TestFlights_BoundEachIdentityProvider(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for kind, timed := range map[string]bool{"are in flight": false, "wait for their minimum ledger time": true} {
		f := newFlights(4, 3, func() time.Time { return now })
		enter := func(provider, user string) *fault.Fault {
			_, s := flightOf(user, 1)
			s.IdentityProviderID, s.ReceivedAt = provider, now
			if timed {
				s.MinLedgerTime = new(now.Add(time.Minute))
			}
			refusal := f.enter(s.ChangeID(), s, 100, "global::1220")
			f.start(s, "")
			return refusal
		}
		require.Nil(t, enter("acme", "first"))
		require.Nil(t, enter("acme", "second"))
		refusal := enter("acme", "third")
		require.True(t, fault.ParticipantBackpressure.Matches(refusal))
		require.Contains(t, refusal.Cause,
			`2 commands of users of identity provider "acme" `+kind+`, the most for all of them together`)
		require.Nil(t, enter("other", "third"))
		require.Nil(t, enter(ledger.DefaultIdentityProvider, "third"), "others find room")
		now = now.Add(2 * maxFlight)
		require.Len(t, f.dropLost(), 4)
		for _, room := range []*room{f.underWay, f.waiting} {
			require.Zero(t, room.places.Taken())
			require.Zero(t, room.bytes.Taken())
		}
	}
}

func TestFlights_DivideAUsersShareAmongProcesses(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	f := newFlights(32, 4, func() time.Time { return now })
	f.divide(2)
	enter := func(user string, number int, ahead time.Duration) *fault.Fault {
		change, s := flightOf(user, number)
		if s.ReceivedAt = now; ahead > 0 {
			due := now.Add(ahead)
			s.MinLedgerTime = &due
		}
		return f.enter(change, s, 1, "global::1220")
	}
	for number := range 2 {
		require.Nil(t, enter("alice", number, 0))
		require.Nil(t, enter("alice", 10+number, time.Hour))
	}
	require.Equal(t, `2 commands of user "alice" are in flight, the most for one user, this process's share: 4 divided by 2 `+
		`processes`, enter("alice", 2, 0).Cause)
	require.Contains(t, enter("alice", 12, time.Hour).Cause, "2 commands of user \"alice\" wait for their minimum ledger "+
		"time, the most for one user, this process's share: 4 divided by 2 processes: submit it when")
	f.divide(1)
	require.Nil(t, enter("alice", 2, 0))
	f.set(32, 3)
	require.Equal(t, `3 commands of user "alice" are in flight, the most for one user`, enter("alice", 3, 0).Cause)
	f.divide(100)
	require.Nil(t, enter("bob", 1, 0), "each process has at least one place")
}
