package node

import (
	"fmt"
	"math"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
)

// limitSettings keep one caller from taking what is there for all, and clients that are slow from holding anything up.
type limitSettings struct {
	MaxRequests     int     `help:"Most requests that are served at once; more are refused (429)." default:"1024" env:"FLORIN_MAX_REQUESTS"`
	MaxUserRequests int     `help:"Most requests of one user that are served at once." default:"256" env:"FLORIN_MAX_USER_REQUESTS"`
	MaxUserInFlight int     `help:"Most submissions of one user that may be on their way at once." default:"768" env:"FLORIN_MAX_USER_IN_FLIGHT"`
	MaxUserStreams  int     `help:"Most WebSocket streams that one user may have open." default:"1000" env:"FLORIN_MAX_USER_STREAMS"`
	UserRate        float64 `help:"Most requests of one user in a second; 0: any number." default:"0" env:"FLORIN_USER_RATE"`
	PartyRate       float64 `help:"Most submissions that act as one party in a second; 0: any number." default:"0" env:"FLORIN_PARTY_RATE"`
	RefusalRate     float64 `help:"How many refusals of requests that are one too many are answered in a second; further ones are held back, so that asking again at once gains nothing. 0: any number." default:"300" env:"FLORIN_REFUSAL_RATE"`
	AddressRate     float64 `help:"Most requests without a usable token from one address in a second; 0: any number." default:"200" env:"FLORIN_ADDRESS_RATE"`

	MaxAnonymousRequests int     `help:"Most requests without a usable token that are served, or wait for their turn, at once." default:"64" env:"FLORIN_MAX_ANONYMOUS_REQUESTS"`
	MaxAddressRequests   int     `help:"Most requests without a usable token from one address that are served, or wait for their turn, at once." default:"32" env:"FLORIN_MAX_ADDRESS_REQUESTS"`
	AnonymousShare       float64 `help:"How many requests without a usable token are worked on at once, over time; 0: as many as have a turn." default:"1" env:"FLORIN_ANONYMOUS_SHARE"`

	MaxReads     int `help:"Most requests that change nothing and are worked on at once; more wait." default:"16" env:"FLORIN_MAX_READS"`
	MaxUserReads int `help:"Most of them that are one user's." default:"4" env:"FLORIN_MAX_USER_READS"`

	MaxBody       int64 `help:"Most bytes of a request body." default:"10485760" env:"FLORIN_MAX_BODY"`
	MaxBodyMemory int64 `help:"Most bytes of long request bodies that are held at once." default:"67108864" env:"FLORIN_MAX_BODY_MEMORY"`

	MaxUserBodyMemory int64 `help:"Most bytes of long request bodies of one user that are held at once." default:"25165824" env:"FLORIN_MAX_USER_BODY_MEMORY"`

	MaxAnswer           int64 `help:"Most bytes of one answer, and of the record that it is made of." default:"33554432" env:"FLORIN_MAX_ANSWER"`
	MaxAnswerMemory     int64 `help:"Most bytes that all answers in the making hold at once." default:"134217728" env:"FLORIN_MAX_ANSWER_MEMORY"`
	MaxUserAnswerMemory int64 `help:"Most bytes that answers to one user hold at once." default:"50331648" env:"FLORIN_MAX_USER_ANSWER_MEMORY"`

	MaxUserKeptAnswers int64 `help:"Most answers to requests with an Idempotency-Key that are kept for one user." default:"100000" env:"FLORIN_MAX_USER_KEPT_ANSWERS"`
	MaxUserKeptBytes   int64 `help:"Most bytes of those answers." default:"268435456" env:"FLORIN_MAX_USER_KEPT_BYTES"`

	MaxHeader    int `help:"Most bytes of the head of a request, the token included." default:"32768" env:"FLORIN_MAX_HEADER"`
	MaxDepth     int `help:"How deep the JSON of a request may be nested." default:"256" env:"FLORIN_MAX_DEPTH"`
	MaxElements  int `help:"Most elements of one array or object in a request." default:"10000" env:"FLORIN_MAX_ELEMENTS"`
	MaxValues    int `help:"Most values in the JSON of a request, those inside of others included." default:"200000" env:"FLORIN_MAX_VALUES"`
	MaxCommands  int `help:"Most commands of one submission." default:"1000" env:"FLORIN_MAX_COMMANDS"`
	MaxDisclosed int `help:"Most contracts that one submission discloses." default:"1000" env:"FLORIN_MAX_DISCLOSED"`
	MaxParties   int `help:"Most parties that one submission acts as, and reads as." default:"1000" env:"FLORIN_MAX_PARTIES"`

	MaxLedgerTimeAhead time.Duration `help:"How far ahead the minimum ledger time of a submission may be." default:"24h" env:"FLORIN_MAX_LEDGER_TIME_AHEAD"`

	MaxConnections        int `help:"Most connections that are open at once; more wait to be accepted." default:"16384" env:"FLORIN_MAX_CONNECTIONS"`
	MaxAddressConnections int `help:"Most connections from one address that are open at once; more are closed. Behind a proxy, as many as in all." default:"8192" env:"FLORIN_MAX_ADDRESS_CONNECTIONS"`

	HeaderTimeout  time.Duration `help:"How long a client may take to send the head of a request." default:"10s" env:"FLORIN_HEADER_TIMEOUT"`
	ReadTimeout    time.Duration `help:"How long a client may take to send a request." default:"30s" env:"FLORIN_READ_TIMEOUT"`
	WriteTimeout   time.Duration `help:"How long an answer may take, from the head of the request to its last byte." default:"1m" env:"FLORIN_WRITE_TIMEOUT"`
	IdleTimeout    time.Duration `help:"How long a connection may wait for its next request." default:"2m" env:"FLORIN_IDLE_TIMEOUT"`
	ClientPatience time.Duration `help:"How long the client of a stream may take to accept a frame." default:"1m" env:"FLORIN_CLIENT_PATIENCE"`
}

