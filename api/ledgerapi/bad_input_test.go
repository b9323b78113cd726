package ledgerapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// adminBodies are the administration's endpoints with JSON bodies. Each has a body that adminServer accepts, and values
// of the wrong type for its fields.
var adminBodies = []struct {
	method, path, body string
	wrongTypes         []string
}{
	{
		http.MethodPost, "/v2/users", `{"user":{"id":"new"},"rights":[]}`,
		[]string{
			`{"user":7}`, `{"user":{"id":7}}`, `{"user":{"id":"x","isDeactivated":"yes"}}`, `{"user":{"id":"x"},"rights":{}}`,
			`{"user":{"id":"x","metadata":{"annotations":{"a":1}}}}`, `{"user":{"id":"x"},"rights":["CanActAs"]}`,
			`{"user":{"id":"x"},"rights":[{"kind":{"CanActAs":{"value":{"party":["a"]}}}}]}`,
		},
	},
	{
		http.MethodPatch, "/v2/users/alice", `{"user":{"id":"alice"},"updateMask":{"paths":["primary_party"]}}`,
		[]string{
			`{"user":{"id":"alice"},"updateMask":"id"}`, `{"user":{"id":"alice"},"updateMask":{"paths":"id"}}`,
			`{"user":{"id":"alice"},"updateMask":{"paths":[1]}}`, `{"user":{"id":"alice"},"updateMask":{"paths":[null]}}`,
			`{"user":{"id":"alice","metadata":{"resourceVersion":1}}}`, `{"user":[]}`,
		},
	},
	{
		http.MethodPost, "/v2/users/alice/rights", `{"userId":"alice","rights":[]}`,
		[]string{`{"userId":7}`, `{"userId":"alice","rights":[null]}`, `{"userId":"alice","identityProviderId":{}}`},
	},
	{
		http.MethodPatch, "/v2/users/alice/rights", `{"userId":"alice","rights":[]}`,
		[]string{`{"userId":[]}`, `{"userId":"alice","rights":[{"kind":"Empty"}]}`},
	},
	{
		http.MethodPatch, "/v2/users/alice/identity-provider-id", `{"userId":"alice"}`,
		[]string{`{"userId":true}`, `{"userId":"alice","sourceIdentityProviderId":1}`},
	},
	{
		http.MethodPatch, "/v2/parties/p", `{"partyDetails":{"party":"p"},"updateMask":{"paths":["party"]}}`,
		[]string{
			`{"partyDetails":{"party":{}}}`, `{"partyDetails":{"party":"p","isLocal":0}}`, `{"partyDetails":"p"}`,
			`{"partyDetails":{"party":"p","localMetadata":{"annotations":[]}}}`,
		},
	},
	{
		http.MethodPost, "/v2/parties", `{"partyIdHint":null}`,
		[]string{`{"partyIdHint":7}`, `{"localMetadata":"x"}`, `{"userId":["alice"]}`},
	},
	{
		http.MethodPost, "/v2/idps",
		`{"identityProviderConfig":{"identityProviderId":"new","issuer":"new","jwksUrl":"https://new.example"}}`,
		[]string{`{"identityProviderConfig":[]}`, `{"identityProviderConfig":{"issuer":1e400}}`},
	},
	{
		http.MethodPatch, "/v2/idps/acme",
		`{"identityProviderConfig":{"identityProviderId":"acme"},"updateMask":{"paths":["is_deactivated"]}}`,
		[]string{`{"identityProviderConfig":{"isDeactivated":"false"}}`, `{"updateMask":[]}`},
	},
	{
		http.MethodPost, "/v2/package-vetting/list", `{"pageSize":0}`,
		[]string{
			`{"pageSize":"many"}`, `{"pageSize":2147483648}`, `{"pageSize":1.5}`, `{"pageSize":1e1000000}`,
			`{"packageMetadataFilter":{"packageIds":"x"}}`, `{"packageMetadataFilter":{"packageIds":[1]}}`,
		},
	},
	{
		http.MethodPost, "/v2/package-vetting/update",
		`{"changes":[{"operation":{"Vet":{"value":{"packages":[]}}}}]}`,
		[]string{
			`{"changes":{}}`, `{"changes":[{"operation":{"Fly":{}}}]}`, `{"changes":[{"operation":{}}]}`,
			`{"changes":[],"expectedTopologySerial":{"serial":{"Prior":{"value":"99999999999"}}}}`,
			`{"changes":[{"operation":{"Vet":{"value":{"newValidFromInclusive":"yesterday"}}}}]}`, `{"changes":[],"dryRun":1}`,
		},
	},
	{
		http.MethodPost, "/v2/interactive-submission/preferred-packages",
		`{"packageVettingRequirements":[{"parties":["a"],"packageName":"api-test"}]}`,
		[]string{
			`{"packageVettingRequirements":["api-test"]}`, `{"packageVettingRequirements":[],"vettingValidAt":7}`,
			`{"packageVettingRequirements":[{"parties":"a"}]}`,
		},
	},
}

