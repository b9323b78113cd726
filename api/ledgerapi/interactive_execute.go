package ledgerapi

import (
	"context"
	"errors"
	"iter"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
)

// ExternalPartyRecord reads the keys that check signatures.
type ExternalPartyRecord interface {
	// PartyKeys finds the keys of external parties; others are absent.
	PartyKeys(ctx context.Context, parties []ledger.Party) (map[ledger.Party]prepared.PartyKeys, error)
}

// JsExecuteSubmissionRequest is a prepared transaction with its signatures (contract, POST
// /v2/interactive-submission/executeAndWait).
type JsExecuteSubmissionRequest struct {
	endpoint.Strict

	PreparedTransaction  endpoint.Bytes       `json:"preparedTransaction" required:"true" doc:"From prepare, unchanged"`
	PartySignatures      v2.PartySignatures   `json:"partySignatures" required:"true" doc:"Signatures of its hash"`
	SubmissionID         string               `json:"submissionId" required:"true" doc:"New for each retry"`
	HashingSchemeVersion prepared.Scheme      `json:"hashingSchemeVersion" required:"true" doc:"From prepare"`
	UserID               *string              `json:"userId" doc:"Default: the user of the token"`
	DeduplicationPeriod  *DeduplicationPeriod `json:"deduplicationPeriod" doc:"Default: the longest"`
	MinLedgerTime        *MinLedgerTime       `json:"minLedgerTime" doc:"Earliest ledger time"`
}

// JsExecuteSubmissionAndWaitForTransactionRequest is a prepared transaction with its signatures, and the format of the
// answer.
type JsExecuteSubmissionAndWaitForTransactionRequest struct {
	endpoint.Strict

	PreparedTransaction  endpoint.Bytes       `json:"preparedTransaction" required:"true" doc:"From prepare, unchanged"`
	PartySignatures      v2.PartySignatures   `json:"partySignatures" required:"true" doc:"Signatures of its hash"`
	SubmissionID         string               `json:"submissionId" required:"true" doc:"New for each retry"`
	HashingSchemeVersion prepared.Scheme      `json:"hashingSchemeVersion" required:"true" doc:"From prepare"`
	UserID               *string              `json:"userId" doc:"Default: the user of the token"`
	DeduplicationPeriod  *DeduplicationPeriod `json:"deduplicationPeriod" doc:"Default: the longest"`
	MinLedgerTime        *MinLedgerTime       `json:"minLedgerTime" doc:"Earliest ledger time"`
	TransactionFormat    *TransactionFormat   `json:"transactionFormat" doc:"Default: the changes to active contracts"`
}

func (r JsExecuteSubmissionAndWaitForTransactionRequest) execution() JsExecuteSubmissionRequest {
	return JsExecuteSubmissionRequest{
		PreparedTransaction: r.PreparedTransaction, PartySignatures: r.PartySignatures, SubmissionID: r.SubmissionID,
		HashingSchemeVersion: r.HashingSchemeVersion, UserID: r.UserID, DeduplicationPeriod: r.DeduplicationPeriod,
		MinLedgerTime: r.MinLedgerTime,
	}
}

// RequestedParties implements [endpoint.ForParties].
func (r JsExecuteSubmissionRequest) RequestedParties() iter.Seq[ledger.Party] {
	return prepared.ActAs(r.PreparedTransaction)
}

// RequestedParties implements [endpoint.ForParties].
func (r JsExecuteSubmissionAndWaitForTransactionRequest) RequestedParties() iter.Seq[ledger.Party] {
	return prepared.ActAs(r.PreparedTransaction)
}

type executeRequest struct {
	Body JsExecuteSubmissionRequest `body:"json"`
}

type executeForTransactionRequest struct {
	Body JsExecuteSubmissionAndWaitForTransactionRequest `body:"json"`
}

func (a *API) execute(ctx context.Context, req executeRequest) (SubmitResponse, error) {
	submission, err := a.newExecution(ctx, req.Body, prepared.CheckSignatureCount)
	return a.submitOnly(ctx, submission, err)
}

func (a *API) executeAndWait(ctx context.Context, req executeRequest) (SubmitAndWaitResponse, error) {
	submission, err := a.newExecution(ctx, req.Body, anyCount)
	return a.submitForCompletion(ctx, submission, err)
}

func (a *API) executeAndWaitForTransaction(
	ctx context.Context, req executeForTransactionRequest,
) (JsSubmitAndWaitForTransactionResponse, error) {
	submission, err := a.newExecution(ctx, req.Body.execution(), anyCount)
	return a.submitForTransaction(ctx, submission, err, req.Body.TransactionFormat)
}

