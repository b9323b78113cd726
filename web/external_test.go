package web_test

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// signs signs what the page shows as the browser does, and sends the form.
func (b *browser) signs(action string, key signing.PrivateKey) *browser {
	b.t.Helper()
	path, form := b.form(action)
	form["transaction"], form["signature"] = b.inputs("transaction", "value"), nil
	for _, hash := range b.inputs("signature", "data-hash") {
		message, err := hex.DecodeString(hash)
		require.NoError(b.t, err)
		signature, err := key.Sign(message)
		require.NoError(b.t, err)
		form.Add("signature", hex.EncodeToString(signature.Signature))
	}
	form.Set("key", publicKey(key))
	return b.load(b.request(http.MethodPost, path, form))
}

func publicKey(key signing.PrivateKey) string {
	raw := key.Public().SPKI()
	return hex.EncodeToString(raw[len(raw)-32:])
}

func TestExternal_PartySignsForItself(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	server := serve(t, options(t, api.Handler))
	operator := window(t, server).as(apitest.LedgerUser)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	bob.open("/wallet/receive").press("/wallet/preapproval")
	key := api.Key(signing.Curve25519)
	party := "vault::" + key.Public().Fingerprint()
	one := "/wallet/external?" + url.Values{"party": {party}}.Encode()

	operator.open("/wallet/external").shows("You work for no party with its own key yet.")
	operator.submit("/wallet/external/new", "name", "vault", "key", "nothing").shows("Could not decode public key nothing")
	operator.open("/wallet/external").submit("/wallet/external/new", "name", "vault", "key", publicKey(key))
	operator.shows("Create this party?", party).signs("/wallet/external/new", api.Key(signing.Curve25519))
	require.Equal(t, http.StatusUnprocessableEntity, operator.status, "another key has signed")
	operator.open("/wallet/external").submit("/wallet/external/new", "name", "vault", "key", publicKey(key))
	operator.signs("/wallet/external/new", key).shows("You created the party vault.", "The party cannot receive coin yet.")

	operator.press("/wallet/external/propose").shows("Turn on automatic receiving?", "without a signature for each payment")
	operator.signs("/wallet/external/accept", key).shows("Automatic receiving is on.", "0 CC")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", party, "amount", "50").shows("gets 50 CC at once")
	alice.press("/wallet/send").shows("You sent 50 CC")

	operator.open(one).shows("50 CC").submit("/wallet/external/send", "to", "alice", "amount", "5", "note", "hi")
	operator.shows("Receiver", "does not have a TransferPreapproval")
	require.Equal(t, []string{"alice"}, operator.inputs("to", "value"))
	operator.open(one).submit("/wallet/external/send", "to", "bob", "amount", "51").shows("vault can spend 50 CC, and 51 CC is more")
	for range 2 { // each transfer has its own number
		operator.open(one).submit("/wallet/external/send", "to", "bob", "amount", "5", "note", "hi")
		address := operator.shows("Send 5 CC to bob?", "hi").path
		operator.open(one).submit("/wallet/external/send", "to", "bob", "amount", "7")
		other := operator.shows("Send 7 CC to bob?").path
		operator.open(address).signs("/wallet/external/send", key).shows("vault signed: send 5 CC to bob.", "waits for the operator")
		state := operator.path
		for _, again := range []string{address, other} { // back, and another tab with the same number
			operator.open(again).shows("vault has signed this transfer, or another one with its number.")
		}
		api.Automate()
		operator.open(state).shows("The last transfer: done")
		operator.open(address).shows("vault has signed this transfer")
	}
	operator.open(one).shows("40 CC")
	bob.open("/wallet").shows("Balance 10 CC")
	operator.open("/wallet/external/accept?" + url.Values{"party": {party}}.Encode())
	operator.shows("Nothing waits for a signature of vault.")
	alice.open("/wallet/external").shows("Only operators of the node work for such parties.")
	alice.open("/wallet/external/new?name=x&key=" + publicKey(key))
	require.Equal(t, http.StatusForbidden, alice.status)
}
