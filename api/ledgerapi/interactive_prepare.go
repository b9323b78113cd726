package ledgerapi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/preview"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
	"github.com/florinledger/florin/ledger/signing"
)

// JsPrepareSubmissionRequest asks for a transaction to sign (contract, POST /v2/interactive-submission/prepare).
type JsPrepareSubmissionRequest struct {
	endpoint.Strict

	CommandID                    string                `json:"commandId" required:"true" doc:"Part of the change id"`
	Commands                     []Command             `json:"commands" required:"true" doc:"One command"`
	ActAs                        []string              `json:"actAs" required:"true" doc:"The signing parties"`
	UserID                       *string               `json:"userId" doc:"Default: the user of the token"`
	ReadAs                       []string              `json:"readAs" doc:"Parties whose contracts may also be used"`
	MinLedgerTime                *MinLedgerTime        `json:"minLedgerTime" doc:"Earliest ledger time"`
	DisclosedContracts           []DisclosedContract   `json:"disclosedContracts" doc:"Contracts that others disclosed"`
	SynchronizerID               *string               `json:"synchronizerId" doc:"Optional: there is only one"`
	PackageIDSelectionPreference []string              `json:"packageIdSelectionPreference" doc:"For package names"`
	VerboseHashing               bool                  `json:"verboseHashing" doc:"Whether to explain the hash"`
	PrefetchContractKeys         []PrefetchContractKey `json:"prefetchContractKeys" doc:"Keys that the command uses"`
	MaxRecordTime                *endpoint.Timestamp   `json:"maxRecordTime" doc:"Latest record time; signed only in V3"`
	EstimateTrafficCost          *CostEstimationHints  `json:"estimateTrafficCost" doc:"Default: the cost is estimated"`
	TapsMaxPasses                *int32                `json:"tapsMaxPasses" doc:"Maximum passes of package selection"`
	HashingSchemeVersion         *prepared.Scheme      `json:"hashingSchemeVersion" doc:"Default: V2"`
}

// MinLedgerTime is a lower bound of the ledger time.
type MinLedgerTime struct {
	Time *MinLedgerTimeTime `json:"time" doc:"The bound; default: none"`
}

// MinLedgerTimeTime is the bound in one of its forms.
type MinLedgerTimeTime struct {
	endpoint.OneOf

	Empty            *v2.Nothing                         `json:"Empty,omitempty" doc:"No bound"`
	MinLedgerTimeAbs *endpoint.Value[endpoint.Timestamp] `json:"MinLedgerTimeAbs,omitempty" doc:"An instant"`
	MinLedgerTimeRel *endpoint.Value[v2.Duration]        `json:"MinLedgerTimeRel,omitempty" doc:"Relative to now"`
}

// CostEstimationHints are assumptions of the cost estimate.
type CostEstimationHints struct {
	Disabled           bool                `json:"disabled" doc:"Whether to leave the estimate out"`
	ExpectedSignatures []signing.Algorithm `json:"expectedSignatures" doc:"Expected signatures; no effect"`
}

// JsPrepareSubmissionResponse is a transaction to look at and sign.
type JsPrepareSubmissionResponse struct {
	PreparedTransaction     endpoint.Bytes  `json:"preparedTransaction" required:"true" doc:"Protobuf; send it to execute"`
	PreparedTransactionHash endpoint.Bytes  `json:"preparedTransactionHash" required:"true" doc:"32 bytes to sign"`
	HashingSchemeVersion    prepared.Scheme `json:"hashingSchemeVersion" required:"true" doc:"Version of the hash"`
	HashingDetails          *string         `json:"hashingDetails" doc:"Explanation of the hash, with verboseHashing"`
	CostEstimation          *CostEstimation `json:"costEstimation" doc:"Estimated traffic cost of execution"`
}

// CostEstimation is the expected traffic cost of a transaction, in bytes.
type CostEstimation struct {
	EstimationTimestamp  endpoint.Timestamp `json:"estimationTimestamp" required:"true" doc:"Time of the estimate"`
	ConfirmationRequest  int64              `json:"confirmationRequestTrafficCostEstimation" required:"true" doc:"Request"`
	ConfirmationResponse int64              `json:"confirmationResponseTrafficCostEstimation" required:"true" doc:"Answer"`
	Total                int64              `json:"totalTrafficCostEstimation" required:"true" doc:"The sum"`
}

// RequestedParties implements [endpoint.ForParties].
func (r JsPrepareSubmissionRequest) RequestedParties() iter.Seq[ledger.Party] {
	return partiesIn(r.ActAs)
}

// Requested implements [endpoint.ForSubmission].
func (r JsPrepareSubmissionRequest) Requested() ledger.Submission {
	return ledger.Submission{
		CommandID: r.CommandID, ActAs: v2.FromAPIParties(r.ActAs), Commands: FromAPICommands(r.Commands),
	}
}

type prepareRequest struct {
	Body JsPrepareSubmissionRequest `body:"json"`
}

