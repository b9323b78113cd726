//go:build long

package e2e_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// errPreparing: a submission failed before the submit.
var errPreparing = errors.New("preparing a transaction to sign")

// signer is an external party.
type signer struct {
	party, fingerprint string
	key                ed25519.PrivateKey
	// last is the last signed submission, for another try.
	last *signedSubmission
}

// signedSubmission has the fields of the answer of prepare that execute needs.
type signedSubmission struct {
	commandID            string
	PreparedTransaction  string `json:"preparedTransaction"`
	Hash                 []byte `json:"preparedTransactionHash"`
	HashingSchemeVersion string `json:"hashingSchemeVersion"`
}

// newSigner creates an external party and lets the account's user prepare and execute for it.
func newSigner(t *testing.T, e endpoint, of *account) *signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	party, request := newAllocationWith(t, e, private, "signer")
	require.NoError(t, allocate(t, e, request))
	var granted any
	require.NoError(t, e.admin().Post(t.Context(), "/v2/users/"+of.user+"/rights", map[string]any{
		"userId": of.user, "identityProviderId": "", "rights": []client.Right{client.CanActAs(party)},
	}, &granted))
	of.parties = append(of.parties, party)
	return &signer{party: party, key: private, fingerprint: request.MultiHashSignatures[0].SignedBy}
}

// submitSigned prepares, signs and executes; a retry may execute the submission of the try before.
func (c *crashClient) submitSigned(
	ctx context.Context, api *client.Client, try *attempt, commands client.Commands, way int,
) error {
	signed := c.signer.last
	if signed == nil || signed.commandID != try.commandID || c.random.IntN(2) == 0 {
		signed = &signedSubmission{commandID: try.commandID}
		if err := api.Post(ctx, "/v2/interactive-submission/prepare", map[string]any{
			"commandId": commands.CommandID, "actAs": commands.ActAs, "readAs": commands.ReadAs,
			"commands": commands.Commands,
		}, signed); err != nil {
			return fmt.Errorf("%w: %w", errPreparing, err)
		}
		c.signer.last = signed
	}
	body := map[string]any{
		"preparedTransaction": signed.PreparedTransaction, "submissionId": commands.SubmissionID,
		"hashingSchemeVersion": signed.HashingSchemeVersion,
		"partySignatures": map[string]any{"signatures": []any{map[string]any{
			"party": c.party, "signatures": []signature{{
				Format: "SIGNATURE_FORMAT_CONCAT", Signature: ed25519.Sign(c.signer.key, signed.Hash),
				SignedBy: c.signer.fingerprint, Algorithm: "SIGNING_ALGORITHM_SPEC_ED25519",
			}},
		}}},
	}
	const execute = "/v2/interactive-submission/execute"
	switch way {
	case 0:
		return api.Post(ctx, execute, body, nil)
	case 1:
		var outcome client.Outcome
		err := api.Post(ctx, execute+"AndWait", body, &outcome)
		try.updateID = outcome.UpdateID
		return err
	default:
		var out struct {
			Transaction client.Transaction `json:"transaction"`
		}
		err := api.Post(ctx, execute+"AndWaitForTransaction", body, &out)
		try.updateID = out.Transaction.UpdateID
		c.keep(out.Transaction)
		return err
	}
}
