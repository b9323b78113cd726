package fault

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// The types below are the four details of package google.rpc that statuses carry. Each is written twice: as protobuf
// bytes, for clients that decode them, and as the JSON object beside the bytes.

// Detail is one detail of a Status: a protobuf message, packed, and its decoded form.
type Detail struct {
	TypeURL       string        `json:"typeUrl"`
	Value         []byte        `json:"value"` // protobuf bytes; base64 in JSON
	Decoded       any           `json:"valueDecoded"`
	UnknownFields UnknownFields `json:"unknownFields"`
}

// UnknownFields is always empty: the JSON shape of the API has it in every message.
type UnknownFields struct {
	Fields struct{} `json:"fields"`
}

// ErrorInfo names the code and its context.
type ErrorInfo struct {
	Reason        string            `json:"reason"`
	Domain        string            `json:"domain"`
	Metadata      map[string]string `json:"metadata"`
	UnknownFields UnknownFields     `json:"unknownFields"`
}

// RetryInfo says how long to wait before trying again.
type RetryInfo struct {
	RetryDelay    Duration      `json:"retryDelay"`
	UnknownFields UnknownFields `json:"unknownFields"`
}

// Duration is a google.protobuf.Duration.
type Duration struct {
	Seconds       int64         `json:"seconds"`
	Nanos         int32         `json:"nanos"`
	UnknownFields UnknownFields `json:"unknownFields"`
}

// ResourceInfo names one resource.
type ResourceInfo struct {
	ResourceType  string        `json:"resourceType"`
	ResourceName  string        `json:"resourceName"`
	Owner         string        `json:"owner"`
	Description   string        `json:"description"`
	UnknownFields UnknownFields `json:"unknownFields"`
}

// RequestInfo carries the correlation id.
type RequestInfo struct {
	RequestID     string        `json:"requestId"`
	ServingData   string        `json:"servingData"`
	UnknownFields UnknownFields `json:"unknownFields"`
}

// details lists ErrorInfo, RetryInfo for errors that a client may retry, RequestInfo with a correlation id, and one
// ResourceInfo for each resource.
func (f *Fault) details(requestID string) []Detail {
	info := ErrorInfo{Reason: f.Code, Metadata: f.Metadata()}
	details := []Detail{pack("ErrorInfo", info.wire(), info)}
	if f.Category.Retry() != "" {
		retry := RetryInfo{RetryDelay: Duration{Seconds: f.retrySeconds()}}
		details = append(details, pack("RetryInfo", retry.wire(), retry))
	}
	details = append(details, RequestDetails(requestID)...)
	for _, resource := range f.Resources {
		named := ResourceInfo{ResourceType: resource.Type, ResourceName: resource.Value}
		details = append(details, pack("ResourceInfo", named.wire(), named))
	}
	return details
}

// RequestDetails names a request; there are none without an id.
func RequestDetails(requestID string) []Detail {
	if requestID == "" {
		return nil
	}
	request := RequestInfo{RequestID: requestID}
	return []Detail{pack("RequestInfo", request.wire(), request)}
}

// retrySeconds is how long upstream's errors tell a client to wait.
func (f *Fault) retrySeconds() int64 {
	switch f.Code {
	case StaleStreamAuthorization.ID:
		return 0
	case ServerOverloaded.ID:
		return 5
	case AbortedDueToShutdown.ID:
		return 10
	default:
		return 1
	}
}

func pack(name string, value []byte, decoded any) Detail {
	return Detail{TypeURL: "type.googleapis.com/google.rpc." + name, Value: value, Decoded: decoded}
}

// The wire methods write protobuf by hand: four small messages do not justify a dependency. They omit fields with the
// default value and sort map entries, so that equal details have equal bytes.

func (e ErrorInfo) wire() []byte {
	message := appendText(nil, 1, e.Reason)
	message = appendText(message, 2, e.Domain)
	for _, key := range slices.Sorted(maps.Keys(e.Metadata)) {
		entry := appendText(nil, 1, key)
		entry = appendText(entry, 2, e.Metadata[key])
		message = appendBytes(message, 3, entry)
	}
	return message
}

func (r RetryInfo) wire() []byte {
	delay := appendNumber(nil, 1, r.RetryDelay.Seconds)
	delay = appendNumber(delay, 2, int64(r.RetryDelay.Nanos))
	return appendBytes(nil, 1, delay)
}

func (r ResourceInfo) wire() []byte {
	message := appendText(nil, 1, r.ResourceType)
	message = appendText(message, 2, r.ResourceName)
	message = appendText(message, 3, r.Owner)
	return appendText(message, 4, r.Description)
}

func (r RequestInfo) wire() []byte {
	message := appendText(nil, 1, r.RequestID)
	return appendText(message, 2, r.ServingData)
}

// Protobuf wire types.
const (
	wireVarint          = 0
	wireLengthDelimited = 2
)

func appendText(message []byte, field uint64, text string) []byte {
	if text == "" {
		return message
	}
	return appendBytes(message, field, []byte(strings.ToValidUTF8(text, "\uFFFD")))
}

func appendBytes(message []byte, field uint64, content []byte) []byte {
	message = binary.AppendUvarint(message, field<<3|wireLengthDelimited)
	message = binary.AppendUvarint(message, uint64(len(content)))
	return append(message, content...)
}

func appendNumber(message []byte, field uint64, number int64) []byte {
	if number == 0 {
		return message
	}
	message = binary.AppendUvarint(message, field<<3|wireVarint)
	return binary.AppendUvarint(message, uint64(number))
}