func (a *API) prepareSubmission(ctx context.Context, req prepareRequest) (JsPrepareSubmissionResponse, error) {
	body := req.Body
	packages, err := a.catalog.For(ctx) // one state for the whole answer
	if err != nil {
		return JsPrepareSubmissionResponse{}, err
	}
	submission, err := a.newSubmissionFor(ctx, packages, body.commands(), preparingUser)
	if err != nil {
		return JsPrepareSubmissionResponse{}, err
	}
	scheme := prepared.SchemeV2
	if body.HashingSchemeVersion != nil {
		scheme = *body.HashingSchemeVersion
	}
	if err := checkPreparation(body, scheme); err != nil {
		return JsPrepareSubmissionResponse{}, err
	}
	transaction, err := preview.Interpret(ctx, packages, a.record, submission)
	if err != nil {
		return JsPrepareSubmissionResponse{}, err
	}
	metadata := prepared.Metadata{
		ActAs: submission.ActAs, CommandID: submission.CommandID, TransactionUUID: uuid.NewString(),
		SynchronizerID:  prepared.SynchronizerOf(a.node).IDToSign(),
		PreparationTime: transaction.EffectiveAt, LatestRecordTime: (*time.Time)(body.MaxRecordTime),
	}
	built, err := prepared.Build(packages, transaction, metadata)
	if err != nil {
		return JsPrepareSubmissionResponse{}, err
	}
	return a.toAPIPrepared(body, built, scheme, transaction)
}

// commands converts the request to the form of all submissions.
func (r JsPrepareSubmissionRequest) commands() JsCommands {
	absolute, relative := r.MinLedgerTime.parts()
	return JsCommands{
		Commands: r.Commands, CommandID: r.CommandID, ActAs: r.ActAs, UserID: r.UserID, ReadAs: r.ReadAs,
		MinLedgerTimeAbs: absolute, MinLedgerTimeRel: relative, DisclosedContracts: r.DisclosedContracts,
		SynchronizerID: r.SynchronizerID, PackageIDSelectionPreference: r.PackageIDSelectionPreference,
		PrefetchContractKeys: r.PrefetchContractKeys, TapsMaxPasses: r.TapsMaxPasses,
	}
}

// parts converts the bound to the form of composite commands.
func (t *MinLedgerTime) parts() (absolute *endpoint.Timestamp, relative *v2.Duration) {
	switch {
	case t == nil || t.Time == nil:
		return nil, nil
	case t.Time.MinLedgerTimeAbs != nil:
		return &t.Time.MinLedgerTimeAbs.Value, nil
	case t.Time.MinLedgerTimeRel != nil:
		return nil, &t.Time.MinLedgerTimeRel.Value
	default:
		return nil, nil
	}
}

// preparingUser checks the claims for preparing: it changes nothing, so the right to read is enough.
func preparingUser(ctx context.Context, requested string, actAs, readAs []ledger.Party) (ledger.Identity, error) {
	claims := endpoint.Claims(ctx)
	identity, err := claims.SubmittingUser(requested)
	if err != nil {
		return ledger.Identity{}, err
	}
	return identity, claims.RequireReadAs(ledger.SortedParties(actAs, readAs)...)
}

func checkPreparation(body JsPrepareSubmissionRequest, scheme prepared.Scheme) error {
	if hints := body.EstimateTrafficCost; hints != nil && slices.Contains(hints.ExpectedSignatures,
		signing.AlgorithmUnspecified) {
		return fault.InvalidFieldNamed("estimate_traffic_cost.expected_signatures",
			"Signing algorithm spec must be specified")
	}
	if refusal := scheme.Check(); refusal != nil {
		return refusal
	}
	if err := scheme.CheckProtocol(ledger.ProtocolVersion); err != nil {
		return notPrepared("%s", err)
	}
	if bound := body.MaxRecordTime; bound != nil && time.Time(*bound).Before(time.Unix(0, 0)) {
		return fault.InvalidFieldNamed("max_record_time", fmt.Sprintf(
			"it must not be before 1970-01-01T00:00:00Z, but it is %s", bound))
	}
	if len(body.Commands) > 1 {
		return notPrepared("Preparing multiple commands is currently not supported").
			WithHint("Send one command, for example a choice that does everything.")
	}
	return nil
}

func notPrepared(format string, args ...any) *fault.Fault {
	return fault.FailedToPrepareTransaction.New(
		"The participant failed to prepare the transaction: %s", fmt.Sprintf(format, args...))
}

func (a *API) toAPIPrepared(
	body JsPrepareSubmissionRequest, built *prepared.Transaction, scheme prepared.Scheme, transaction ledger.Transaction,
) (JsPrepareSubmissionResponse, error) {
	hash, err := built.Hash(scheme)
	if unhashable, ok := errors.AsType[*prepared.SchemeError](err); ok {
		return JsPrepareSubmissionResponse{}, notPrepared("%s", unhashable)
	}
	if err != nil {
		return JsPrepareSubmissionResponse{}, err
	}
	out := JsPrepareSubmissionResponse{
		PreparedTransaction: built.Bytes(), PreparedTransactionHash: hash[:], HashingSchemeVersion: scheme,
	}
	if body.VerboseHashing {
		details, err := built.HashingDetails(scheme)
		if err != nil {
			return JsPrepareSubmissionResponse{}, err
		}
		out.HashingDetails = &details
	}
	if hints := body.EstimateTrafficCost; hints != nil && hints.Disabled {
		return out, nil
	}
	cost, err := ledger.TrafficCost(transaction.Events())
	out.CostEstimation = &CostEstimation{
		EstimationTimestamp: endpoint.Timestamp(a.now()), ConfirmationRequest: cost, Total: cost,
	}
	return out, err
}
