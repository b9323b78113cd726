package api_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// sizes are the fields of requests with an amount, a size or a time.
var sizes = regexp.MustCompile(`(?i)(amount|_usd|throughput|interval|reserved_traffic|nonce|` +
	`expires_?at|_before|_at|until|_time)$`)

// nonsense are impossible values by operation and field, with the rule in the refusal.
func nonsense() map[string]map[string][]refusedValue {
	amount := []refusedValue{
		{"0", "not more than 0"},
		{"0.0000000000", "not more than 0"},
		{"-1", "not more than 0"},
		{"0.12345678901", ""},
		{"1" + strings.Repeat("0", 30), ""},
		{"x", ""},
		{"", ""},
		{"1,5", ""},
	}
	past, far := time.Now().Add(-time.Minute), int64(1)<<62
	rangeOnly := []refusedValue{{far, "between the years"}, {-far, "between the years"}}
	deadline := append([]refusedValue{
		{past.UnixMicro(), "is not after the ledger's time"},
		{0, "is not after the ledger's time"},
		{-1, "is not after the ledger's time"},
	}, rangeOnly...)
	isNegative := []refusedValue{{-1, "is negative"}}
	return map[string]map[string][]refusedValue{
		"POST /v0/wallet/tap":                               {"amount": amount},
		"POST /v0/wallet/transfer-offers":                   {"amount": amount, "expires_at": deadline},
		"POST /v0/wallet/transfer-preapproval/send":         {"amount": amount},
		"POST /v0/wallet/token-standard/transfers":          {"amount": amount, "expires_at": deadline},
		"POST /v0/wallet/development-fund-coupons/allocate": {"amount": amount, "expiresAt": deadline},
		"POST /v0/wallet/buy-traffic-requests": {
			"expires_at": deadline, "traffic_amount": {{0, "must be positive"}, {-1, "must be positive"}},
		},
		"POST /v0/allocations": {
			"amount": amount, "requested_at": rangeOnly, "allocate_before": deadline, "settle_before": deadline,
		},
		"POST /v0/admin/external-party/transfer-preapproval/prepare-send": {
			"amount": amount, "expires_at": {{past.UTC().Format(time.RFC3339), "is not after the ledger's time"}},
			"nonce": {{-1, "is less than 0"}},
		},
		"PUT /v0/admin/automation/settings/sweeps/{sender}": {
			"max_balance_usd": {{"-1", "less than"}, {"0.12345678901", ""}, {"x", ""}},
			"min_balance_usd": {{"-1", "is negative"}, {"0.12345678901", ""}, {"x", ""}},
		},
		"PUT /v0/admin/automation/settings/top-up": {
			"target_throughput": isNegative, "reserved_traffic": isNegative,
			"min_topup_interval": {
				{"0s", "below the polling interval"},
				{"-1m", "below"},
				{"soon", "is no duration"},
				{"9999999999h", "longer than 292 years"},
			},
		},
		// Any time is possible here.
		"POST /api/scan/v0/holdings/summary":   {"record_time": nil},
		"POST /v0/scan-proxy/holdings/summary": {"record_time": nil},
		"POST /v1/scan-proxy/holdings/summary": {"record_time": nil},
		"POST /api/scan/v1/holdings/summary":   {"record_time": nil},
	}
}

type refusedValue struct {
	value any
	rule  string
}

// The test sends impossible values for every amount, size and time of the validator's API. The answer is 400 and names
// the field and the rule. A field that is not in the list fails the test.
//
// contract: offers-nonsense
func TestValidatorFields_RefuseImpossibleValues(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.OperatorWallet().Tap("10000")
	alice, bob := s.Onboard("alice"), s.Onboard("bob")
	alice.Tap("1000")
	s.Call("bob", http.MethodPost, "/v0/wallet/transfer-preapproval", nil).OK(nil)
	sender := s.ExternalParty("sender", 1, s.Key(signing.Curve25519))
	fixed := map[string]any{
		"receiving_validator_party_id": s.Node.Operator, "domain_id": s.Node.SynchronizerID,
		"receiver_party_id": bob.Party, "sender_party_id": sender, "receiver": bob.Party, "executor": bob.Party,
		"beneficiary": bob.Party,
	}
	answer := s.Send(http.MethodGet, "/docs/openapi/validator", http.Header{"Accept": {"application/json"}}, nil)
	document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
	require.NoError(t, err)
	known := nonsense()
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			schema, example := mountedRoute{operation: op}.json()
			if schema == nil {
				continue
			}
			operation := method + " " + path
			good := validExample(example, schema, fixed)
			for _, place := range leaves(nil, good, schema) {
				field, ok := last(place.path).(string)
				if !ok || !sizes.MatchString(field) {
					continue
				}
				values, listed := known[operation][field]
				require.True(t, listed, "%s: add the field %s to the list, with what it must not have", operation, field)
				delete(known[operation], field)
				for _, nonsense := range values {
					user := "alice"
					if strings.Contains(path, "/admin/") {
						user = apitest.LedgerUser
					}
					answer := s.Call(user, method, fill(path, string(alice.Party)), with(good, place.path, nonsense.value, false))
					require.Equal(t, http.StatusBadRequest, answer.Status, "%s %s = %v: %s", operation, field, nonsense.value,
						answer.Text)
					require.Contains(t, answer.Text, field, "%s = %v", operation, nonsense.value)
					require.Contains(t, answer.Text, nonsense.rule, "%s %s = %v", operation, field, nonsense.value)
				}
			}
		}
	}
	for operation, fields := range known {
		require.Empty(t, fields, "%s has no such field, or its example has none", operation)
	}
}

func last(path []any) any {
	if len(path) == 0 {
		return nil
	}
	return path[len(path)-1]
}

// validExample returns an example with existing parties and future times.
func validExample(example any, schema *openapi3.SchemaRef, fixed map[string]any) any {
	good := example
	for _, place := range leaves(nil, example, schema) {
		field, ok := last(place.path).(string)
		if !ok {
			continue
		}
		if value, found := fixed[field]; found {
			good = with(good, place.path, value, false)
		}
		switch _, isNumber := place.value.(float64); {
		case regexp.MustCompile(`^(expires_?[aA]t|\w+_before)$`).MatchString(field) && isNumber:
			good = with(good, place.path, time.Now().Add(time.Hour).UnixMicro(), false)
		case field == "requested_at":
			good = with(good, place.path, time.Now().Add(-time.Minute).UnixMicro(), false)
		case field == "expires_at":
			good = with(good, place.path, time.Now().Add(time.Hour).UTC().Format(time.RFC3339), false)
		}
	}
	return good
}
