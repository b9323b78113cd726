package api_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// libraryWords are texts of libraries, which errors must not contain: they change with library versions or builds, and
// reveal types and files.
var libraryWords = regexp.MustCompile(`proto:|json:|x509:|asn1:|zip:|hex:|base64 data|base64:|strconv\.|\x{00A0}|` +
	`cannot unmarshal|invalid character|looking for beginning|unexpected end of JSON|unexpected EOF|Go struct|Go value|` +
	`time: (invalid|unknown|missing)|parsing time|net/url|invalid URL|invalid UTF-8|wire-format|` +
	`\b(activities|admin|auth|coin|db|decimal|endpoint|external|fault|ledger|ledgerapi|lf|onboarding|operatorapi|` +
	`prepared|registryapi|signing|topology|validator|walletapi|walletapp|big|reflect|http)\.[A-Z]\w*|` +
	`Key \(|Failing row|referenced from table|violates|SQLSTATE|` +
	`map\[string\]|interface \{|\.go:\d+|goroutine \d|runtime error|` +
	`(^|[ "'(])/(home|root|tmp|usr|var|etc|work)/`)

// garbage are values that no decoder accepts, or decodes to something unintended.
func garbage() []any {
	encoded := base64.StdEncoding.EncodeToString
	return []any{
		"!?%", "{", "00", "1220zz", "::", "9999-99-99T99:99:99Z", json.Number("1e999"), json.Number("-0.5"), "1e999999999",
		encoded([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), encoded([]byte{0x08, 0x80}),
		encoded([]byte("\x01{")), encoded([]byte(`\x01{"contractId":7}`)), encoded([]byte{0x0b}),
		map[string]any{"format": 7},
		[]any{[]any{}},
	}
}

// The test sends garbage in bodies, fields, parameters and tokens. Errors have only texts of the API.
//
// contract: error-words
func TestErrorTexts_ContainNoWordsOfLibraries(t *testing.T) {
	t.Parallel()
	coin := apitest.NewWithCoin(t, apitest.Options{})
	coin.Onboard("alice")
	for document, s := range map[string]*apitest.Server{
		"/docs/openapi": hostileServer(t), "/docs/openapi/validator": coin,
	} {
		answer := s.Send(http.MethodGet, document, http.Header{"Accept": {"application/json"}}, nil)
		doc, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
		require.NoError(t, err)
		for path, item := range doc.Paths.Map() {
			for method, operation := range item.Operations() {
				t.Run(method+" "+path, func(t *testing.T) {
					t.Parallel()
					s := s.In(t)
					send := func(header http.Header, path string, body any) {
						answer := s.Send(method, path, header, body)
						if answer.Status >= http.StatusBadRequest {
							require.NotRegexp(t, libraryWords, answer.Text, "%s %.100v", path, body)
						}
					}
					name := apitest.LedgerUser
					if strings.Contains(path, "/wallet/") {
						name = "alice"
					}
					user := http.Header{"Authorization": {"Bearer " + apitest.Token(t, name)}}
					for _, token := range []string{"a.b.c", "eyJ9.eyJ9.x", "e30.W10.", "eyJhbGciOiJIUzI1NiJ9.bnVsbA.AAAA"} {
						send(http.Header{"Authorization": {"Bearer " + token}}, fill(path, "alice"), nil)
					}
					for _, value := range []string{"%21%3F", "%ff", "%00", "::", "-", "00", "9999999999999999999"} {
						send(user, fill(path, value), nil)
						for _, parameter := range operation.Parameters {
							if parameter.Value.In == openapi3.ParameterInQuery {
								send(user, fill(path, "alice")+"?"+parameter.Value.Name+"="+value, nil)
							}
						}
					}
					for _, raw := range []string{"{", "nope", `{"a"`, "\xff", `{"a":1e9999}`, "PK\x03\x04", "\x0a\xff", "[[[["} {
						send(user, fill(path, "alice"), raw)
					}
					schema, example := mountedRoute{operation: operation}.json()
					if schema == nil {
						return
					}
					for _, place := range leaves(nil, example, schema) {
						for _, value := range garbage() {
							send(user, fill(path, "alice"), with(example, place.path, value, false))
						}
					}
				})
			}
		}
	}
}
