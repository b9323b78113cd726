package admission

import (
	"cmp"
	"time"
)

// The defaults of the limits. Rates are not limited by default.
const (
	DefaultRequests     = 1024
	DefaultUserRequests = 256
	DefaultReads        = 16
	DefaultUserReads    = 4
	DefaultStreams      = 10_000
	DefaultUserStreams  = 1000

	DefaultBodyMemory     = 64 << 20
	DefaultUserBodyMemory = 24 << 20

	DefaultAnswer           = 32 << 20
	DefaultAnswerMemory     = 128 << 20
	DefaultUserAnswerMemory = 48 << 20

	DefaultAnonymousRequests = 64
	DefaultAnonymousShare    = 1
)

// Options say how much callers may ask for. The zero value means the defaults.
type Options struct {
	// Requests is how many requests may be served at once. Waiting for a slow client does not count.
	Requests int
	// UserRequests is how many requests of one user may be served at once, so that no user takes all of Requests.
	UserRequests int
	// Reads is how many requests that change nothing may be worked on at once: further ones wait. Connections to the
	// database are left for commits, however many read. Waiting for news, or for a slow client, does not count.
	Reads int
	// UserReads is how many of them may be one user's while nobody else reads.
	UserReads int
	// Streams is how many streams may be open at once.
	Streams int
	// UserStreams is how many of them may be one user's. Streams without a usable token count as those of one user.
	UserStreams int
	// AnonymousRequests is how many requests without a usable token may be served or wait for their turn at once, and how
	// many streams may be open; negative: none. The requests have places of their own, not those of Requests.
	AnonymousRequests int
	// AnonymousShare is how many of them are worked on at once, over time: what is left of the node is for users.
	AnonymousShare float64
	// BodyMemory is how many bytes of long request bodies may be held and decoded at once. The first 64 KiB of each do
	// not count, so that usual requests are served whatever others send. Requests of open streams may take as much again:
	// of each, the first 4 KiB do not count.
	BodyMemory int64
	// UserBodyMemory is how many of them may be one user's.
	UserBodyMemory int64
	// Answer is how many bytes one answer may have, and how many bytes of the record it may be made of.
	Answer int64
	// AnswerMemory is how many bytes all answers in the making may hold, of the record or made of it, until their clients
	// have them. The first 64 KiB of each do not count, for as many answers as Requests and UserRequests say.
	AnswerMemory int64
	// UserAnswerMemory is how many of them may be one user's.
	UserAnswerMemory int64
	// UserRate is how many requests each user may make in a second; 0 for any number.
	UserRate float64
	// RefusalRate is how many refusals of requests that were one too many are answered in a second, after as many at
	// once; further ones are held back, for ten seconds at most. Clients that ask again at once, whatever they are told,
	// would otherwise take the time that it takes to serve others. 0 holds nothing back.
	RefusalRate float64
	// Now is the clock of the rates; required where there are any.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.Requests = cmp.Or(o.Requests, DefaultRequests)
	o.UserRequests = cmp.Or(o.UserRequests, DefaultUserRequests)
	o.Reads = cmp.Or(o.Reads, DefaultReads)
	o.UserReads = cmp.Or(o.UserReads, DefaultUserReads)
	o.Streams = cmp.Or(o.Streams, DefaultStreams)
	o.UserStreams = cmp.Or(o.UserStreams, DefaultUserStreams)
	o.AnonymousRequests = cmp.Or(o.AnonymousRequests, DefaultAnonymousRequests)
	o.AnonymousShare = cmp.Or(o.AnonymousShare, DefaultAnonymousShare)
	o.BodyMemory = cmp.Or(o.BodyMemory, DefaultBodyMemory)
	o.UserBodyMemory = cmp.Or(o.UserBodyMemory, DefaultUserBodyMemory)
	o.Answer = cmp.Or(o.Answer, DefaultAnswer)
	o.AnswerMemory = cmp.Or(o.AnswerMemory, DefaultAnswerMemory)
	o.UserAnswerMemory = cmp.Or(o.UserAnswerMemory, DefaultUserAnswerMemory)
	return o
}
