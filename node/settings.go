package node

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/walletapi/instruments"
	"github.com/florinledger/florin/internal/hosts"
	"github.com/florinledger/florin/internal/secret"
)

// Settings are the settings of a node for every command that starts one. Flags override the environment.
type Settings struct {
	tokenSettings
	limitSettings
	automationSettings
	ledgerSettings
	profileSettings
	pageSettings
	logSettings

	AuthSecret     string `help:"Secret that signs HS256 tokens, for development. Default: the word unsafe." env:"FLORIN_AUTH_SECRET" secret:""`
	AuthSecretFile string `help:"File with the secret of --auth-secret, read again on SIGHUP." env:"FLORIN_AUTH_SECRET_FILE"`
	AuthAudience   string `help:"Audience that tokens must name." default:"https://canton.network.global" env:"FLORIN_AUTH_AUDIENCE"`
	AuthScope      string `help:"Scope that tokens may name instead of an audience; empty: no scope." default:"daml_ledger_api" env:"FLORIN_AUTH_SCOPE"`

	CorsOrigins []string `help:"Web origins whose pages may call the node, such as https://wallet.example; loopback: all origins on this machine; none: no origin; *: any origin. Default: none; for florin up: loopback." env:"FLORIN_CORS_ORIGINS"`

	Hosts []string `help:"Further host names that clients may use for the node and the Temporal UI. localhost and the listen address always work. *: any name. Default: any name if tokens come from an issuer (--auth-key-file or --auth-jwks-url); no other name if the node uses the shared secret." env:"FLORIN_HOSTS"`

	TokenRegistries []string `help:"Registries of tokens of uploaded packages, as PARTY=URL: the token's administrator and the URL below which it serves /registry. https, or http on this machine. The node calls no other registries." env:"FLORIN_TOKEN_REGISTRIES"`

	WebhookPrivateAddresses bool `help:"Let webhooks reach private addresses, and receivers without https. florin up always does." env:"FLORIN_WEBHOOK_PRIVATE_ADDRESSES"`

	MaxBatch      int           `help:"Maximum number of submissions in one workflow; 1: a workflow for each." default:"64" env:"FLORIN_MAX_BATCH"`
	MaxInFlight   int           `help:"Maximum number of submissions in flight." default:"1024" env:"FLORIN_MAX_IN_FLIGHT"`
	MaxCommitWait time.Duration `help:"Longest delay before /readyz answers 503. The delay counts while a submission has no completion, a commit waits for another session, or an activity keeps failing." default:"30s" env:"FLORIN_MAX_COMMIT_WAIT"`

	APIVersion     string        `name:"api-version" help:"Version that GET /v2/version reports." default:"3.5.0-SNAPSHOT" env:"FLORIN_API_VERSION"`
	ListLimit      int           `help:"Maximum number of elements in a list answer (Canton: http-list-max-elements-limit)." default:"200" env:"FLORIN_LIST_LIMIT"`
	RequestTimeout time.Duration `help:"Maximum time of a request." default:"20s" env:"FLORIN_REQUEST_TIMEOUT"`

	DatabaseConnections int32 `help:"Maximum number of database connections. The node opens one more for notifications." default:"32" env:"FLORIN_DATABASE_CONNECTIONS"`

	TemporalNamespace string `help:"Temporal namespace." default:"default" env:"FLORIN_TEMPORAL_NAMESPACE"`
}