// adminServer is a node with a user, a party, an identity provider and a small limit for bodies.
func adminServer(tb testing.TB) *apitest.Server {
	tb.Helper()
	s := apitest.New(tb, apitest.Options{MaxBodyBytes: 100_000})
	s.Rights("alice")
	s.IdentityProvider("acme")
	return s
}

func TestAdministration_RefusesBadBodies(t *testing.T) {
	t.Parallel()
	s := adminServer(t)
	for _, endpoint := range adminBodies {
		t.Run(endpoint.method+" "+endpoint.path, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			send := func(body string) apitest.Answer {
				return s.Call(apitest.Admin, endpoint.method, endpoint.path, body)
			}
			unreadable := append([]string{
				`{`, `[]`, `"x"`, `7`, `true`, `{"a":}`, endpoint.body + `x`, endpoint.body[:len(endpoint.body)-1],
				`{'a':1}`, "\xff\xfe", "{\"\xff\":1}", `{"a":"\x"}`, strings.Repeat(`{"a":`, 20_000), "\x00", "\ufeff{}",
			}, endpoint.wrongTypes...)
			for _, body := range unreadable {
				text := send(body).Plain(http.StatusBadRequest)
				require.Contains(t, text, "Invalid value for: body (", "%.100q", body)
				require.Less(t, len(text), 1000, "%.100q", body)
			}
			large := endpoint.body[:len(endpoint.body)-1] + `,"x":"` + strings.Repeat("x", 100_000) + `"}`
			require.Contains(t, send(large).Plain(http.StatusRequestEntityTooLarge), "exceeded size limit (100000 bytes)")
		})
	}
}

func TestAdministration_AcceptsUnusualBodies(t *testing.T) {
	t.Parallel()
	for name, unusual := range map[string]struct{ mediaType, before, after string }{
		"no media type":          {"", "", ""},
		"another media type":     {"application/xml; charset=latin1", "", ""},
		"a media type of forms":  {"application/x-www-form-urlencoded", "", ""},
		"fields that are not it": {"application/json", `{"x":[{}],"":null,`, ""},
		"blanks around it":       {"application/json", "\n\t {", "\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := adminServer(t)
			s.Party("p")
			for _, endpoint := range adminBodies {
				header := http.Header{"Authorization": {"Bearer " + apitest.Token(t, apitest.Admin)}}
				if unusual.mediaType != "" {
					header.Set("Content-Type", unusual.mediaType)
				}
				party := string(s.Node.LocalParty("p"))
				body := strings.ReplaceAll(endpoint.body, `"party":"p"`, `"party":"`+party+`"`)
				path := strings.Replace(endpoint.path, "/parties/p", "/parties/"+party, 1)
				if unusual.before != "" {
					body = unusual.before + body[1:]
				}
				answer := s.Send(endpoint.method, path, header, body+unusual.after)
				require.Equal(t, http.StatusOK, answer.Status, "%s %s: %s", endpoint.method, path, answer.Text)
			}
		})
	}
}

func TestAdministration_RefusesWrongMethods(t *testing.T) {
	t.Parallel()
	s := adminServer(t)
	for path, allowed := range map[string]string{
		"/v2/users":                            "GET, POST",
		"/v2/users/alice":                      "DELETE, GET, PATCH",
		"/v2/users/alice/rights":               "GET, PATCH, POST",
		"/v2/users/alice/identity-provider-id": "PATCH",
		"/v2/parties/p":                        "GET, PATCH",
		"/v2/idps":                             "GET, POST",
		"/v2/idps/acme":                        "DELETE, GET, PATCH",
		"/v2/packages/x/status":                "GET",
		"/v2/dars/validate":                    "POST",
	} {
		answer := s.Call(apitest.Admin, http.MethodPut, path, `{}`)
		require.Equal(t, "Method Not Allowed", answer.Plain(http.StatusMethodNotAllowed), path)
		require.Equal(t, allowed, strings.Join(answer.Header.Values("Allow"), ", "), path)
	}
}

// hostile are invalid identifiers, and texts that would do harm if they were not treated as data.
var hostile = []string{
	"\x00", "a\x00b", "\xff\xfe", "a\nb", "../../etc/passwd", "..%2f", "'; DROP TABLE users; --", `"><script>`, "%s%n",
	"\u202etxt.exe", "👩‍👩‍👧‍👦", strings.Repeat("a", 10_000), strings.Repeat("é",
		200), "{}", "$(id)", " ", "a b", "a,b", "\\",
}

