package v0_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger/fault"
)

func failure(t *testing.T, err error) (int, any) {
	t.Helper()
	return v0.Failures("realm")(endpoint.WithClaims(t.Context(), auth.Claims{}), err)
}

// contract: auth-bearer
func TestFailure_NamesUserOfTokenForOtherNode(t *testing.T) {
	t.Parallel()
	verifier, err := auth.NewHS256(auth.HS256Options{
		Times: auth.Times{Now: time.Now}, Secret: "unsafe", Audience: "here", Scope: auth.DefaultScope,
		ParticipantID: "p::12",
	})
	require.NoError(t, err)
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": "alice", "aud": "elsewhere", "scope": auth.DefaultScope,
	}).SignedString([]byte("unsafe"))
	require.NoError(t, err)
	_, err = verifier.Verify(t.Context(), token)
	require.True(t, fault.PermissionDenied.Matches(err), "%v", err)
	status, body := failure(t, err)
	require.Equal(t, http.StatusForbidden, status)
	require.Equal(t, v0.ErrorResponse{Error: "Authorization Failed for alice"}, body)
}

func TestFailure_HintIsASentence(t *testing.T) {
	t.Parallel()
	for cause, said := range map[string]string{
		"3 commands are in flight": "PARTICIPANT_BACKPRESSURE: 3 commands are in flight. Wait.",
		"It is busy.":              "PARTICIPANT_BACKPRESSURE: It is busy. Wait.",
	} {
		_, body := failure(t, fault.ParticipantBackpressure.New("%s", cause).WithHint("Wait."))
		require.Equal(t, v0.ErrorResponse{Error: said}, body)
	}
}

// A 429 asks for a retry, which cannot help an expired signed transaction.
func TestFailure_LateTransactionIsAConflict(t *testing.T) {
	t.Parallel()
	for _, code := range []fault.Code{
		fault.LocalVerdictLedgerTimeOutOfBound, fault.LocalVerdictPreparationTimeOutOfBound,
		fault.LocalVerdictMaxRecordTimeExceeded,
	} {
		status, _ := failure(t, code.New("late"))
		require.Equal(t, http.StatusConflict, status, code.ID)
	}
	status, _ := failure(t, fault.SubmissionAlreadyInFlight.New("busy"))
	require.Equal(t, http.StatusTooManyRequests, status, "others ask for a retry")
}
