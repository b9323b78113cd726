package v2

import (
	"context"
	"errors"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// JsCantonError is the body of every error that is not plain text (contract, "Error body").
type JsCantonError struct {
	Code           string            `json:"code" required:"true" doc:"The error code; NA when details are hidden"`
	Cause          string            `json:"cause" required:"true" doc:"What is wrong"`
	CorrelationID  *string           `json:"correlationId" doc:"The submission id, for errors of submissions"`
	TraceID        *string           `json:"traceId" doc:"The trace of the request, 32 hexadecimal characters"`
	Context        map[string]string `json:"context" required:"true" doc:"Values for programs"`
	Resources      [][]string        `json:"resources" doc:"What the error is about: pairs of type and value"`
	ErrorCategory  int32             `json:"errorCategory" required:"true" doc:"1 to 14; -1 when details are hidden"`
	GRPCCodeValue  *int32            `json:"grpcCodeValue" doc:"The gRPC status code"`
	RetryInfo      *string           `json:"retryInfo" doc:"Time to wait before a retry, such as 1 second"`
	DefiniteAnswer *bool             `json:"definiteAnswer" doc:"Whether the outcome is final; usually in context"`
	Hint           *string           `json:"hint" doc:"What to do next; an addition of this node"`
	RefusalTrace   *RefusalTrace     `json:"refusalTrace,omitempty" doc:"How the commands failed; only with dry_run=true"`
}

// The constants of redacted bodies.
const (
	redactedCode     = "NA"
	redactedCategory = -1
	// invalidTokenKey is the only context that a redacted error may carry.
	invalidTokenKey = "ledger_api_error"
)

// FailureEncoder makes the errors of this API family. Their context has the first part of the participant id. explains
// puts the cause of a redacted error into its hint.
func FailureEncoder(participantID string, explains bool) endpoint.FailureEncoder {
	participant, _, _ := strings.Cut(participantID, "::")
	return func(ctx context.Context, err error) (int, any) {
		refusal := fault.From(err)
		body := JsCantonError{TraceID: OrNull(endpoint.Trace(ctx).TraceID())}
		if traced, ok := errors.AsType[*TracedError](err); ok {
			body.RefusalTrace = traced.Trace
		}
		if refusal.Redacted() {
			redact(&body, refusal)
			if explains && refusal.IsAboutRights() {
				body.Hint = OrNull(strings.TrimSpace("On this development node: " + refusal.Explanation() + ". " + OrEmpty(body.Hint)))
			}
			return refusal.HTTP(), body
		}
		describe(&body, refusal)
		edge, _ := errors.AsType[*endpoint.RefusedError](err)
		if edge != nil && edge.AtEdge {
			definite := false
			body.DefiniteAnswer = &definite
			return refusal.HTTP(), body
		}
		if edge != nil {
			body.CorrelationID = OrNull(edge.CorrelationID)
		}
		body.Context = refusal.Metadata()
		delete(body.Context, "hint") // it has its own field here
		body.Context["participant"] = participant
		body.Context["tid"] = endpoint.Trace(ctx).TraceID()
		return refusal.HTTP(), body
	}
}

// redact keeps only the status and the general advice of the code.
func redact(body *JsCantonError, refusal *fault.Fault) {
	body.Code = redactedCode
	body.Cause = fault.RedactedCause
	body.ErrorCategory = redactedCategory
	body.GRPCCodeValue = new(refusal.Category.GRPC())
	if reason, ok := refusal.Context[invalidTokenKey]; ok {
		body.Context = map[string]string{invalidTokenKey: reason}
	}
	if code, ok := fault.Lookup(refusal.Code); ok {
		body.Hint = OrNull(code.Hint)
	}
}

func describe(body *JsCantonError, refusal *fault.Fault) {
	body.Code = refusal.Code
	body.Cause = refusal.ShortCause()
	body.ErrorCategory = int32(refusal.Category)
	body.GRPCCodeValue = new(refusal.Category.GRPC())
	body.RetryInfo = OrNull(refusal.Category.Retry())
	body.Hint = OrNull(refusal.Hint)
	for _, resource := range refusal.Resources {
		body.Resources = append(body.Resources, []string{resource.Type, resource.Value})
	}
}

// AtEdge marks a fault that the HTTP layer found itself.
func AtEdge(refusal *fault.Fault) error { return &endpoint.RefusedError{Err: refusal, AtEdge: true} }

// OfSubmission ties an error to a submission, unless the client's id for it is not valid.
func OfSubmission(err error, submissionID string) error {
	if ledger.CheckLedgerString(submissionID) != nil {
		submissionID = ""
	}
	return &endpoint.RefusedError{Err: err, CorrelationID: submissionID}
}