// check says what is wrong with limits: nothing can be served with a limit of nothing.
func (s limitSettings) check() error {
	for _, limit := range []struct {
		flag  string
		value int64
	}{
		{"max-requests", int64(s.MaxRequests)},
		{"max-user-requests", int64(s.MaxUserRequests)},
		{"max-user-in-flight", int64(s.MaxUserInFlight)},
		{"max-user-streams", int64(s.MaxUserStreams)},
		{"max-anonymous-requests", int64(s.MaxAnonymousRequests)},
		{"max-address-requests", int64(s.MaxAddressRequests)},
		{"max-reads", int64(s.MaxReads)},
		{"max-user-reads", int64(s.MaxUserReads)},
		{"max-body", s.MaxBody},
		{"max-body-memory", s.MaxBodyMemory},
		{"max-user-body-memory", s.MaxUserBodyMemory},
		{"max-answer", s.MaxAnswer},
		{"max-answer-memory", s.MaxAnswerMemory},
		{"max-user-answer-memory", s.MaxUserAnswerMemory},
		{"max-user-kept-answers", s.MaxUserKeptAnswers},
		{"max-user-kept-bytes", s.MaxUserKeptBytes},
		{"max-values", int64(s.MaxValues)},
		{"max-header", int64(s.MaxHeader)},
		{"max-depth", int64(s.MaxDepth)},
		{"max-elements", int64(s.MaxElements)},
		{"max-commands", int64(s.MaxCommands)},
		{"max-disclosed", int64(s.MaxDisclosed)},
		{"max-parties", int64(s.MaxParties)},
		{"max-connections", int64(s.MaxConnections)},
		{"max-address-connections", int64(s.MaxAddressConnections)},
	} {
		if limit.value < 1 {
			return fmt.Errorf("--%s=%d: it must be at least 1", limit.flag, limit.value)
		}
	}
	for _, timeout := range []struct {
		flag  string
		value time.Duration
	}{
		{"max-ledger-time-ahead", s.MaxLedgerTimeAhead},
		{"header-timeout", s.HeaderTimeout},
		{"read-timeout", s.ReadTimeout},
		{"write-timeout", s.WriteTimeout},
		{"idle-timeout", s.IdleTimeout},
		{"client-patience", s.ClientPatience},
	} {
		if timeout.value <= 0 {
			return fmt.Errorf("--%s=%s: it must be more than nothing", timeout.flag, timeout.value)
		}
	}
	for _, rate := range []struct {
		flag  string
		value float64
	}{
		{"user-rate", s.UserRate},
		{"party-rate", s.PartyRate},
		{"refusal-rate", s.RefusalRate},
		{"address-rate", s.AddressRate},
		{"anonymous-share", s.AnonymousShare},
	} {
		if !(rate.value >= 0) { // NaN is no rate either
			return fmt.Errorf("--%s=%g: it must not be negative; 0 limits nothing", rate.flag, rate.value)
		}
	}
	return nil
}

// limitOptions are those that the frames of the API share.
func (s limitSettings) limitOptions() endpoint.LimitOptions {
	share := s.AnonymousShare
	if share == 0 {
		share = math.Inf(1)
	}
	return endpoint.LimitOptions{
		Depth: s.MaxDepth, Elements: s.MaxElements, Values: s.MaxValues,
		Requests: s.MaxRequests, UserRequests: s.MaxUserRequests,
		AnonymousRequests: s.MaxAnonymousRequests, AddressRequests: s.MaxAddressRequests, AnonymousShare: share,
		Reads: s.MaxReads, UserReads: s.MaxUserReads,
		BodyMemory: s.MaxBodyMemory, UserBodyMemory: s.MaxUserBodyMemory,
		Answer: s.MaxAnswer, AnswerMemory: s.MaxAnswerMemory, UserAnswerMemory: s.MaxUserAnswerMemory,
		UserRate: s.UserRate, AddressRate: s.AddressRate, RefusalRate: s.RefusalRate,
		Now: time.Now,
	}
}

func (s limitSettings) counts() ledgerapi.Counts {
	return ledgerapi.Counts{Commands: s.MaxCommands, Disclosed: s.MaxDisclosed, Parties: s.MaxParties}
}

// serverOptions are the bounds of connections.
func (n *Node) serverOptions() api.ServerOptions {
	settings := n.options.Settings
	return api.ServerOptions{
		HeaderTimeout: settings.HeaderTimeout, ReadTimeout: settings.ReadTimeout, WriteTimeout: settings.WriteTimeout,
		IdleTimeout: settings.IdleTimeout, MaxHeaderBytes: settings.MaxHeader, RequestTimeout: settings.RequestTimeout,
		Logger: n.options.Log,
	}
}
