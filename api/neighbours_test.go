package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// oneTime are the parts that differ in every answer: times, and new ids.
var oneTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// A user with a wallet asks every endpoint, for its own party, about things of another user: contracts, offers,
// transfers, allocations, payments, updates, tracking ids, and the user itself. The answer is the same as for things
// that do not exist, and does not contain the other user's party.
func TestUsers_LearnNothingOfOtherUsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, apitest.RequestPackage())
	operator, receiver := w.OperatorWallet(), w.Onboard("receiver")
	wallet, own := w.Onboard("victim"), w.Onboard("mallory")
	w.Call("victim", http.MethodPost, "/v0/wallet/tap", object{"amount": "10"}).OK(nil)
	exhibits := w.OneOfEach(wallet, operator, receiver)
	w.hold("victim", wallet.Party, "")
	victim := w.parties["victim"]

	w.Call("victim", http.MethodPost, "/v0/wallet/buy-traffic-requests", object{
		"receiving_validator_party_id": w.Node.Operator, "domain_id": w.Node.SynchronizerID, "traffic_amount": 200_000,
		"tracking_id": apitest.Theirs, "expires_at": time.Now().Add(time.Hour).UnixMicro(),
	}).OK(nil)

	existing, missing := subject{*victim, "victim", apitest.Theirs, "globex", "acs", exhibits}, w.missing()
	existing.party, missing.party = own.Party, own.Party
	missing.offset = w.parties["carl"].offset // of an update that the caller does not see either
	caller := outsider{"mallory", apitest.Token(t, "mallory"), existing}
	public := publicOperations(t)
	names := make([]string, 0, 2*len(exhibits))
	for path, id := range exhibits {
		if !strings.HasSuffix(path, "{tracking_id}") {
			names = append(names, id, missing.contract)
		}
	}
	// Answers differ only in repeated parts of the questions.
	same := strings.NewReplacer(append(names, victim.contract, missing.contract, victim.update, missing.update,
		"tracking id "+existing.trackingID, "tracking id "+missing.trackingID,
		fmt.Sprintf(`"OFFSET","%d"`, victim.offset), fmt.Sprintf(`"OFFSET","%d"`, missing.offset))...)
	served := w.operations(t)
	refused := 0
	for _, operation := range slices.Sorted(maps.Keys(served)) {
		if public[operation] {
			continue
		}
		route := served[operation]
		exists := w.ask(route, caller, w.question(route, existing))
		doesNot := w.ask(route, caller, w.question(route, missing))
		require.NotContains(t, exists, string(victim.party), operation)
		if strings.HasPrefix(exists, "200") && strings.HasPrefix(doesNot, "200") {
			continue // about the caller's own things
		}
		require.Equal(t, oneTime.ReplaceAllString(same.Replace(doesNot), "*"),
			oneTime.ReplaceAllString(same.Replace(exists), "*"), operation)
		refused++
	}
	require.Greater(t, refused, 100)
}
