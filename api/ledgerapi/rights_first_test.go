package ledgerapi_test

import (
	"encoding/base64"
	"net/http"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/florinledger/florin/ledger"
)

// The bodies have mistakes that only decoding finds. A caller without a right for the named parties is refused before
// that; a caller with one gets the mistake.
func TestSubmission_ChecksRightsBeforeDecoding(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Rights("executor", ledger.Right{Kind: ledger.CanExecuteAs, Party: v.carol})
	wrong := func(party ledger.Party) fields {
		return fields{
			"commandId": "wrong", "actAs": []ledger.Party{party}, "commands": []fields{
				createCommand("Iou", fields{"issuer": v.bank, "owner": v.dave, "observers": []string{}, "amount": "1"}),
				createCommand("Iou", fields{"issuer": v.bank}),
			},
		}
	}
	signed := func(party ledger.Party) fields {
		body := v.sign(v.prepare(v.settleBody("signed")))
		within := func(field protowire.Number, content []byte) []byte {
			return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), content)
		}
		const metadata, submitterInfo, actAs, unknown = 2, 2, 1, 99
		raw := within(metadata, within(submitterInfo, within(actAs, []byte(party))))
		return body.with(fields{
			"preparedTransaction": base64.StdEncoding.EncodeToString(append(raw, within(unknown, nil)...)),
		})
	}
	type attempt struct {
		path      string
		may, none string
		body      func(ledger.Party) fields
		party     ledger.Party
		code      string
	}
	const undecoded, unknownField = "COMMAND_PREPROCESSING_FAILED", "FAILED_TO_EXECUTE_TRANSACTION"
	for _, a := range []attempt{
		{"/v2/commands/async/submit", "mallory", "executor", wrong, v.mallory, undecoded},
		{"/v2/commands/submit-and-wait", "mallory", "executor", wrong, v.mallory, undecoded},
		{"/v2/commands/submit-and-wait-for-transaction-tree", "mallory", "executor", wrong, v.mallory, undecoded},
		{"/v2/commands/submit-and-wait-for-transaction", "mallory", "executor", func(party ledger.Party) fields {
			return fields{"commands": wrong(party)}
		}, v.mallory, undecoded},
		{prepareURL, "mallory", "executor", wrong, v.mallory, undecoded},
		{"/v2/interactive-submission/execute", "executor", "mallory", signed, v.carol, unknownField},
		{waitURL, "executor", "mallory", signed, v.carol, unknownField},
		{"/v2/interactive-submission/executeAndWaitForTransaction", "executor", "mallory", signed, v.carol, unknownField},
	} {
		v.Call(a.may, http.MethodPost, a.path, a.body(a.party)).Refused(http.StatusBadRequest, a.code)
		v.Call(a.none, http.MethodPost, a.path, a.body(a.party)).Refused(http.StatusForbidden, "NA")
		v.Call(a.may, http.MethodPost, a.path, a.body(v.bank)).Refused(http.StatusForbidden, "NA")
		v.Call("", http.MethodPost, a.path, a.body(a.party)).Refused(http.StatusUnauthorized, "NA")
	}
}
