package ledgerapi_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// meddler changes a submission between the checks of the API and the commit.
type meddler struct {
	ledgerapi.Submitter

	change func(*ledger.SignedTransaction)
}

func (m meddler) SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	m.change(submission.Signed)
	return m.Submitter.SubmitAndWait(ctx, submission)
}

func TestExecute_CommitChecksSignaturesAgain(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	p := c.prepare(c.settleBody("settle"))
	through := func(change func(*ledger.SignedTransaction)) apitest.Answer {
		twin := c.Twin(apitest.Options{Submitter: meddler{c.Submitter(), change}})
		return twin.Call("signer", http.MethodPost, waitURL, c.sign(p))
	}
	for name, change := range map[string]func(*ledger.SignedTransaction){
		"another signature": func(s *ledger.SignedTransaction) {
			signature := slices.Clone(s.Signatures[0].Signatures[0].Signature)
			signature[9] ^= 1
			s.Signatures[0].Signatures[0].Signature = signature
		},
		"another signer": func(s *ledger.SignedTransaction) {
			read, err := c.Key(signing.Curve25519).Sign(p.PreparedTransactionHash)
			require.NoError(t, err)
			s.Signatures[0].Signatures[0] = read
		},
		"no signatures": func(s *ledger.SignedTransaction) { s.Signatures = nil },
	} {
		refusal := through(change).Refused(http.StatusBadRequest, "FAILED_TO_EXECUTE_TRANSACTION")
		require.Contains(t, refusal.Cause, "signature", name)
	}
	through(func(*ledger.SignedTransaction) {}).OK(nil)
}
