package ledgerapi_test

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/prepared"
)

// A caller with the right to execute for a party, and not to read as it, learns nothing about its contracts from
// changed transactions.
func TestExecute_RevealsNothingToExecutor(t *testing.T) {
	t.Parallel()
	const marker, altered = "777123.4567", "111111.1111"
	c := ed25519(t)
	c.iou = c.byBank("Iou", fields{"issuer": c.bank, "owner": c.carol, "observers": []string{}, "amount": marker})
	c.Rights("executor", ledger.Right{Kind: ledger.CanExecuteAs, Party: c.carol})
	p := c.prepare(c.settleBody("settle"))
	message := &ledgerpb.PreparedTransaction{}
	require.NoError(t, proto.Unmarshal(p.PreparedTransaction, message))
	for _, node := range message.GetTransaction().GetNodes() {
		raw, err := proto.Marshal(node)
		require.NoError(t, err)
		proto.Reset(node)
		require.NoError(t, proto.Unmarshal(bytes.ReplaceAll(raw, []byte(marker), []byte(altered)), node))
	}
	raw, err := proto.Marshal(message)
	require.NoError(t, err)
	require.NotEqual(t, []byte(p.PreparedTransaction), raw, "the transaction has the marker")
	changed, err := prepared.Decode(raw)
	require.NoError(t, err)
	hash, err := changed.Hash(prepared.SchemeV2)
	require.NoError(t, err)

	for name, signed := range map[string]fields{
		"with worthless signatures": c.signed(raw, p.PreparedTransactionHash, c.keys...),
		"with good ones":            c.signed(raw, hash[:], c.keys...),
	} {
		for _, url := range []string{waitURL, executeURL} {
			answer := c.Call("executor", http.MethodPost, url, signed)
			require.NotContains(t, answer.Text, marker, "%s: %s", name, url)
			require.NotContains(t, answer.Text, c.iou, "%s: %s", name, url)
		}
		refusal := c.Call("executor", http.MethodPost, waitURL, signed).
			Refused(http.StatusBadRequest, "FAILED_TO_EXECUTE_TRANSACTION")
		require.Empty(t, refusal.Context["differences"])
	}
	reader := c.Call("signer", http.MethodPost, waitURL, c.signed(raw, hash[:], c.keys...))
	require.Contains(t, reader.Text, marker, "a reader sees the difference")
}
