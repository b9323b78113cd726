package workflows

import (
	"fmt"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// How many bytes of submissions may be in flight, and how many of one user: they are held until their turn comes.
const (
	maxFlightBytes     = 128 << 20
	maxUserFlightBytes = 32 << 20
)

// How many bytes of submissions may wait for their time, and how many of one user. They may all become due at once, and
// then stand before the others.
const (
	maxWaitingBytes     = 16 << 20
	maxUserWaitingBytes = 2 << 20
)

// WaitingShare is which part of the places for those that wait for their time one user may have.
const WaitingShare = 8

// room is what flights of one kind share: a number of places, and of bytes. The users of an identity provider have half
// of it together.
type room struct {
	places, bytes turns.Turns
	// of and ofBytes are the limits of places and bytes, for refusals, and share is what the limit of one user is part of.
	of, ofBytes turns.Limits
	share       string
	// doing says in refusals what the flights do, kind is that in their reasons, and advice is what helps.
	doing, kind, advice string
}

func newFlightRoom() *room {
	r := &room{doing: "are in flight", kind: "in flight"}
	r.ofBytes = turns.Limits{All: maxFlightBytes, Each: maxUserFlightBytes}
	r.bytes.Set(r.ofBytes)
	return r
}

func newWaitingRoom() *room {
	r := &room{
		doing: "wait for their minimum ledger time", kind: "wait for their time",
		advice: ": submit it when its time has come",
	}
	r.ofBytes = turns.Limits{
		All: maxWaitingBytes, Each: maxUserWaitingBytes, Together: int(ledger.ProviderShare(maxWaitingBytes)),
	}
	r.bytes.Set(r.ofBytes)
	return r
}

// set says how many places there are, and how many one user has in so many processes together, at least one in each; 0
// is any number.
func (r *room) set(all, ofUser, processes int) {
	r.of = turns.Limits{All: all, Together: int(ledger.ProviderShare(int64(all)))}
	if ofUser > 0 {
		r.of.Each = max(1, ofUser/processes)
	}
	r.share = ""
	if processes > 1 {
		r.share = fmt.Sprintf(", this process's part of %d for %d processes", ofUser, processes)
	}
	r.places.Set(r.of)
}

func accountOf(who ledger.Identity) turns.Account {
	return turns.Account{Name: ledger.IdentityText(who), Provider: who.SharedProvider()}
}

// enter takes a place with so many bytes, or says why there is none.
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

// full is the refusal of one more flight.
func (r *room) full(who ledger.Identity, short turns.Shortage) *fault.Fault {
	switch short {
	case turns.ShortForAccount:
		return fault.ParticipantBackpressure.New("%d commands of user %q %s, the most for one user%s%s", r.of.Each, who.UserID,
			r.doing, r.share, r.advice).With("reason", "too many commands of the user "+r.kind)
	case turns.ShortForProvider:
		return fault.ParticipantBackpressure.New("%d commands of users of identity provider %q %s, the most for all of them "+
			"together%s", r.of.Together, who.SharedProvider(), r.doing, r.advice).
			With("reason", "too many commands of the identity provider")
	default:
		return fault.ParticipantBackpressure.New(
			"The participant is currently overloaded: %d commands %s, the most it takes%s", r.of.All, r.doing, r.advice).
			With("reason", "too many commands "+r.kind)
	}
}

// fullOfBytes is the refusal of one more flight of so many bytes.
func (r *room) fullOfBytes(who ledger.Identity, bytes int, short turns.Shortage) *fault.Fault {
	if short == turns.ShortForProvider {
		return fault.ParticipantBackpressure.New("Commands of users of identity provider %q %s; %d bytes more are too many, "+
			"since %d of all of them together may%s", who.SharedProvider(), r.doing, bytes, r.ofBytes.Together, r.advice).
			With("reason", "too many bytes of commands of the identity provider "+r.kind)
	}
	return fault.ParticipantBackpressure.New("Commands of %d bytes %s, %d of them of user %q; %d more are too many, since %d "+
		"may in all, and %d of one user%s", r.bytes.Taken(), r.doing, r.bytes.TakenBy(accountOf(who)), who.UserID, bytes,
		r.ofBytes.All, r.ofBytes.Each, r.advice).With("reason", "too many bytes of commands "+r.kind)
}
