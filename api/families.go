package api

import (
	"net/http"
	"strings"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/internal/hosts"
	"github.com/florinledger/florin/ledger"
)

// family is a list of endpoints whose errors have one form.
type family struct {
	server    *endpoint.Server
	endpoints []endpoint.Endpoint
}

// validatorFamilies are the endpoints that a validator, scan and a registry have beside the JSON Ledger API. The realm
// of each is what callers without a token are told.
func validatorFamilies(options Options) ([]family, error) {
	lists := []struct {
		realm     string
		auth      auth.Authenticator
		endpoints []endpoint.Endpoint
	}{
		{"splice validator realm", options.Tokens, options.Registry.Validator()},
		{"splice scan realm", options.Tokens, options.Registry.Scan()},
		{"splice scan proxy realm", options.Tokens, options.Registry.ScanProxy()},
		{"splice wallet realm", options.Tokens, options.Wallet.Wallet()},
		{"splice wallet realm", options.Tokens, options.Wallet.Traffic()},
		{"splice ans realm", options.Tokens, options.Wallet.Names()},
		{"splice validator realm", options.Tokens, options.Wallet.Validator()},
		{"splice validator operator realm", options.Tokens, options.Wallet.Operator()},
		{"splice validator operator realm", options.Auth, options.Operator.Endpoints()},
		{"florin development realm", options.Auth, options.Clock.Endpoints()},
	}
	families := make([]family, len(lists))
	for i, list := range lists {
		server, err := endpoint.NewServer(endpoint.Options{
			Auth: list.auth, Failures: v0.Failures(list.realm), Unreadable: v0.Unreadable, Logger: options.Logger,
			WrongMethod: v0.WrongMethod, EncodesTimeouts: true, PlainTexts: true, MaxTextBytes: ledger.MaxTextBytes,
			Now: options.Now, MaxBodyBytes: options.MaxBodyBytes, RequestTimeout: options.RequestTimeout,
			Limits: options.Limits, Around: options.Changes.Around,
		})
		if err != nil {
			return nil, err
		}
		families[i] = family{server: server, endpoints: list.endpoints}
	}
	return families, nil
}

// validatorPath is what clients put before the paths of a validator, whose own base path it is on the public network.
const validatorPath = "/api/validator"

// scanPath is that of scan, whose endpoints have paths of their own but for how it is.
const scanPath = "/api/scan"

// aboutNode reports whether a path is one of those that tell about the node, which every part of a network has.
func aboutNode(path string) bool {
	switch path {
	case "/livez", "/readyz", "/version", livenessPath, readinessPath:
		return true
	default:
		return false
	}
}

// secondTransfers are the paths of transfers by version 2 of the token standard below /api/validator, which take and
// answer the same as those of version 1 in firstTransfers. At the root, /v2 is the JSON Ledger API's alone.
const (
	secondTransfers = "/v2/wallet/token-standard/"
	firstTransfers  = "/v0/wallet/token-standard/"
)

// stripValidator serves everything under /v0 and /v1 below /api/validator as well, and what tells about the node there
// and below /api/scan.
func stripValidator(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, prefix := range []string{validatorPath, scanPath} {
			path, found := strings.CutPrefix(r.URL.Path, prefix)
			if !found {
				continue
			}
			raw := strings.TrimPrefix(r.URL.RawPath, prefix)
			if prefix == validatorPath {
				path, raw = ofFirstVersion(path), ofFirstVersion(raw)
			}
			if aboutNode(path) || prefix == validatorPath && ofValidator(path) {
				r = r.Clone(r.Context())
				r.URL.Path, r.URL.RawPath = path, raw
			}
		}
		next.ServeHTTP(w, r)
	})
}

// dropLastSlash serves the paths of the JSON Ledger API with a slash behind them as well, as the original does; those
// of the other families end without one there.
func dropLastSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, found := strings.CutSuffix(r.URL.Path, "/")
		if found && (strings.HasPrefix(path, "/v2/") || aboutNode(path)) {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = path, strings.TrimSuffix(r.URL.RawPath, "/")
		}
		next.ServeHTTP(w, r)
	})
}

// ofFirstVersion is the path of version 1 for one of secondTransfers, and any other path itself.
func ofFirstVersion(path string) string {
	if rest, found := strings.CutPrefix(path, secondTransfers); found {
		return firstTransfers + rest
	}
	return path
}

// ofValidator reports whether a path belongs to the validator's API.
func ofValidator(path string) bool {
	return strings.HasPrefix(path, "/v0/") || strings.HasPrefix(path, "/v1/")
}

// ofFamilies reports whether a path looks like one of the APIs beside the JSON Ledger API.
func ofFamilies(path string) bool {
	return ofValidator(path) || strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/registry/")
}

// misdirected answers requests under a host name that the node is not served under in the form of their API.
func misdirected(ledger, validator *endpoint.Server) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text := hosts.Refusal(r.Host, HostsFlag)
		if ofFamilies(r.URL.Path) {
			validator.Refuse(w, r, v0.Refuse(http.StatusMisdirectedRequest, "%s", text))
			return
		}
		ledger.Misdirected(w, r, text)
	}
}

// preflight answers what browsers ask before they let a page call the node; refusals are in the form of the path's API.
func preflight(ledger, validator *endpoint.Server) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if ofFamilies(r.URL.Path) {
			validator.Preflight(w, r)
			return
		}
		ledger.Preflight(w, r)
	}
}

// wrongMethod answers methods that a path does not take in the form of its API.
func wrongMethod(ledger, validator *endpoint.Server) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if ofFamilies(r.URL.Path) {
			validator.MethodNotAllowed(w, r)
			return
		}
		ledger.MethodNotAllowed(w, r)
	}
}

// notFound answers paths that do not exist in the form of the API that they look like.
func notFound(ledger, validator *endpoint.Server) http.HandlerFunc {
	unknown := v0.NotFoundPath(validator)
	return func(w http.ResponseWriter, r *http.Request) {
		if ofFamilies(r.URL.Path) {
			unknown(w, r)
			return
		}
		ledger.NotFound(w, r)
	}
}
