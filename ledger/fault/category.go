package fault

import "strconv"

// Category groups codes by what the client can do about them. The number is part of the public API.
type Category int

// The categories of the ledger's error model.
const (
	// TransientServerFailure: the service is down for a moment. Retry.
	TransientServerFailure Category = 1
	// ContentionOnSharedResources: a race was lost, a limit reached, or the same request is in flight. Retry.
	ContentionOnSharedResources Category = 2
	// DeadlineExceededRequestStateUnknown: the outcome is unknown. Retry with the same change id.
	DeadlineExceededRequestStateUnknown Category = 3
	// SystemInternalAssumptionViolated: a bug. Details stay in the server's log.
	SystemInternalAssumptionViolated Category = 4
	// SecurityAlert: malicious or faulty behaviour.
	SecurityAlert Category = 5
	// InvalidAuthenticationCredentials: no token, or an invalid one. Details stay in the server's log.
	InvalidAuthenticationCredentials Category = 6
	// InsufficientPermission: the token is valid, but a right is missing. Details stay in the server's log.
	InsufficientPermission Category = 7
	// InvalidIndependentOfSystemState: the request is wrong whatever the state.
	InvalidIndependentOfSystemState Category = 8
	// InvalidGivenCurrentSystemStateOther: the request is wrong now.
	InvalidGivenCurrentSystemStateOther Category = 9
	// InvalidGivenCurrentSystemStateResourceExists: the resource to create exists already.
	InvalidGivenCurrentSystemStateResourceExists Category = 10
	// InvalidGivenCurrentSystemStateResourceMissing: a required resource does not exist.
	InvalidGivenCurrentSystemStateResourceMissing Category = 11
	// InvalidGivenCurrentSystemStateSeekAfterEnd: reading past the end. Retry later.
	InvalidGivenCurrentSystemStateSeekAfterEnd Category = 12
	// BackgroundProcessDegradationWarning: for logs only; never returned to a client.
	BackgroundProcessDegradationWarning Category = 13
	// InternalUnsupportedOperation: not supported here. Details stay in the server's log.
	InternalUnsupportedOperation Category = 14
)

// The gRPC codes that categories map to. Their numbers appear in statuses and error bodies.
const (
	grpcUnknown            = 2
	grpcInvalidArgument    = 3
	grpcDeadlineExceeded   = 4
	grpcNotFound           = 5
	grpcAlreadyExists      = 6
	grpcPermissionDenied   = 7
	grpcFailedPrecondition = 9
	grpcAborted            = 10
	grpcOutOfRange         = 11
	grpcUnimplemented      = 12
	grpcInternal           = 13
	grpcUnavailable        = 14
	grpcUnauthenticated    = 16
)

type categoryFacts struct {
	name       string
	grpc, http int
	retry      bool
	redacted   bool
}

// facts returns the values that the error model fixes for a category. An unknown category counts as an unknown server
// error.
func (c Category) facts() categoryFacts {
	switch c {
	case TransientServerFailure:
		return categoryFacts{name: "TransientServerFailure", grpc: grpcUnavailable, http: 503, retry: true}
	case ContentionOnSharedResources:
		return categoryFacts{name: "ContentionOnSharedResources", grpc: grpcAborted, http: 409, retry: true}
	case DeadlineExceededRequestStateUnknown:
		return categoryFacts{name: "DeadlineExceededRequestStateUnknown", grpc: grpcDeadlineExceeded, http: 504, retry: true}
	case SystemInternalAssumptionViolated:
		return categoryFacts{name: "SystemInternalAssumptionViolated", grpc: grpcInternal, http: 500, redacted: true}
	case SecurityAlert:
		return categoryFacts{name: "SecurityAlert", grpc: grpcInvalidArgument, http: 400}
	case InvalidAuthenticationCredentials:
		return categoryFacts{
			name: "AuthInterceptorInvalidAuthenticationCredentials", grpc: grpcUnauthenticated, http: 401, redacted: true,
		}
	case InsufficientPermission:
		return categoryFacts{name: "InsufficientPermission", grpc: grpcPermissionDenied, http: 403, redacted: true}
	case InvalidIndependentOfSystemState:
		return categoryFacts{name: "InvalidIndependentOfSystemState", grpc: grpcInvalidArgument, http: 400}
	case InvalidGivenCurrentSystemStateOther:
		return categoryFacts{name: "InvalidGivenCurrentSystemStateOther", grpc: grpcFailedPrecondition, http: 400}
	case InvalidGivenCurrentSystemStateResourceExists:
		return categoryFacts{name: "InvalidGivenCurrentSystemStateResourceExists", grpc: grpcAlreadyExists, http: 409}
	case InvalidGivenCurrentSystemStateResourceMissing:
		return categoryFacts{name: "InvalidGivenCurrentSystemStateResourceMissing", grpc: grpcNotFound, http: 404}
	case InvalidGivenCurrentSystemStateSeekAfterEnd:
		return categoryFacts{
			name: "InvalidGivenCurrentSystemStateSeekAfterEnd", grpc: grpcOutOfRange, http: 400, retry: true,
		}
	case InternalUnsupportedOperation:
		return categoryFacts{name: "InternalUnsupportedOperation", grpc: grpcUnimplemented, http: 501, redacted: true}
	case BackgroundProcessDegradationWarning:
		return categoryFacts{name: "BackgroundProcessDegradationWarning", grpc: grpcUnknown, http: 500, redacted: true}
	default:
		return categoryFacts{name: "Category" + strconv.Itoa(int(c)), grpc: grpcUnknown, http: 500, redacted: true}
	}
}

// String returns the category's name.
func (c Category) String() string { return c.facts().name }

// HTTP returns the HTTP status. One code answers differently; see Code.HTTP.
func (c Category) HTTP() int { return c.facts().http }

// GRPC returns the gRPC status code.
func (c Category) GRPC() int32 { return int32(c.facts().grpc) }

// Retry returns after how long a client may retry, in words: "1 second", or "" when retrying does not help.
func (c Category) Retry() string {
	if c.facts().retry {
		return "1 second"
	}
	return ""
}

// Redacted reports whether clients get no details.
func (c Category) Redacted() bool { return c.facts().redacted }