// Validate checks the values. kong calls it.
func (s *Settings) Validate() error {
	if s.MaxBatch < 1 {
		return fmt.Errorf("--max-batch=%d: it must be at least 1, which gives each submission its own workflow", s.MaxBatch)
	}
	if s.MaxInFlight < 1 {
		return fmt.Errorf("--max-in-flight=%d: it must be at least 1", s.MaxInFlight)
	}
	if s.ListLimit < 1 {
		return fmt.Errorf("--list-limit=%d: it must be at least 1", s.ListLimit)
	}
	if s.DatabaseConnections < minDatabaseConnections {
		return fmt.Errorf("--database-connections=%d: it must be at least %d, for commits, streams and requests",
			s.DatabaseConnections, minDatabaseConnections)
	}
	if s.RequestTimeout <= 0 {
		return fmt.Errorf("--request-timeout=%s: it must be positive", s.RequestTimeout)
	}
	if _, err := api.ParseOrigins(s.CorsOrigins); err != nil {
		return fmt.Errorf("--cors-origins: %w", err)
	}
	if _, err := instruments.ParseRegistries(s.TokenRegistries); err != nil {
		return fmt.Errorf("--token-registries: %w", err)
	}
	if _, err := hosts.Parse(s.Hosts, "127.0.0.1:0"); err != nil {
		return fmt.Errorf("%s: %w", api.HostsFlag, err)
	}
	if err := errors.Join(s.tokenSettings.check(), s.limitSettings.check(), s.profileSettings.check(),
		s.pageSettings.check()); err != nil {
		return err
	}
	if _, err := s.Config(); err != nil {
		return err
	}
	if _, err := s.flagValues(); err != nil {
		return err
	}
	return nil
}

// allowedOrigins are the web origins whose pages may call the node. The default of a development ledger is every origin
// of this machine, so that an app on any port works.
func (s *Settings) allowedOrigins(development bool) (api.Origins, error) {
	if len(s.CorsOrigins) == 0 && development {
		return api.ParseOrigins([]string{api.LoopbackOrigins})
	}
	return api.ParseOrigins(s.CorsOrigins)
}

// hostNames are the host names that the node answers to. With the shared secret, a page whose own name leads here could
// guess the secret and make any token, so the node answers only to names that always mean this machine. With an issuer
// nobody can make tokens, and proxies choose names.
func (s *Settings) hostNames(listen string) (hosts.Names, error) {
	if len(s.Hosts) == 0 && s.HasIssuer() {
		return hosts.Names{}, nil
	}
	return hosts.Parse(s.Hosts, listen)
}

// ReadAuthSecret reads the secret of tokens from its file, if there is one.
func (s *Settings) ReadAuthSecret() error {
	value, err := secret.Of(s.AuthSecret, s.AuthSecretFile, "auth-secret")
	if err == nil {
		s.AuthSecret = cmp.Or(value, auth.DefaultSecret)
	}
	return err
}

// RemoteSettings name the database and the Temporal cluster of an installation.
type RemoteSettings struct {
	TemporalSettings
	ServingSettings
	DatabaseSettings

	StopDelay      time.Duration `help:"After a stop signal the API serves for this time, with /readyz at 503, so that load balancers use other nodes." default:"5s" env:"FLORIN_STOP_DELAY"`
	AttributeBytes int           `help:"Maximum bytes of one search attribute (Temporal's limit.searchAttributesSizeOfValue); it limits the size of batches." default:"1900" env:"FLORIN_ATTRIBUTE_BYTES"`
}

// ApiListenSettings are the address of the API of an installation.
type ApiListenSettings struct {
	Listen     string `help:"Address of the API." default:"127.0.0.1:7575" env:"FLORIN_LISTEN" common:""`
	GRPCListen string `name:"grpc-listen" help:"Address of the gRPC Ledger API, such as 127.0.0.1:6865; empty: off." env:"FLORIN_GRPC_LISTEN" common:""`
}

// WorkerListenSettings are the address for the health and metrics of a worker without an API. The default is a free
// port, because a machine may have several workers.
type WorkerListenSettings struct {
	Listen string `help:"Address at which the worker serves /livez, /readyz and /metrics; port 0: a free port." default:"127.0.0.1:0" env:"FLORIN_WORKER_LISTEN" common:""`
}

// minDatabaseConnections is enough for commits, streams and requests at the same time.
const minDatabaseConnections = 4

// Check checks the values. The name Validate would hide the method of [Settings].
func (s *RemoteSettings) Check() error {
	if !s.Named() {
		return errors.New("the database is missing: set its URL with --database-url, or a file with the URL with " +
			"--database-url-file")
	}
	if s.TemporalAddress == "" {
		return errors.New("the Temporal cluster is missing: set the address of its frontend with --temporal-address")
	}
	return errors.Join(s.TemporalSettings.check(), s.ServingSettings.check())
}
