package admission

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// What there is that no option changes.
const (
	// StreamReads is how many streams may read at once. However many are woken by one commit, connections to the database
	// are left for everybody else.
	StreamReads = 8
	// UserStreamReads is how many of them may be one user's.
	UserStreamReads = 4
	// DirectCommits is how many changes are committed at once without a submission: parties, users, rights, identity
	// providers. They are so few that commits of submissions find the head of the record free, and connections to the
	// database.
	DirectCommits = 8
	// UserDirectCommits is how many of them may be one user's.
	UserDirectCommits = 4
	// AnonymousTurns is how many requests without a token are worked on at the same moment.
	AnonymousTurns = 4
	// LargeAnswers is how many answers at once may hold more than others, for a row that is too large for these.
	LargeAnswers = 1
	// userRefusedStreams is how many streams of one user may be open until it was told that there is no place for them.
	userRefusedStreams = 16
)

// place is what there is only so much of.
type place int

const (
	requests place = iota
	// waiting has the requests that only wait for news.
	waiting
	reads
	streamReads
	commits
	// onboardings wait for a workflow, and other commits do not wait for them.
	onboardings
	anonymousRequests
	anonymousTurns
	anonymousStreams
	streams
	// refusedStreams have clients that have not been told yet that there is no place for them.
	refusedStreams
	bodyBytes
	// streamBytes are those of the requests of open streams: what stays for so long must not keep long bodies of other
	// requests away.
	streamBytes
	answerBytes
	// freeAnswers are those whose first bytes do not count.
	freeAnswers
	largeAnswers
	places
)

// row says how many there are of a place.
type row struct {
	turns.Limits
	// what they are, in refusals.
	what string
	// metric shows how many are taken; "" for none.
	metric string
	// whole is what one user has in all processes together; 0 where each process has a number of its own.
	whole int
	// patience is how long one waits for it; 0 for as long as the request may take.
	patience time.Duration
}

// readsBesideOthers is how many reads one user has at once while others read: half as many as there are processors, so
// that the others find one that is free.
func readsBesideOthers() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// table has all that there is only so much of. The users of each identity provider but the default one have half of it
// together.
func (s *settings) table() [places]row {
	ofProvider := func(all int) int { return int(ledger.ProviderShare(int64(all))) }
	shared := func(all, each int) turns.Limits {
		return turns.Limits{All: all, Each: each, Together: ofProvider(all)}
	}
	ofRequests := shared(s.Requests, s.UserRequests)
	ofBodies := shared(int(s.BodyMemory), int(s.UserBodyMemory))
	ofCommits := shared(DirectCommits, UserDirectCommits)
	ofReads, ofStreamReads := shared(s.Reads, s.UserReads), turns.Limits{All: StreamReads, Each: UserStreamReads}
	ofReads.Beside, ofStreamReads.Beside = readsBesideOthers(), readsBesideOthers()
	const readWait, commitWait, anonymousWait = 10 * time.Second, 15 * time.Second, 5 * time.Second
	const withoutToken = "requests without a valid token"
	return [places]row{
		requests:          {ofRequests, "running requests", "requests", s.whole.UserRequests, 0},
		waiting:           {ofRequests, "waiting requests", "waiting_requests", s.whole.UserRequests, 0},
		reads:             {Limits: ofReads, what: "reads", patience: readWait},
		streamReads:       {Limits: shared(StreamReads, UserStreamReads)},
		commits:           {Limits: ofCommits, what: "changes of users and parties", patience: commitWait},
		onboardings:       {Limits: ofCommits, what: "onboardings", patience: commitWait},
		anonymousRequests: {turns.Limits{All: s.AnonymousRequests}, withoutToken, "anonymous_requests", 0, 0},
		anonymousTurns:    {Limits: turns.Limits{All: AnonymousTurns}, what: withoutToken, patience: anonymousWait},
		anonymousStreams:  {Limits: turns.Limits{All: s.AnonymousRequests}, what: "streams without a valid token"},
		streams:           {shared(s.Streams, s.UserStreams), "open streams", "streams", s.whole.UserStreams, 0},
		refusedStreams:    {Limits: turns.Limits{Each: userRefusedStreams, Together: ofProvider(s.Streams)}},
		bodyBytes:         {ofBodies, "bytes of long request bodies", "request_bytes", 0, 0},
		streamBytes:       {ofBodies, "bytes of requests of open streams", "stream_request_bytes", 0, 0},
		answerBytes: {
			shared(int(s.AnswerMemory), int(s.UserAnswerMemory)), "bytes of unsent answers", "answer_bytes", 0, 0,
		},
		freeAnswers:  {Limits: ofRequests},
		largeAnswers: {Limits: turns.Limits{All: LargeAnswers}, what: "answers with an oversized row"},
	}
}

// try takes so many, or refuses.
func (l *Limits) try(in place, who turns.Account, count int) error {
	return l.refusal(in, who, l.places[in].Try(who, count))
}

// refusal says of what there is too little; nil when there is enough.
func (l *Limits) refusal(in place, who turns.Account, short turns.Shortage) error {
	if short == turns.NoShortage {
		return nil
	}
	now := l.now()
	row := now.rows[in]
	var text string
	switch {
	case short == turns.ShortForAll:
		text = fmt.Sprintf("The node already has %d %s, which is its limit.", max(0, row.All), row.what)
	case short == turns.ShortForProvider:
		text = fmt.Sprintf("The users of identity provider %q already have %d %s, which is their limit.", who.Provider,
			row.Together, row.what)
	case who.Name == nobody:
		text = fmt.Sprintf("Callers without a valid token already have %d %s, which is their limit.", row.Each, row.what)
	default:
		each := strconv.Itoa(row.Each)
		if row.whole != 0 {
			each = partText(row.Each, row.whole, now.processes)
		}
		text = fmt.Sprintf("User %q already has %s %s, which is the limit of one user.", who.Name, each, row.what)
	}
	if in == streams {
		return fault.MaximumNumberOfStreams.New("%s", text)
	}
	return Overloaded(RetryAfter, "%s", text)
}

// errLate is why one no longer waits for its turn.
var errLate = errors.New("its turn did not come in time")

// take waits for one, for as long as the table says. Call release once when it is over.
func (l *Limits) take(ctx context.Context, in place, who turns.Account) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if l.places[in].Try(who, 1) == turns.NoShortage {
		return func() { l.places[in].Give(who, 1) }, nil
	}
	row := l.now().rows[in]
	if row.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, row.patience, errLate)
		defer cancel()
	}
	release, err = l.places[in].Take(ctx, who)
	if errors.Is(err, errLate) {
		ofUser := ""
		if row.Each > 0 {
			ofUser = fmt.Sprintf(", at most %d of one user", row.Each)
		}
		err = Overloaded(RetryAfter, "The node handles %d %s at the same time%s, and this request got no turn within %s.",
			row.All, row.what, ofUser, row.patience)
	}
	return release, err
}

// part is what one of so many processes has of a share that they have together: at least one.
func part(whole, processes int) int { return max(1, whole/processes) }

// partText says a part, and what it is part of.
func partText[T int | float64](part, whole T, processes int) string {
	if processes <= 1 {
		return fmt.Sprint(whole)
	}
	const decimals = 1000
	return fmt.Sprintf("%v (this process's part of %v for %d processes)",
		math.Round(float64(part)*decimals)/decimals, whole, processes)
}
