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

// family is a list of endpoints with one error format.
type family struct {
	server    *endpoint.Server
	endpoints []endpoint.Endpoint
}

// validatorFamilies returns the endpoints of a validator, scan and a registry. Callers without a token get the realm.
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
		{"florin webhooks realm", options.Auth, options.Webhooks.Endpoints()},
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

// validatorPath is the base path of a validator on the public network, which clients put before its paths.
const validatorPath = "/api/validator"

// scanPath is the base path of scan. Only its health paths need it.
const scanPath = "/api/scan"

// aboutNode reports whether a path is a health or version path, which every part of a network has.
func aboutNode(path string) bool {
	switch path {
	case "/livez", "/readyz", "/version", livenessPath, readinessPath:
		return true
	default:
		return false
	}
}

// secondTransfers are the paths of token standard transfers in version 2, below /api/validator. Their requests and
// answers are those of version 1 in firstTransfers. At the root, /v2 belongs to the JSON Ledger API.
const (
	secondTransfers = "/v2/wallet/token-standard/"
	firstTransfers  = "/v0/wallet/token-standard/"
)

// stripValidator serves /v0 and /v1 also below /api/validator, and health paths there and below /api/scan.
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

// dropLastSlash accepts a slash at the end of JSON Ledger API paths, as upstream does. The other families do not.
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

// ofFirstVersion converts a path of secondTransfers to version 1; other paths stay.
func ofFirstVersion(path string) string {
	if rest, found := strings.CutPrefix(path, secondTransfers); found {
		return firstTransfers + rest
	}
	return path
}

func ofValidator(path string) bool {
	return strings.HasPrefix(path, "/v0/") || strings.HasPrefix(path, "/v1/")
}

// ofFamilies reports whether a path looks like one of the APIs besides the JSON Ledger API.
func ofFamilies(path string) bool {
	return ofValidator(path) || strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/registry/")
}

// misdirected answers requests with a foreign host name, in the format of their API.
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

// preflight answers CORS preflight requests, in the format of the path's API.
func preflight(ledger, validator *endpoint.Server) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if ofFamilies(r.URL.Path) {
			validator.Preflight(w, r)
			return
		}
		ledger.Preflight(w, r)
	}
}

// wrongMethod answers wrong methods, in the format of the path's API.
func wrongMethod(ledger, validator *endpoint.Server) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if ofFamilies(r.URL.Path) {
			validator.MethodNotAllowed(w, r)
			return
		}
		ledger.MethodNotAllowed(w, r)
	}
}

// notFound answers unknown paths, in the format of the API that they look like.
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
