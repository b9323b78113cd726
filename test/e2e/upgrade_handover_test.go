//go:build upgrade

package e2e_test

import (
	"crypto/ed25519"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// versionPair is an installation with an API of each version. One worker runs, of a version that the test chooses, so
// the test knows which version commits.
type versionPair struct {
	*upgradeCluster
	worker                *program
	beforeFront, nowFront endpoint
}

// newVersions starts an installation of the previous version, migrates its schema, and adds an API of this version.
func newVersions(t *testing.T) *versionPair {
	t.Helper()
	v := &versionPair{upgradeCluster: installBefore(t)}
	v.addresses = []string{freeAddress(t), freeAddress(t)}
	v.worker = v.launch(t, v.before, "worker", 0)
	v.apis = []*program{v.launch(t, v.before, "api", 0)}
	v.worker.waitFor(t, "florin: ready")
	v.apis[0].waitFor(t, "florin: ready at http://")
	migrated := v.run(t, v.now, "migrate")
	require.Equal(t, 0, migrated.exitCode(t), "it said: %s", migrated.stderr)
	v.apis = append(v.apis, v.launch(t, v.now, "api", 1))
	v.apis[1].waitFor(t, "florin: ready at http://")
	v.beforeFront, v.nowFront = newEndpoint(t, "http://"+v.addresses[0]), newEndpoint(t, "http://"+v.addresses[1])
	v.awaitAPIs(t)
	return v
}

func (v *versionPair) awaitAPIs(t *testing.T) {
	t.Helper()
	awaitReadyz(t, v.beforeFront, http.StatusOK, "passed")
	awaitReadyz(t, v.nowFront, http.StatusOK, "passed")
}

// work replaces the worker by one of a version.
func (v *versionPair) work(t *testing.T, executable string) {
	t.Helper()
	require.NoError(t, v.worker.Signal(syscall.SIGTERM))
	v.worker.waitEnd(t)
	require.Equal(t, 0, v.worker.exitCode(t), "it said: %s", v.worker.stderr)
	v.worker = v.launch(t, executable, "worker", 0)
	v.worker.waitFor(t, "florin: ready")
	v.awaitAPIs(t)
}

// namedChange is a change at one version, with its answer.
type namedChange struct {
	key, path string
	body      map[string]any
	answer    changeResponse
}

// handover is work that begins at the API of one version and continues at the API of the other.
type handover struct {
	name    string // suffix of its users and parties
	from    endpoint
	dso     string
	changes []namedChange
	history []string
	app     account
	paid    client.Commands
	signer  *signer
	// key is the key of outside, which request allocates.
	key     ed25519.PrivateKey
	outside string
	request allocation
	reader  *reader
	tokens  map[string]string
}

// begin makes named changes, generates a party's topology, signs for another one, reads first pages and opens a stream.
func begin(t *testing.T, at endpoint, name string) *handover {
	t.Helper()
	h := &handover{name: name, from: at, dso: findDSO(t, at), tokens: map[string]string{}}
	at.onboard(t, "payer-"+name)
	friend := at.onboard(t, "friend-"+name)
	h.change(t, "", "/v0/wallet/tap", map[string]any{"amount": "100", "command_id": "rent"})
	h.change(t, "keyed", "/v0/wallet/tap", map[string]any{"amount": "10"})
	h.change(t, "", "/v0/wallet/token-standard/transfers", offerTo(friend, "1", "named"))
	h.change(t, "keyed-offer", transferOffers, offerTo(friend, "2", "tracked"))
	h.history = at.history(t, "payer-"+name)

	h.app = newAccount(t, at, h.dso, "app-"+name, "app-"+name)
	h.signer = newSigner(t, at, &h.app)
	coin, err := at.admin().FindCoin(t.Context(), h.dso)
	require.NoError(t, err)
	h.paid = h.app.tap(coin, "paid", 5)
	_, err = h.app.on(at).SubmitAndWait(t.Context(), h.paid)
	require.NoError(t, err)
	for i := range 2 {
		_, err = h.app.on(at).SubmitAndWait(t.Context(), h.app.tap(coin, fmt.Sprint("more-", i), 1))
		require.NoError(t, err)
	}
	_, h.key, err = ed25519.GenerateKey(nil)
	require.NoError(t, err)
	h.outside, h.request = newAllocationWith(t, at, h.key, "outside-"+name)
	h.reader = h.app.read(t, at, 0)
	require.Len(t, h.reader.next(t, 2), 2)
	for _, path := range listPages {
		_, h.tokens[path] = h.page(t, at, path, "")
		require.NotEmpty(t, h.tokens[path], path)
	}
	return h
}

func (h *handover) change(t *testing.T, key, path string, body map[string]any) {
	t.Helper()
	made := namedChange{key: key, path: path, body: body}
	made.answer = h.from.change(t, "payer-"+h.name, key, path, body).ok(t, nil)
	h.changes = append(h.changes, made)
}

// goOn continues at an API of the other version, with a worker of that version.
func (h *handover) goOn(t *testing.T, at endpoint) {
	t.Helper()
	h.repeat(t, at)
	h.sign(t, at)
	h.readOn(t, at) // a stream ends when rights of its user change
	h.allocate(t, at)
	for _, path := range listPages {
		h.turnPage(t, at, path)
	}
}

// repeat sends all named changes again: each must return the first answer.
func (h *handover) repeat(t *testing.T, at endpoint) {
	t.Helper()
	for _, made := range h.changes {
		again := at.change(t, "payer-"+h.name, made.key, made.path, made.body)
		require.Equal(t, http.StatusOK, again.status, "%s: %s", made.path, again.body)
		require.JSONEq(t, made.answer.body, again.body, made.path)
		if made.key != "" {
			require.Equal(t, "true", again.header.Get("Idempotency-Replayed"), made.path)
		}
	}
	taken := at.change(t, "payer-"+h.name, "", transferOffers, offerTo(h.app.party(), "3", "tracked"))
	require.Equal(t, http.StatusConflict, taken.status, taken.body)
	require.Equal(t, h.history, at.history(t, "payer-"+h.name), "no change happens twice")
	_, err := h.app.on(at).SubmitAndWait(t.Context(), h.paid)
	require.Equal(t, "DUPLICATE_COMMAND", client.Code(err), "%v", err)
}

// sign prepares at one version for a party of it, executes at the other, and executes again at the first.
func (h *handover) sign(t *testing.T, at endpoint) {
	t.Helper()
	prepared := h.prepare(t, h.from, h.signer.party, "signed")
	require.NoError(t, h.execute(t, at, h.signer.party, h.signer.key, prepared))
	require.Equal(t, "DUPLICATE_COMMAND", client.Code(h.execute(t, h.from, h.signer.party, h.signer.key, prepared)))
}

// allocate allocates a party at one version with the topology of the other, and uses it at both.
func (h *handover) allocate(t *testing.T, at endpoint) {
	t.Helper()
	require.NoError(t, allocate(t, at, h.request))
	for _, e := range []endpoint{at, h.from} {
		require.Equal(t, "ALLOCATED", onboardingAt(t, e, h.outside).State)
	}
	require.NoError(t, h.from.admin().Post(t.Context(), "/v2/users/"+h.app.user+"/rights", map[string]any{
		"userId": h.app.user, "identityProviderId": "", "rights": []client.Right{client.CanActAs(h.outside)},
	}, nil))
	prepared := h.prepare(t, at, h.outside, "outside")
	require.NoError(t, h.execute(t, h.from, h.outside, h.key, prepared))
}

func (h *handover) prepare(t *testing.T, at endpoint, party, commandID string) signedSubmission {
	t.Helper()
	coin, err := at.admin().FindCoin(t.Context(), h.dso)
	require.NoError(t, err)
	prepared := signedSubmission{commandID: commandID}
	await(t, "the API knows of the right to act as the party", func() error {
		err := h.app.on(at).Post(t.Context(), "/v2/interactive-submission/prepare", map[string]any{
			"commandId": commandID, "actAs": []string{party}, "readAs": []string{h.dso},
			"commands": []client.Command{coin.Tap(party, "1.0")},
		}, &prepared)
		if refusal := answer(err); refusal == nil || refusal.Status != http.StatusForbidden {
			require.NoError(t, err)
		}
		return err
	})
	return prepared
}

func (h *handover) execute(
	t *testing.T, at endpoint, party string, key ed25519.PrivateKey, prepared signedSubmission,
) error {
	t.Helper()
	_, fingerprint, _ := strings.Cut(party, "::")
	return h.app.on(at).Post(t.Context(), "/v2/interactive-submission/executeAndWait", map[string]any{
		"preparedTransaction": prepared.PreparedTransaction, "submissionId": "submission-" + prepared.commandID,
		"hashingSchemeVersion": prepared.HashingSchemeVersion,
		"partySignatures": map[string]any{"signatures": []any{map[string]any{
			"party": party, "signatures": []signature{{
				Format: "SIGNATURE_FORMAT_CONCAT", Signature: ed25519.Sign(key, prepared.Hash), SignedBy: fingerprint,
				Algorithm: "SIGNING_ALGORITHM_SPEC_ED25519",
			}},
		}}},
	}, nil)
}

// The two handovers: from the version before to this one, and the other way round.
const (
	forth = "forth"
	back  = "back"
)

// TestUpgrade_FinishesWorkOfThePreviousVersion begins work at one version and continues at the other, whose worker
// commits then; and the other way round, as after a downgrade.
func TestUpgrade_FinishesWorkOfThePreviousVersion(t *testing.T) {
	t.Parallel()
	v := newVersions(t)
	toNow := begin(t, v.beforeFront, forth)
	allocateForUser(t, v.nowFront, "now")

	v.work(t, v.now)
	toNow.goOn(t, v.nowFront)
	toBefore := begin(t, v.nowFront, back)
	allocateForUser(t, v.beforeFront, "before")

	v.work(t, v.before)
	toBefore.goOn(t, v.beforeFront)
	audited := v.run(t, v.now, "audit")
	require.Equal(t, 0, audited.exitCode(t), "it said: %s%s", audited.stdout, audited.stderr)
}

// allocateForUser onboards a party for a user as an administrator; an API of one version passes it to a worker of the
// other.
func allocateForUser(t *testing.T, at endpoint, name string) {
	t.Helper()
	user := "owner-" + name
	require.NoError(t, at.admin().CreateUser(t.Context(), user, ""))
	_, request := newAllocation(t, at, "owned-"+name)
	request.UserID = user
	require.NoError(t, allocate(t, at, request))
}
