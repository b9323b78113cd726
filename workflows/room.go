package workflows

import (
	"fmt"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The limits of the bytes of submissions in flight, in all and for one user: they stay in memory until their turn.
const (
	maxFlightBytes     = 128 << 20
	maxUserFlightBytes = 32 << 20
)

// The limits of the bytes of submissions that wait for their time, in all and for one user. All may become due at once,
// and are then ahead of the others.
const (
	maxWaitingBytes     = 16 << 20
	maxUserWaitingBytes = 2 << 20
)

// WaitingShare divides the places for submissions that wait for their time: one user may have one part.
const WaitingShare = 8

// room limits flights of one kind: their places, and their bytes. All users of an identity provider together have half
// of it.
type room struct {
	places, bytes turns.Turns
	// of and ofBytes are the limits of places and bytes, for refusals; share explains the limit of one user.
	of, ofBytes turns.Limits
	share       string
	// state, kind and advice are parts of the refusal: the state of the flights, the short reason, the next step.
	state, kind, advice string
}

func newFlightRoom() *room {
	r := &room{state: "are in flight", kind: "in flight"}
	r.ofBytes = turns.Limits{All: maxFlightBytes, Each: maxUserFlightBytes}
	r.bytes.Set(r.ofBytes)
	return r
}

func newWaitingRoom() *room {
	r := &room{
		state: "wait for their minimum ledger time", kind: "wait for their time",
		advice: ": submit it when its time has come",
	}
	r.ofBytes = turns.Limits{
		All: maxWaitingBytes, Each: maxUserWaitingBytes, Together: int(ledger.ProviderShare(maxWaitingBytes)),
	}
	r.bytes.Set(r.ofBytes)
	return r
}

// set sets the number of places, in all and for one user in all processes together; 0 is any number. Each process has
// at least one place for each user.
func (r *room) set(all, ofUser, processes int) {
	r.of = turns.Limits{All: all, Together: int(ledger.ProviderShare(int64(all)))}
	if ofUser > 0 {
		r.of.Each = max(1, ofUser/processes)
	}
	r.share = ""
	if processes > 1 {
		r.share = fmt.Sprintf(", this process's share: %d divided by %d processes", ofUser, processes)
	}
	r.places.Set(r.of)
}

func accountOf(who ledger.Identity) turns.Account {
	return turns.Account{Name: ledger.IdentityText(who), Provider: who.SharedProvider()}
}

// enter takes a place with this number of bytes, or returns the refusal.
func (r *room) enter(who ledger.Identity, bytes int) *fault.Fault {
	account := accountOf(who)
	if short := r.places.Try(account, 1); short != turns.NoShortage {
		return r.full(who, short)
	}
	if short := r.bytes.Try(account, bytes); short != turns.NoShortage {
		r.places.Give(account, 1)
		return r.fullOfBytes(who, bytes, short)
	}
	return nil
}

// leave gives a place and its bytes back.
func (r *room) leave(who ledger.Identity, bytes int) {
	account := accountOf(who)
	r.places.Give(account, 1)
	r.bytes.Give(account, bytes)
}

func (r *room) full(who ledger.Identity, short turns.Shortage) *fault.Fault {
	switch short {
	case turns.ShortForAccount:
		return fault.ParticipantBackpressure.New("%d commands of user %q %s, the most for one user%s%s", r.of.Each, who.UserID,
			r.state, r.share, r.advice).With("reason", "too many commands of the user "+r.kind)
	case turns.ShortForProvider:
		return fault.ParticipantBackpressure.New("%d commands of users of identity provider %q %s, the most for all of them "+
			"together%s", r.of.Together, who.SharedProvider(), r.state, r.advice).
			With("reason", "too many commands of the identity provider")
	default:
		return fault.ParticipantBackpressure.New(
			"The participant is currently overloaded: %d commands %s, the most it takes%s", r.of.All, r.state, r.advice).
			With("reason", "too many commands "+r.kind)
	}
}

func (r *room) fullOfBytes(who ledger.Identity, bytes int, short turns.Shortage) *fault.Fault {
	if short == turns.ShortForProvider {
		return fault.ParticipantBackpressure.New("Commands of users of identity provider %q %s; %d bytes more would exceed "+
			"their common limit of %d%s", who.SharedProvider(), r.state, bytes, r.ofBytes.Together, r.advice).
			With("reason", "too many bytes of commands of the identity provider "+r.kind)
	}
	return fault.ParticipantBackpressure.New("Commands of %d bytes %s, %d of them of user %q; %d more would exceed the "+
		"limit (%d in all, %d for one user)%s", r.bytes.Taken(), r.state, r.bytes.TakenBy(accountOf(who)), who.UserID, bytes,
		r.ofBytes.All, r.ofBytes.Each, r.advice).With("reason", "too many bytes of commands "+r.kind)
}
