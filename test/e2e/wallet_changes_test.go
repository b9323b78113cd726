//go:build long

package e2e_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWallet_ChangesOnceThroughARestart(t *testing.T) {
	t.Parallel()
	i := install(t)
	o := &observedNode{
		servedNode: serve(t, "serve", i, "--enforce-traffic"), temporal: temporalClient(t, i.temporalAddress, i.namespace),
	}
	var alice struct {
		Party string `json:"party_id"`
	}
	o.change(t, adminUser, "", "/v0/admin/users", map[string]any{"name": "alice"}).ok(t, &alice)
	tap := map[string]any{"amount": "10"}
	tapped := o.change(t, "alice", "tap-1", "/v0/wallet/tap", tap).ok(t, nil)
	described, err := o.temporal.DescribeWorkflowExecution(t.Context(), tapped.header.Get("Florin-Workflow-Id"), "")
	require.NoError(t, err, "the workflow that is named exists")
	require.Equal(t, "SubmitCommands", described.GetWorkflowExecutionInfo().GetType().GetName())

	wish := map[string]any{
		"receiving_validator_party_id": alice.Party,
		"domain_id":                    synchronizerOf(t, o.endpoint),
		"traffic_amount":               200_000, "tracking_id": "more",
		"expires_at": time.Now().Add(time.Hour).UnixMicro(),
	}
	const buy = "/v0/wallet/buy-traffic-requests"
	require.Zero(t, o.bought(t))
	var dry struct {
		Coin struct{ Amulet string }
	}
	o.change(t, "alice", "", buy+"?dry_run=true", wish).ok(t, &dry)
	require.Equal(t, "666.8000000000", dry.Coin.Amulet)
	asked := o.change(t, "alice", "buy-1", buy, wish).ok(t, nil)
	var status struct {
		Status        string
		TransactionID string `json:"transaction_id"`
	}
	await(t, "the purchase", func() error {
		o.change(t, "alice", "", buy+"/more/status", nil).ok(t, &status)
		if status.Status != "completed" {
			return errors.New(status.Status)
		}
		return nil
	})
	require.EqualValues(t, 200_000, o.bought(t))
	bought := o.find(t, 1, "WorkflowType = 'BuyTraffic'")[0]
	require.Regexp(t, "^[0-9a-f]{8}:traffic:more:", bought.GetExecution().GetWorkflowId())

	o.interrupt(t)
	o.servedNode = serve(t, "serve", i, "--enforce-traffic")
	for path, first := range map[string]changeResponse{"/v0/wallet/tap": tapped, buy: asked} {
		body, key := tap, "tap-1"
		if path == buy {
			body, key = wish, "buy-1"
		}
		again := o.change(t, "alice", key, path, body)
		require.Equal(t, first.status, again.status)
		require.Equal(t, first.body, again.body)
		require.Equal(t, first.header.Get("Florin-Workflow-Id"), again.header.Get("Florin-Workflow-Id"))
		require.Equal(t, "true", again.header.Get("Idempotency-Replayed"))
	}
	taken := o.change(t, "alice", "", buy, wish)
	require.Equal(t, http.StatusConflict, taken.status, taken.body)
	o.change(t, "alice", "", buy+"/more/status", nil).ok(t, &status)
	require.Equal(t, "completed", status.Status)
	require.EqualValues(t, 200_000, o.bought(t))
}