// anyCount does not limit the number of signatures beyond the keys of the party, as upstream's waiting calls.
func anyCount([]prepared.PartySignatures) *fault.Fault { return nil }

// newExecution checks a signed transaction in the documented order and makes its submission. It takes only signed data
// from the request, except for the user, the submission id, the deduplication and the minimum ledger time. With an
// error the submission has at most its submission id.
func (a *API) newExecution(
	ctx context.Context, body JsExecuteSubmissionRequest, checkCount func([]prepared.PartySignatures) *fault.Fault,
) (ledger.Submission, error) {
	refused := ledger.Submission{SubmissionID: body.SubmissionID}
	transaction, err := prepared.Decode(body.PreparedTransaction)
	undecodable, _ := errors.AsType[*prepared.DecodeError](err)
	if undecodable != nil && undecodable.Unreadable() {
		return refused, undecodable.Fault()
	}
	submission, err := a.newExecutionFields(ctx, body, transaction)
	if err != nil {
		return refused, err
	}
	signatures := submission.Signed.Signatures
	if refusal := prepared.CheckPartySignatures(signatures); refusal != nil {
		return refused, refusal
	}
	if refusal := body.HashingSchemeVersion.Check(); refusal != nil {
		return refused, refusal
	}
	if undecodable != nil {
		return refused, undecodable.Fault()
	}
	bound := a.minLedgerTime(body.MinLedgerTime.parts())
	if submission.MinLedgerTime, err = bound.Bound(submission.ReceivedAt); err != nil {
		return refused, err
	}
	if refusal := checkCount(signatures); refusal != nil {
		return refused, refusal
	}
	packages, err := a.catalog.For(ctx)
	if err != nil {
		return refused, err
	}
	synchronizer := prepared.SynchronizerOf(a.node)
	opened, refusal := prepared.Open(transaction, body.HashingSchemeVersion, signatures, synchronizer, packages)
	if refusal != nil {
		return refused, refusal
	}
	submission.CommandID, submission.ActAs = opened.Metadata.CommandID, opened.Metadata.ActAs
	return submission, a.checkSignatures(ctx, opened)
}

// newExecutionFields checks the rights and the plain fields of the request. The transaction is nil if it cannot be
// decoded.
func (a *API) newExecutionFields(
	ctx context.Context, body JsExecuteSubmissionRequest, transaction *prepared.Transaction,
) (ledger.Submission, error) {
	claims := endpoint.Claims(ctx)
	identity, err := claims.SubmittingUser(v2.OrEmpty(body.UserID))
	if err != nil {
		return ledger.Submission{}, err
	}
	if transaction != nil {
		if err := claims.RequireExecuteAs(transaction.Metadata().ActAs...); err != nil {
			return ledger.Submission{}, err
		}
	}
	if body.SubmissionID == "" {
		return ledger.Submission{}, fault.MissingFieldNamed("submission_id")
	}
	if err := ledger.CheckLedgerString(body.SubmissionID); err != nil {
		return ledger.Submission{}, fault.InvalidFieldNamed("submission_id", err.Error())
	}
	if err := identity.CheckUser(); err != nil {
		return ledger.Submission{}, err
	}
	deduplication, err := fromAPIDeduplicationPeriod(body.DeduplicationPeriod).Period()
	if err != nil {
		return ledger.Submission{}, err
	}
	if len(body.PreparedTransaction) == 0 {
		return ledger.Submission{}, fault.MissingFieldNamed("prepared_transaction")
	}
	return ledger.Submission{
		Key: uuid.NewString(), Identity: identity, SubmissionID: body.SubmissionID, Deduplication: deduplication,
		ReceivedAt: a.receivedAt(), Trace: endpoint.Trace(ctx), Kind: ledger.KindExternal,
		Admission: endpoint.Claims(ctx).Admission(ledger.AdmittedToExecute),
		Signed: &ledger.SignedTransaction{
			Transaction: body.PreparedTransaction, Scheme: string(body.HashingSchemeVersion),
			Signatures: v2.FromAPIPartySignatures(body.PartySignatures),
		},
	}, nil
}

// checkSignatures refuses a transaction without valid signatures of the acting parties. The commit checks them again,
// with the current keys. Before the signatures hold, errors reveal nothing from the record: with them the caller proves
// that the parties allow the transaction.
func (a *API) checkSignatures(ctx context.Context, opened *prepared.OpenedTransaction) error {
	keys, err := a.record.PartyKeys(ctx, opened.Metadata.ActAs)
	if err != nil {
		return err
	}
	if refusal := opened.CheckSignatures(keys); refusal != nil {
		return refusal
	}
	return nil
}
