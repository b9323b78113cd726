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

// Limits without an option.
const (
	// StreamReads is the maximum number of concurrent reads of streams. It leaves database connections for other requests
	// when a commit wakes many streams.
	StreamReads = 8
	// UserStreamReads is the part of StreamReads for one user.
	UserStreamReads = 4
	// DirectCommits is the maximum number of concurrent commits without a submission: parties, users, rights, identity
	// providers. So submissions find the head lock and database connections free.
	DirectCommits = 8
	// UserDirectCommits is the part of DirectCommits for one user.
	UserDirectCommits = 4
	// Messages is the maximum number of messages of calls that are on their way at the same time: their bytes are known
	// only at the end.
	Messages = 128
	// UserMessages is the part of Messages for one user.
	UserMessages = 32
	// AnonymousTurns is the maximum number of requests without a token that run at the same time.
	AnonymousTurns = 4
	// LargeAnswers is the maximum number of concurrent answers with an oversized row.
	LargeAnswers = 1
	// userRefusedStreams is the maximum number of refused streams of one user that wait for their client to read the
	// refusal.
	userRefusedStreams = 16
)

// place is a limited resource.
type place int

const (
	requests place = iota
	// waiting counts requests that wait for new entries.
	waiting
	reads
	streamReads
	commits
	// onboardings wait for a workflow; other commits must not wait for them.
	onboardings
	anonymousRequests
	anonymousTurns
	anonymousStreams
	streams
	// refusedStreams counts streams whose client has not read the refusal yet.
	refusedStreams
	// messages counts messages of calls that are on their way.
	messages
	bodyBytes
	// streamBytes counts requests of open streams. They are separate because they stay for long and must not block long
	// bodies.
	streamBytes
	answerBytes
	// freeAnswers counts answers with free first bytes.
	freeAnswers
	largeAnswers
	places
)

// row is the limit of a place.
type row struct {
	turns.Limits
	// what names the place in refusals.
	what string
	// metric is the label of its use; "" for none.
	metric string
	// whole is the limit of one user in all processes together; 0 if each process has its own.
	whole int
	// patience is the maximum wait; 0 for the time of the request.
	patience time.Duration
}

// readsBesideOthers is the number of concurrent reads of one user while others read: half the processors, so that
// others find a free one.
func readsBesideOthers() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// table lists all limits. The users of each identity provider except the default one get half of a limit together.
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
		messages: {
			Limits: shared(min(Messages, s.Requests), min(UserMessages, s.UserRequests)), what: "messages on their way",
			patience: readWait,
		},
		bodyBytes:   {ofBodies, "bytes of long request bodies", "request_bytes", 0, 0},
		streamBytes: {ofBodies, "bytes of requests of open streams", "stream_request_bytes", 0, 0},
		answerBytes: {
			shared(int(s.AnswerMemory), int(s.UserAnswerMemory)), "bytes of unsent answers", "answer_bytes", 0, 0,
		},
		freeAnswers:  {Limits: ofRequests},
		largeAnswers: {Limits: turns.Limits{All: LargeAnswers}, what: "answers with an oversized row"},
	}
}

// try takes count places, or refuses.
func (l *Limits) try(in place, account turns.Account, count int) error {
	return l.refusal(in, account, l.places[in].Try(account, count))
}

// refusal converts a shortage to an error; nil for none.
func (l *Limits) refusal(in place, account turns.Account, short turns.Shortage) error {
	if short == turns.NoShortage {
		return nil
	}
	now := l.now()
	row := now.rows[in]
	var text string
	switch {
	case short == turns.ShortForAll:
		text = fmt.Sprintf("The node has reached its limit of %s: %d.", row.what, max(0, row.All))
	case short == turns.ShortForProvider:
		text = fmt.Sprintf("The users of identity provider %q have reached their limit of %s: %d.", account.Provider, row.what,
			row.Together)
	case account.Name == nobody:
		text = fmt.Sprintf("Callers without a valid token have reached their limit of %s: %d.", row.what, row.Each)
	default:
		each := strconv.Itoa(row.Each)
		if row.whole != 0 {
			each = partText(row.Each, row.whole, now.processes)
		}
		text = fmt.Sprintf("User %q has reached the per-user limit for %s: %s.", account.Name, row.what, each)
	}
	if in == streams {
		return fault.MaximumNumberOfStreams.New("%s", text)
	}
	return Overloaded(RetryAfter, "%s", text)
}

// errLate ends a wait after the row's patience.
var errLate = errors.New("its turn did not come in time")

// take waits for a place, up to the row's patience. Call release once at the end.
func (l *Limits) take(ctx context.Context, in place, account turns.Account) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if l.places[in].Try(account, 1) == turns.NoShortage {
		return func() { l.places[in].Give(account, 1) }, nil
	}
	row := l.now().rows[in]
	if row.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, row.patience, errLate)
		defer cancel()
	}
	release, err = l.places[in].Take(ctx, account)
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

// part is the part of one process of a shared limit: at least one.
func part(whole, processes int) int { return max(1, whole/processes) }

// partText shows a part together with the whole limit.
func partText[T int | float64](part, whole T, processes int) string {
	if processes <= 1 {
		return fmt.Sprint(whole)
	}
	const decimals = 1000
	return fmt.Sprintf("%v (this process's share: %v divided by %d processes)",
		math.Round(float64(part)*decimals)/decimals, whole, processes)
}