func TestAdministration_HostileIDsCauseNoServerError(t *testing.T) {
	t.Parallel()
	s := adminServer(t)
	for _, id := range hostile {
		quoted := fmt.Sprintf("%q", strings.ToValidUTF8(strings.ReplaceAll(id, "\x00", "0"), "?"))
		for _, call := range []struct{ method, path, body string }{
			{http.MethodGet, "/v2/users/%s", ""},
			{http.MethodDelete, "/v2/users/%s", ""},
			{http.MethodGet, "/v2/users/%s/rights", ""},
			{http.MethodPatch, "/v2/users/%s", `{"user":{"id":%s},"updateMask":{"paths":["id"]}}`},
			{http.MethodPost, "/v2/users/%s/rights", `{"userId":%s}`},
			{http.MethodPatch, "/v2/parties/%s", `{"partyDetails":{"party":%s},"updateMask":{"paths":["party"]}}`},
			{http.MethodGet, "/v2/parties/alice?parties=%s", ""},
			{http.MethodGet, "/v2/parties?identity-provider-id=%s", ""},
			{http.MethodGet, "/v2/parties?pageToken=%s", ""},
			{http.MethodGet, "/v2/users?pageToken=%s", ""},
			{http.MethodGet, "/v2/idps/%s", ""},
			{http.MethodDelete, "/v2/idps/%s", ""},
			{http.MethodGet, "/v2/packages/%s/status", ""},
			{http.MethodGet, "/v2/interactive-submission/preferred-package-version?package-name=%s", ""},
		} {
			escaped := url.PathEscape(id)
			if strings.Contains(call.path, "?") {
				escaped = url.QueryEscape(id)
			}
			body := call.body
			if body != "" {
				body = fmt.Sprintf(call.body, quoted)
			}
			answer := s.Call(apitest.Admin, call.method, fmt.Sprintf(call.path, escaped), body)
			require.Less(t, answer.Status, http.StatusInternalServerError, "%s %s: %s", call.method, answer.Text, quoted)
			require.Less(t, len(answer.Text), 2500, "the answer does not repeat all of it")
		}
	}
	for _, number := range []string{"99999999999999999999", "1e9", "0x10", "--1", "1.0", "NaN", "٣"} {
		for _, path := range []string{"/v2/users", "/v2/parties"} {
			text := s.Call(apitest.Admin, http.MethodGet, path+"?pageSize="+url.QueryEscape(number), nil).
				Plain(http.StatusBadRequest)
			require.Equal(t, "Invalid value for: query parameter pageSize", text)
		}
	}
}

// FuzzAdministration_AnyRequest sends any id, query and body to any endpoint of the administration. No answer is a
// server error, and the document describes each answer.
func FuzzAdministration_AnyRequest(f *testing.F) {
	for i, endpoint := range adminBodies {
		f.Add(byte(i), "alice", "", endpoint.body)
		f.Add(byte(i), "acme", "x", endpoint.wrongTypes[0])
	}
	for i, id := range hostile {
		f.Add(byte(i), id, id, `{"user":{"id":"alice"}}`)
	}
	f.Add(byte(7), "alice::1220", "ChFwYXJ0aWNpcGFudF9hZG1pbg==", `{"filter":{"filtersByParty":{"a":{}}}}`)
	routes := []struct{ method, path string }{
		{http.MethodPost, "/v2/users?x=%s%s"},
		{http.MethodPatch, "/v2/users/%s?x=%s"},
		{http.MethodPost, "/v2/users/%s/rights?x=%s"},
		{http.MethodGet, "/v2/users/%s?identity-provider-id=%s"},
		{http.MethodGet, "/v2/users?pageSize=%s&pageToken=%s"},
		{http.MethodGet, "/v2/parties?filter-party=%s&pageToken=%s"},
		{http.MethodGet, "/v2/parties/%s?parties=%s"},
		{http.MethodPatch, "/v2/parties/%s?x=%s"},
		{http.MethodPost, "/v2/idps?x=%s%s"},
		{http.MethodPatch, "/v2/idps/%s?x=%s"},
		{http.MethodPost, "/v2/package-vetting/list?x=%s%s"},
		{http.MethodPost, "/v2/package-vetting/update?x=%s%s"},
		{http.MethodPost, "/v2/dars?synchronizerId=%s&x=%s"},
		{http.MethodPost, "/v2/state/active-contracts?limit=%s&stream_idle_timeout_ms=0&x=%s"},
	}
	s := adminServer(f)
	f.Fuzz(func(t *testing.T, route byte, id, value, body string) {
		chosen := routes[int(route)%len(routes)]
		escape := url.PathEscape
		if strings.Index(chosen.path, "?") < strings.Index(chosen.path, "%s") {
			escape = url.QueryEscape
		}
		path := fmt.Sprintf(chosen.path, escape(id), url.QueryEscape(value))
		answer := s.In(t).Call(apitest.Admin, chosen.method, path, body)
		require.Less(t, answer.Status, http.StatusInternalServerError, "%s %s: %s", chosen.method, path, answer.Text)
	})
}
