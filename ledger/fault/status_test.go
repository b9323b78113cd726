package fault_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/florinledger/florin/ledger/fault"
)

func TestStatus_OfAnAcceptedCommandIsOK(t *testing.T) {
	t.Parallel()
	encoded, err := json.Marshal(fault.Succeeded())
	require.NoError(t, err)
	require.JSONEq(t, `{"code":0,"message":"","details":[]}`, string(encoded))
}

func TestStatus_NamesCodeCategoryAndCorrelation(t *testing.T) {
	t.Parallel()
	f := fault.LocalVerdictInactiveContracts.New("Rejected transaction is referring to inactive contracts")
	require.Equal(t,
		"LOCAL_VERDICT_INACTIVE_CONTRACTS(11,1a2b3c4d): Rejected transaction is referring to inactive contracts",
		f.Status("1a2b3c4d-2a88-4d1b-8a1d-4c3f7a5f0001").Message)
	require.Contains(t, f.Status("").Message, "(11,0): ")
	require.Equal(t, int32(5), f.Status("").Code)
}

func TestStatus_HidesARedactedFault(t *testing.T) {
	t.Parallel()
	status := fault.LedgerAPIInternalError.New("secret").With("secret", "x").Status("1a2b3c4d")
	require.Equal(t, fault.Status{Code: 13, Message: fault.RedactedCause, Details: []fault.Detail{}}, status)
}

// TestDetails_DecodeWithTheOfficialLibrary proves that the handwritten bytes are protobuf.
func TestDetails_DecodeWithTheOfficialLibrary(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 200) // needs a length of two bytes
	f := fault.ConcurrentUserUpdateDetected.New("locked").
		With("k", long).With("empty", "").With("a", "\xff").WithHint("").
		WithResource("CONTRACT_ID", "00ab").WithResource("CONTRACT_ID", "00cd")
	want := []proto.Message{
		&errdetails.ErrorInfo{
			Reason: "CONCURRENT_USER_UPDATE_DETECTED",
			Metadata: map[string]string{
				"a": "\uFFFD", "category": "2", "definite_answer": "false", "empty": "", "k": long,
			},
		},
		&errdetails.RetryInfo{RetryDelay: durationOf(1)},
		&errdetails.RequestInfo{RequestId: "1a2b3c4d-2a88"},
		&errdetails.ResourceInfo{ResourceType: "CONTRACT_ID", ResourceName: "00ab"},
		&errdetails.ResourceInfo{ResourceType: "CONTRACT_ID", ResourceName: "00cd"},
	}
	details := f.Status("1a2b3c4d-2a88").Details
	require.Len(t, details, len(want))
	for i, detail := range details {
		got, err := (&anypb.Any{TypeUrl: detail.TypeURL, Value: detail.Value}).UnmarshalNew()
		require.NoError(t, err)
		require.True(t, proto.Equal(want[i], got), "want %v, got %v", want[i], got)
	}
}

func TestDetails_OmitAbsentParts(t *testing.T) {
	t.Parallel()
	details := fault.InvalidArgumentf("x").Status("").Details
	require.Len(t, details, 1)
	require.Equal(t, "type.googleapis.com/google.rpc.ErrorInfo", details[0].TypeURL)
}

// contract: status-details, values-unknown-fields
func TestDetails_JSONHasBytesAndDecodedForm(t *testing.T) {
	t.Parallel()
	f := fault.SubmissionAlreadyInFlight.New("x").WithHint("").WithResource("COMMAND_ID", "c")
	encoded, err := json.Marshal(f.Status("r"))
	require.NoError(t, err)
	require.JSONEq(t, `{
	  "code": 10, "message": "SUBMISSION_ALREADY_IN_FLIGHT(2,r): x",
	  "details": [
	    {"typeUrl": "type.googleapis.com/google.rpc.ErrorInfo",
	     "value": "ChxTVUJNSVNTSU9OX0FMUkVBRFlfSU5fRkxJR0hUGg0KCGNhdGVnb3J5EgEyGhgKD2RlZmluaXRlX2Fuc3dlchIFZmFsc2U=",
	     "valueDecoded": {"reason": "SUBMISSION_ALREADY_IN_FLIGHT", "domain": "",
	       "metadata": {"category": "2", "definite_answer": "false"}, "unknownFields": {"fields": {}}},
	     "unknownFields": {"fields": {}}},
	    {"typeUrl": "type.googleapis.com/google.rpc.RetryInfo", "value": "CgIIAQ==",
	     "valueDecoded": {"retryDelay": {"seconds": 1, "nanos": 0, "unknownFields": {"fields": {}}},
	       "unknownFields": {"fields": {}}},
	     "unknownFields": {"fields": {}}},
	    {"typeUrl": "type.googleapis.com/google.rpc.RequestInfo", "value": "CgFy",
	     "valueDecoded": {"requestId": "r", "servingData": "", "unknownFields": {"fields": {}}},
	     "unknownFields": {"fields": {}}},
	    {"typeUrl": "type.googleapis.com/google.rpc.ResourceInfo", "value": "CgpDT01NQU5EX0lEEgFj",
	     "valueDecoded": {"resourceType": "COMMAND_ID", "resourceName": "c", "owner": "", "description": "",
	       "unknownFields": {"fields": {}}},
	     "unknownFields": {"fields": {}}}
	  ]}`, string(encoded))
}

func durationOf(seconds int64) *durationpb.Duration { return &durationpb.Duration{Seconds: seconds} }
