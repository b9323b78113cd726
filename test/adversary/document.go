package adversary

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// route is an endpoint in the node's documents.
type route struct {
	method, path string
	// query are the names of its parameters in the query.
	query []string
	// keyed: it accepts an Idempotency-Key.
	keyed bool
	// example of the body; nil without one.
	example any
	// binary: the body is not JSON.
	binary bool
	// public: it needs no token.
	public bool
	// stream: it is a WebSocket.
	stream bool
}

func (r route) String() string {
	if r.stream {
		return "STREAM " + r.path
	}
	return r.method + " " + r.path
}

// documents are the paths of the node's API documents.
func documents() []string { return []string{"/docs/openapi", "/docs/openapi/validator"} }

// routes reads the routes from the node's documents. The documents are routes, too.
func routes(ctx context.Context, client *http.Client, base string) ([]route, error) {
	var all []route
	for _, path := range append(documents(), "/docs", "/docs/asyncapi", "/readyz") {
		all = append(all, route{method: http.MethodGet, path: path, public: true})
	}
	for _, path := range documents() {
		found, err := describedRoutes(ctx, client, base+path)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	streams, err := describedStreams(ctx, client, base+"/docs/asyncapi", all)
	if err != nil {
		return nil, err
	}
	all = append(all, streams...)
	slices.SortFunc(all, func(a, b route) int { return cmp.Compare(a.String(), b.String()) })
	return slices.CompactFunc(all, func(a, b route) bool { return a.String() == b.String() }), nil
}

func fetchDocument(ctx context.Context, client *http.Client, url string, into any) error {
	read, err := send(ctx, client, request{
		method: http.MethodGet, url: url, header: map[string]string{"Accept": "application/json"},
	})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(read.body, into); err != nil {
		return fmt.Errorf("read %s (HTTP %d): %w", url, read.status, err)
	}
	return nil
}

func describedRoutes(ctx context.Context, client *http.Client, url string) (all []route, err error) {
	type operation struct {
		Parameters []struct{ Name, In string }
		Security   []any
		Body       *struct {
			Content map[string]struct{ Example any }
		} `json:"requestBody"`
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := fetchDocument(ctx, client, url, &document); err != nil {
		return nil, err
	}
	for path, operations := range document.Paths {
		for method, raw := range operations {
			var described operation
			if json.Unmarshal(raw, &described) != nil {
				continue // it is for all operations of the path
			}
			found := route{method: strings.ToUpper(method), path: path, public: len(described.Security) == 0}
			for _, parameter := range described.Parameters {
				switch {
				case parameter.In == "query":
					found.query = append(found.query, parameter.Name)
				case parameter.Name == "Idempotency-Key":
					found.keyed = true
				}
			}
			if described.Body != nil {
				content, isJSON := described.Body.Content["application/json"]
				found.example, found.binary = content.Example, !isJSON
			}
			all = append(all, found)
		}
	}
	return all, nil
}

// describedStreams are the streams, each with the example of the route with its path.
func describedStreams(ctx context.Context, client *http.Client, url string, all []route) (streams []route, err error) {
	var document struct{ Channels map[string]any }
	if err := fetchDocument(ctx, client, url, &document); err != nil {
		return nil, err
	}
	for path := range document.Channels {
		stream := route{method: http.MethodGet, path: path, stream: true}
		for _, other := range all {
			if other.path == path && other.example != nil {
				stream.example = other.example
			}
		}
		streams = append(streams, stream)
	}
	return streams, nil
}

var (
	parameterPattern = regexp.MustCompile(`\{([^}]*)\}`)
	partyPattern     = regexp.MustCompile(`^[A-Za-z0-9 _:-]+::1220[0-9a-f]+$`)
	contractPattern  = regexp.MustCompile(`^00[0-9a-f]{10,}$`)
	updatePattern    = regexp.MustCompile(`^#?1220[0-9a-f]{64}(:\d+)?$`)
)

// named makes a value for a parameter or a field by its name; ok is false for other names.
func (m maker) named(field string) (text string, ok bool) {
	switch lower := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(field)); {
	case lower == "userid" || lower == "username" || lower == "name":
		return pick(m.random, m.known.users), true
	case strings.Contains(lower, "tracking") || lower == "deduplicationid" || lower == "commandid":
		return pick(m.random, m.known.trackingIDs()), true
	case strings.Contains(lower, "memberid"):
		return m.known.member, true
	case strings.Contains(lower, "domainid") || strings.Contains(lower, "synchronizer"):
		return m.known.synchronizer, true
	case strings.Contains(lower, "party") || strings.Contains(lower, "parties"), lower == "sender", lower == "receiver":
		return pick(m.random, m.known.parties()), true
	case strings.Contains(lower, "contractid") || lower == "allocationid" || lower == "transferinstructionid":
		return m.contractID("contract"), true
	case strings.Contains(lower, "identityprovider") || lower == "idpid":
		return pick(m.random, []string{"", tenant, "nobody"}), true
	case strings.Contains(lower, "updateid") && len(m.known.updates) > 0:
		return pick(m.random, m.known.updates), true
	case strings.Contains(lower, "offset"):
		return strconv.FormatInt(m.random.Int64N(m.known.offset+2), 10), true
	case lower == "kind":
		return pick(m.random, []string{"rounds", "rewards", "expiry", "wallet-sweep", "top-up", "nothing"}), true
	default:
		return "", false
	}
}

// like makes a value like an example, with other parties, contracts and names.
func (m maker) like(example any, field string) any {
	switch example := example.(type) {
	case map[string]any:
		made := object{}
		for key, value := range example {
			made[key] = m.like(value, key)
		}
		return made
	case []any:
		made := []any{}
		for _, value := range example {
			made = append(made, m.like(value, field))
		}
		return made
	case string:
		return m.likeText(example, field)
	default:
		return example
	}
}

func (m maker) likeText(example, field string) string {
	switch {
	case strings.HasPrefix(example, "DSO::"):
		return m.known.dso
	case strings.HasPrefix(example, "global-domain::"):
		return m.known.synchronizer
	case strings.HasPrefix(example, "PAR::"):
		return m.known.member
	case partyPattern.MatchString(example):
		return pick(m.random, append(m.known.parties(), m.self, m.self, m.self))
	case contractPattern.MatchString(example):
		return m.contractID(field)
	case updatePattern.MatchString(example) && len(m.known.updates) > 0:
		return pick(m.random, m.known.updates)
	}
	if text, ok := m.named(field); ok {
		return text
	}
	return example
}
