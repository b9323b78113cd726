package grpcapi

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger/fault"
)

// maxStatus is the maximum size of a status in bytes: clients read trailers of 8 kB, in which it is base64.
const maxStatus = 4096

// fail makes the status of an error: the same code, category, context and resources as in the body of JSON.
func (s *Service) fail(ctx context.Context, err error) error {
	if unread, ok := errors.AsType[*unreadError](err); ok {
		return unread.status
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return grpcstatus.Error(codes.Canceled, "the client ended the call")
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return grpcstatus.Error(codes.DeadlineExceeded, "the deadline of the call is over")
	}
	refusal := endpoint.FaultOf(err)
	edge, _ := errors.AsType[*endpoint.RefusedError](err)
	correlation := ""
	if edge != nil {
		correlation = edge.CorrelationID
	}
	trace := endpoint.Trace(ctx).TraceID()
	if refusal.Redacted() {
		return grpcstatus.FromProto(s.redacted(refusal, correlation, trace)).Err()
	}
	facts := *refusal
	facts.Context = maps.Clone(refusal.Context)
	_ = facts.With("participant", s.participant).With("tid", trace)
	return grpcstatus.FromProto(fit(&facts, correlation, trace)).Err()
}

// unreadError is a message that the library could not read. The client gets the library's status; for the log it is a
// mistake of the client.
type unreadError struct {
	status error
	as     error
}

// Error implements error.
func (e *unreadError) Error() string { return e.status.Error() }

// Unwrap returns the fault for the log.
func (e *unreadError) Unwrap() error { return e.as }

// asUnread explains why there is no message; nil for nil.
func asUnread(err error) error {
	switch grpcstatus.Code(err) {
	case codes.OK:
		return nil
	case codes.Canceled, codes.DeadlineExceeded, codes.Unavailable:
		return &unreadError{err, context.Canceled}
	default:
		return &unreadError{err, fault.InvalidArgumentf("%s", grpcstatus.Convert(err).Message())}
	}
}

// redacted is the status of an error whose details clients do not get.
func (s *Service) redacted(refusal *fault.Fault, correlation, trace string) *status.Status {
	message := "An error occurred. Please contact the operator and inquire about the request " +
		cmp.Or(correlation, "<no-correlation-id>") + " with tid " + cmp.Or(trace, "<no-tid>")
	if s.explains && refusal.IsAboutRights() {
		message += ". On this development node: " + refusal.Explanation()
	}
	return toProto(fault.Status{
		Code: refusal.Category.GRPC(), Message: message, Details: fault.RequestDetails(cmp.Or(correlation, trace)),
	})
}

// fit is the status of a refusal. The longest texts of its context go until it fits.
func fit(refusal *fault.Fault, correlation, trace string) *status.Status {
	for {
		made := toProto(refusal.StatusOfCall(correlation, trace))
		if proto.Size(made) <= maxStatus {
			return made
		}
		longest := ""
		for key, value := range refusal.Context {
			if longest == "" || len(value) > len(refusal.Context[longest]) {
				longest = key
			}
		}
		switch {
		case longest != "" && len(refusal.Context[longest]) > maxStatus/16:
			delete(refusal.Context, longest)
		case len(refusal.Resources) > 0:
			refusal.Resources = refusal.Resources[:len(refusal.Resources)-1]
		case refusal.Hint != "":
			refusal.Hint = ""
		case longest != "":
			delete(refusal.Context, longest)
		default:
			return made
		}
	}
}

// toProto converts a status. Texts of requests may hold what protobuf does not take.
func toProto(from fault.Status) *status.Status {
	out := &status.Status{Code: from.Code, Message: strings.ToValidUTF8(from.Message, "\uFFFD")}
	for _, detail := range from.Details {
		out.Details = append(out.Details, &anypb.Any{TypeUrl: detail.TypeURL, Value: detail.Value})
	}
	return out
}
