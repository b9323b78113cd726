package operatorapi_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/test/apitest"
)

func TestAudit_ReportsState(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice := s.Wallet("alice")
	alice.Tap("100")
	var first struct {
		Clean  bool   `json:"clean"`
		Offset int64  `json:"offset"`
		Minted string `json:"minted"`
		Held   string `json:"held"`
	}
	s.Call(apitest.Admin, http.MethodGet, "/v0/admin/audit", nil).OK(&first)
	require.True(t, first.Clean)
	require.Equal(t, "100.0000000000", first.Held)
	alice.Tap("50")

	t.Run("as of an earlier offset", func(t *testing.T) {
		t.Parallel()
		again := first
		path := "/v0/admin/audit?full=true&offset=" + strconv.FormatInt(first.Offset, 10)
		s.In(t).Call(apitest.Admin, http.MethodGet, path, nil).OK(&again)
		require.Equal(t, first, again)
	})
	t.Run("not beyond the end, nor before the beginning", func(t *testing.T) {
		t.Parallel()
		for offset, code := range map[string]string{"1000": "OFFSET_AFTER_LEDGER_END", "0": "NON_POSITIVE_OFFSET"} {
			answer := s.In(t).Call(apitest.Admin, http.MethodGet, "/v0/admin/audit?offset="+offset, nil)
			require.Equal(t, http.StatusBadRequest, answer.Status)
			require.Contains(t, answer.Text, code)
		}
		s.In(t).Call(apitest.Admin, http.MethodGet, "/v0/admin/audit?offset=x", nil).Plain(http.StatusBadRequest)
	})
	t.Run("for administrators only", func(t *testing.T) {
		t.Parallel()
		s.In(t).Call("", http.MethodGet, "/v0/admin/audit", nil).Plain(http.StatusUnauthorized)
		answer := s.In(t).Call("alice", http.MethodGet, "/v0/admin/audit", nil)
		require.Equal(t, http.StatusForbidden, answer.Status)
		require.JSONEq(t, `{"error":"Authorization Failed for alice"}`, answer.Text)
	})
}

func TestMetrics_CountRequestsByRoute(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.Call("", http.MethodGet, "/v2/version", nil).OK(nil)
	s.Call("", http.MethodGet, "/v2/nothing-of-the-kind", nil)
	answer := s.Call("", http.MethodGet, "/metrics", nil)
	answer.OK(nil)
	require.Equal(t, "text/plain; version=0.0.4; charset=utf-8", answer.Header.Get("Content-Type"))
	require.Contains(t, answer.Text, `florin_http_requests_total{method="GET",route="/v2/version",status="200"} 1`)
	require.Contains(t, answer.Text, `florin_http_requests_total{method="GET",route="none",status="404"} 1`)
	require.NotContains(t, answer.Text, "nothing-of-the-kind", "paths of clients are no labels")
	for _, unknown := range []string{"florin_audit_failed", "florin_ledger_offset", "florin_oldest_lifecycle_seconds"} {
		require.NotContains(t, answer.Text, unknown, "this process has no news of it")
	}
	s.Metrics.Audited(audit.State{}, 7)
	require.Contains(t, s.Call("", http.MethodGet, "/metrics", nil).Text, "florin_audit_failed 0")
}
