package ledgerapi_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
)

const (
	completionByHashURL = "/v2/commands/completion-by-hash"
	updateByHashURL     = "/v2/updates/update-by-hash"
)

func TestCompletionByHash_FindsSignedTransaction(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	p := c.prepare(c.settleBody("settle"))
	var done ledgerapi.JsSubmitAndWaitForTransactionResponse
	c.Call("signer", http.MethodPost, showURL, c.sign(p)).OK(&done)
	const again = 12 // more refusals than one answer has
	for range again {
		c.Call("signer", http.MethodPost, waitURL, c.sign(p)).Refused(http.StatusConflict, "DUPLICATE_COMMAND")
	}
	seenByCarol := fields{"includeTransactions": fields{
		"eventFormat":      fields{"filtersByParty": fields{string(c.carol): fields{}}},
		"transactionShape": "TRANSACTION_SHAPE_ACS_DELTA",
	}}
	for name, hash := range map[string]string{
		"base64": base64.StdEncoding.EncodeToString(p.PreparedTransactionHash),
		"hex":    hex.EncodeToString(p.PreparedTransactionHash),
	} {
		var found ledgerapi.GetCompletionByHashResponse
		c.Call("reader", http.MethodPost, completionByHashURL, fields{"transactionHash": hash}).OK(&found)
		require.Equal(t, done.Transaction.UpdateID, found.AcceptedCompletion.UpdateID, name)
		require.Equal(t, hex.EncodeToString(p.PreparedTransactionHash), found.AcceptedCompletion.TransactionHash)
		require.Equal(t, []string{string(c.carol)}, found.AcceptedCompletion.ActAs)
		require.Len(t, found.LastRejectedCompletions, 10)
		last := found.AcceptedCompletion.Offset + again + 1
		for _, refused := range found.LastRejectedCompletions {
			require.Less(t, refused.Offset, last, "the newest first")
			last = refused.Offset
			require.NotZero(t, refused.Status.Code)
			require.Equal(t, found.AcceptedCompletion.TransactionHash, refused.TransactionHash)
		}

		var update ledgerapi.JsGetUpdateResponse
		c.Call("reader", http.MethodPost, updateByHashURL, fields{"transactionHash": hash, "updateFormat": seenByCarol}).
			OK(&update)
		require.Equal(t, done.Transaction.UpdateID, update.Update.Transaction.Value.UpdateID)
	}
	c.hides(hex.EncodeToString(p.PreparedTransactionHash))
}

// hides requires the same answer as for an unknown transaction.
func (c *custody) hides(hash string) {
	c.t.Helper()
	unknown := hex.EncodeToString(make([]byte, 32))
	for _, user := range []string{"nobody", "bank"} {
		for _, asked := range []string{hash, unknown} {
			refused := c.Call(user, http.MethodPost, completionByHashURL, fields{"transactionHash": asked}).
				Refused(http.StatusNotFound, "COMPLETION_NOT_FOUND")
			require.Equal(c.t, [][]string{{"TRANSACTION_HASH", asked}}, refused.Resources)
		}
	}
	ofBob := fields{"includeTransactions": fields{
		"eventFormat":      fields{"filtersByParty": fields{string(c.bob): fields{}}},
		"transactionShape": "TRANSACTION_SHAPE_ACS_DELTA",
	}}
	c.Call("bank", http.MethodPost, updateByHashURL, fields{"transactionHash": hash, "updateFormat": ofBob}).
		Refused(http.StatusForbidden, "NA")
	c.Rights("stranger", ledger.Right{Kind: ledger.CanReadAs, Party: c.Party("stranger")})
	ofStranger := fields{"includeTransactions": fields{
		"eventFormat":      fields{"filtersByParty": fields{string(c.Node.LocalParty("stranger")): fields{}}},
		"transactionShape": "TRANSACTION_SHAPE_ACS_DELTA",
	}}
	for _, asked := range []string{hash, unknown} {
		refused := c.Call("stranger", http.MethodPost, updateByHashURL,
			fields{"transactionHash": asked, "updateFormat": ofStranger}).Refused(http.StatusNotFound, "UPDATE_NOT_FOUND")
		require.Equal(c.t, [][]string{{"TRANSACTION_HASH", asked}}, refused.Resources)
	}
}

func TestCompletionByHash_RefusesInvalidHashes(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	for _, url := range []string{completionByHashURL, updateByHashURL} {
		body := fields{"updateFormat": fields{}}
		if url == completionByHashURL {
			body = fields{}
		}
		c.Call("reader", http.MethodPost, url, body.with(fields{"transactionHash": ""})).
			Refused(http.StatusBadRequest, "MISSING_FIELD")
		for _, wrong := range []string{"ab", "zz", "1220" + hex.EncodeToString(make([]byte, 32)), "YWI=", "\u0000"} {
			c.Call("reader", http.MethodPost, url, body.with(fields{"transactionHash": wrong})).
				Refused(http.StatusBadRequest, "INVALID_FIELD")
		}
	}
}
