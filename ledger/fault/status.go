package fault

import (
	"cmp"
	"strconv"
)

// RedactedCause is the cause that a client gets for a redacted error.
const RedactedCause = "A security-sensitive error has been received"

// correlationLength is how much of a correlation id appears in a status message.
const correlationLength = 8

// Status is the google.rpc.Status that a completion carries, in the JSON shape of the API.
type Status struct {
	Code    int32    `json:"code"` // gRPC status code, 0 for success
	Message string   `json:"message"`
	Details []Detail `json:"details"`
}

// Succeeded returns the status of an accepted command.
func Succeeded() Status { return Status{Details: []Detail{}} }

// Status returns the status of a refused command: the message is "CODE(category,correlation): cause", and the details
// say the same to machines. The correlation id is the submission's; it may be empty. A redacted Fault gives neither
// cause nor details.
func (f *Fault) Status(correlationID string) Status {
	if f.Redacted() {
		return Status{Code: f.Category.GRPC(), Message: RedactedCause, Details: []Detail{}}
	}
	return f.StatusOfCall(correlationID, "")
}

// StatusOfCall is [Fault.Status] for the answer to a call: without a correlation id, the id of the trace names the
// request. It does not redact.
func (f *Fault) StatusOfCall(correlationID, traceID string) Status {
	return Status{
		Code:    f.Category.GRPC(),
		Message: f.statusPrefix(correlationID) + f.ShortCause(),
		Details: f.details(cmp.Or(correlationID, traceID)),
	}
}

func (f *Fault) statusPrefix(correlationID string) string {
	if correlationID == "" {
		correlationID = "0"
	}
	short := correlationID[:min(len(correlationID), correlationLength)]
	return f.Code + "(" + strconv.Itoa(int(f.Category)) + "," + short + "): "
}
