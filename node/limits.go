package node

import (
	"fmt"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/admission"
)

// limitSettings keep one caller from taking the whole capacity of the node.
type limitSettings struct {
	MaxRequests     int     `help:"Maximum number of requests at the same time; the node refuses more (429)." default:"1024" env:"FLORIN_MAX_REQUESTS"`
	MaxUserRequests int     `help:"Maximum number of requests of one user at the same time." default:"256" env:"FLORIN_MAX_USER_REQUESTS"`
	UserRate        float64 `help:"Maximum number of requests of one user in a second; 0: any number." default:"0" env:"FLORIN_USER_RATE"`
	MaxReads        int     `help:"Maximum number of reads at the same time; one user gets at most a quarter. Further reads wait." default:"16" env:"FLORIN_MAX_READS"`
	MaxUserInFlight int     `help:"Maximum number of submissions of one user without a completion yet." default:"768" env:"FLORIN_MAX_USER_IN_FLIGHT"`
	MaxStreams      int     `help:"Maximum number of open streams, by WebSocket and gRPC." default:"10000" env:"FLORIN_MAX_STREAMS"`
	MaxUserStreams  int     `help:"Maximum number of open streams of one user, by WebSocket and gRPC." default:"1000" env:"FLORIN_MAX_USER_STREAMS"`
	MaxBody         int64   `help:"Maximum size of a request body in bytes." default:"10485760" env:"FLORIN_MAX_BODY"`
	MaxMemory       int64   `help:"Maximum memory for request bodies and answers, in bytes. Bodies get one third, answers the rest. One user gets at most three eighths of each." default:"201326592" env:"FLORIN_MAX_MEMORY"`
}

// refusalRate limits the 429 answers a second. The node delays further ones, so that a client gains nothing by trying
// again at once.
const refusalRate = 300

// bodiesInMemory is the number of bodies of maximum size that must fit into --max-memory, so that one of them fits into
// the share of a user.
const bodiesInMemory = 8

func (s limitSettings) check() error {
	for _, limit := range []struct {
		flag  string
		value int64
	}{
		{"max-requests", int64(s.MaxRequests)},
		{"max-user-requests", int64(s.MaxUserRequests)},
		{"max-reads", int64(s.MaxReads)},
		{"max-user-in-flight", int64(s.MaxUserInFlight)},
		{"max-streams", int64(s.MaxStreams)},
		{"max-user-streams", int64(s.MaxUserStreams)},
		{"max-body", s.MaxBody},
		{"max-memory", s.MaxMemory},
	} {
		if limit.value < 1 {
			return fmt.Errorf("--%s=%d: it must be at least 1", limit.flag, limit.value)
		}
	}
	if s.MaxMemory/bodiesInMemory < s.MaxBody {
		return fmt.Errorf("--max-memory=%d: it must be at least %d times --max-body=%d, so that one user can send such a body",
			s.MaxMemory, bodiesInMemory, s.MaxBody)
	}
	if !(s.UserRate >= 0) { // NaN is no rate either
		return fmt.Errorf("--user-rate=%g: it must not be negative; 0 limits nothing", s.UserRate)
	}
	return nil
}

func (s limitSettings) limitOptions() admission.Options {
	bodies := s.MaxMemory / 3
	answers := s.MaxMemory - bodies
	ofUser := func(memory int64) int64 { return max(1, memory/8*3) }
	return admission.Options{
		Requests: s.MaxRequests, UserRequests: s.MaxUserRequests,
		Streams: s.MaxStreams, UserStreams: s.MaxUserStreams,
		Reads: s.MaxReads, UserReads: max(1, s.MaxReads/4),
		BodyMemory: bodies, UserBodyMemory: ofUser(bodies),
		Answer: max(1, answers/4), AnswerMemory: answers, UserAnswerMemory: ofUser(answers),
		UserRate: s.UserRate, RefusalRate: refusalRate,
		Now: time.Now,
	}
}

func (n *Node) serverOptions() api.ServerOptions {
	return api.ServerOptions{RequestTimeout: n.options.Settings.RequestTimeout, Logger: n.options.Log}
}
