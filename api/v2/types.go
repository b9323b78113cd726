package v2

import (
	"strconv"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The small types that several resources share.

// ObjectMeta is local metadata of users and parties (contract, "User" and "PartyDetails").
type ObjectMeta struct {
	ResourceVersion string            `json:"resourceVersion" doc:"Number of changes; empty in a request: no check"`
	Annotations     map[string]string `json:"annotations" doc:"Free-form texts by key"`
}

// Nothing is an object without fields.
type Nothing struct{}

// TraceContext is a W3C trace context.
type TraceContext struct {
	Traceparent *string `json:"traceparent" doc:"W3C traceparent"`
	Tracestate  *string `json:"tracestate" doc:"W3C tracestate"`
}

// UnknownFieldSet is always empty: the API's JSON has it in every protobuf message.
type UnknownFieldSet struct {
	Fields map[string]UnknownField `json:"fields" required:"true" doc:"Always empty"`
}

// UnknownField is a field that a protobuf parser does not know.
type UnknownField struct {
	Varint          []int64  `json:"varint" doc:"Always empty"`
	Fixed64         []int64  `json:"fixed64" doc:"Always empty"`
	Fixed32         []int32  `json:"fixed32" doc:"Always empty"`
	LengthDelimited []string `json:"lengthDelimited" doc:"Always empty"`
}

// Duration is a protobuf duration.
type Duration struct {
	Seconds       int64           `json:"seconds" required:"true" doc:"Whole seconds"`
	Nanos         int32           `json:"nanos" required:"true" doc:"Additional nanoseconds, with the same sign"`
	UnknownFields UnknownFieldSet `json:"unknownFields" doc:"Always empty"`
}

// SynchronizerTime is a record time and the synchronizer that assigned it.
type SynchronizerTime struct {
	SynchronizerID string             `json:"synchronizerId" required:"true" doc:"The synchronizer"`
	RecordTime     endpoint.Timestamp `json:"recordTime" required:"true" doc:"Record time of the synchronizer"`
}

// OffsetCheckpoint is a position to resume from (contract, "OffsetCheckpoint").
type OffsetCheckpoint struct {
	Offset            int64              `json:"offset" required:"true" doc:"Everything up to here has been sent"`
	SynchronizerTimes []SynchronizerTime `json:"synchronizerTimes" doc:"Record times of the synchronizers"`
}

// ToAPITraceContext returns nil for an empty context.
func ToAPITraceContext(trace ledger.TraceContext) *TraceContext {
	if trace.Traceparent == "" {
		return nil
	}
	return &TraceContext{Traceparent: OrNull(trace.Traceparent), Tracestate: OrNull(trace.Tracestate)}
}

// ToAPIDuration splits a duration as protobuf does.
func ToAPIDuration(d time.Duration) Duration {
	return Duration{Seconds: int64(d / time.Second), Nanos: int32(d % time.Second)}
}

// FromAPIDuration converts a duration for the rules of the ledger.
func FromAPIDuration(d *Duration) *ledger.SplitDuration {
	if d == nil {
		return nil
	}
	return &ledger.SplitDuration{Seconds: d.Seconds, Nanos: d.Nanos}
}

// ToAPIParties converts parties to strings.
func ToAPIParties(parties []ledger.Party) []string { return ledger.Strings(parties) }

// FromAPIParties converts strings to parties without checks.
func FromAPIParties(parties []string) []ledger.Party {
	return ledger.FromStrings[ledger.Party](parties)
}

// CheckParties is the INVALID_ARGUMENT for the first malformed party.
func CheckParties(parties []string) error {
	for _, party := range parties {
		if err := ledger.CheckParty(party); err != nil {
			return fault.InvalidArgumentf("%s", err)
		}
	}
	return nil
}

// CheckNoResourceVersion refuses a resource version in a new object.
func CheckNoResourceVersion(meta *ObjectMeta, field string) error {
	if meta != nil && meta.ResourceVersion != "" {
		return fault.InvalidArgumentf("field %s must be not set, but is %q", field, meta.ResourceVersion).
			WithHint("Leave the resource version out: the server counts it.")
	}
	return nil
}

// AnnotationsOf returns the annotations of metadata, which may be nil.
func AnnotationsOf(meta *ObjectMeta) map[string]string {
	if meta == nil {
		return nil
	}
	return meta.Annotations
}

// ToAPIMeta converts the metadata of a stored object.
func ToAPIMeta(resourceVersion int64, annotations map[string]string) *ObjectMeta {
	return &ObjectMeta{ResourceVersion: strconv.FormatInt(resourceVersion, 10), Annotations: annotations}
}

// ToAPITimes makes the times of the node's only synchronizer.
func ToAPITimes(synchronizerID string, recordTime time.Time) []SynchronizerTime {
	return []SynchronizerTime{{SynchronizerID: synchronizerID, RecordTime: endpoint.Timestamp(recordTime)}}
}

// OrNull is null for "".
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// OrEmpty is "" for null.
func OrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
