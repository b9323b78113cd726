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

// Options are the limits of callers. The zero value means the defaults.
type Options struct {
	// Requests is the maximum number of running requests. Waiting for a slow client does not count.
	Requests int
	// UserRequests is the maximum number of running requests of one user.
	UserRequests int
	// Reads is the maximum number of concurrent reads; more wait. It leaves database connections for commits. Waiting for
	// new entries or a slow client does not count.
	Reads int
	// UserReads is the maximum number of reads of one user while nobody else reads.
	UserReads int
	// Streams is the maximum number of open streams.
	Streams int
	// UserStreams is the maximum number of open streams of one user. Streams without a valid token count as one user.
	UserStreams int
	// AnonymousRequests is the maximum number of running and waiting requests without a valid token, and of such streams;
	// negative: none. They do not count for Requests.
	AnonymousRequests int
	// AnonymousShare is the average number of such requests that run at the same time; the rest of the node is for users.
	AnonymousShare float64
	// BodyMemory is the maximum number of bytes of long request bodies in memory. The first 64 KiB of each do not count,
	// so that usual requests succeed under any load. Requests of open streams have a separate limit of the same size; of
	// each, the first 4 KiB do not count.
	BodyMemory int64
	// UserBodyMemory is the part of BodyMemory for one user.
	UserBodyMemory int64
	// Answer is the maximum size of one answer, and of the entries of the record that it is made of.
	Answer int64
	// AnswerMemory is the maximum number of bytes of all unsent answers and of the entries that they are made of. The
	// first 64 KiB of each do not count, for as many answers as Requests and UserRequests say.
	AnswerMemory int64
	// UserAnswerMemory is the part of AnswerMemory for one user.
	UserAnswerMemory int64
	// UserRate is the maximum number of requests of one user a second; 0 for no limit.
	UserRate float64
	// RefusalRate is the maximum number of 429 answers a second, with a burst of the same number; the rest are delayed by
	// up to ten seconds. Otherwise clients that retry at once would use up the time of other requests. 0 delays nothing.
	RefusalRate float64
	// Now is the clock; required with rates.
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
