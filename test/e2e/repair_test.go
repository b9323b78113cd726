//go:build long

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	sdkclient "go.temporal.io/sdk/client"

	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/devnet/postgres"
	"github.com/florinledger/florin/ledger/workflowid"
)

// operatorUser is the wallet user of the operator of a fresh node, as LocalNet names it.
const operatorUser = "app-user"

// loseTemporal deletes the databases of Temporal from the data directory of a stopped node.
func loseTemporal(t *testing.T, dir string) {
	t.Helper()
	server, err := postgres.Start(t.Context(), postgres.Options{Dir: dir})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(context.WithoutCancel(t.Context()))) }()
	connection, err := pgx.Connect(t.Context(), server.URL("postgres"))
	require.NoError(t, err)
	defer connection.Close(t.Context())
	for _, database := range []string{"temporal", "temporal_visibility"} {
		_, err := connection.Exec(t.Context(), "DROP DATABASE "+pgx.Identifier{database}.Sanitize())
		require.NoError(t, err)
	}
}

// followed are the running workflows of contracts by their ids, each with the event that it waits for. It waits until
// there are as many as expected, because Temporal lists a new workflow a moment later.
func followed(t *testing.T, temporal sdkclient.Client, expected int) map[string]string {
	t.Helper()
	waits := map[string]string{}
	await(t, "workflows that look after contracts", func() error {
		answer, err := temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Query: "FlorinKind = 'lifecycle' AND ExecutionStatus = 'Running'",
		})
		if err != nil {
			return err
		}
		clear(waits)
		for _, found := range answer.GetExecutions() {
			id := found.GetExecution().GetWorkflowId()
			value, err := temporal.QueryWorkflow(t.Context(), id, "", "Lifecycle")
			if err != nil {
				return err
			}
			var status struct {
				WaitsFor string
				Over     bool
			}
			if err := value.Get(&status); err != nil || status.Over || status.WaitsFor == "" {
				return errors.Join(err, fmt.Errorf("%s has not looked yet, or is over", id))
			}
			waits[id] = status.WaitsFor
		}
		if len(waits) != expected {
			return fmt.Errorf("%d and not %d: %v", len(waits), expected, waits)
		}
		return nil
	})
	return waits
}

// schedules are the ids of the Schedules of automation.
func schedules(t *testing.T, temporal sdkclient.Client) (ids []string) {
	t.Helper()
	await(t, "Schedules", func() error {
		list, err := temporal.ScheduleClient().List(t.Context(), sdkclient.ScheduleListOptions{})
		if err != nil {
			return err
		}
		ids = nil
		for list.HasNext() {
			found, err := list.Next()
			if err != nil {
				return err
			}
			ids = append(ids, found.ID)
		}
		if slices.Sort(ids); !slices.ContainsFunc(ids, func(id string) bool {
			return workflowid.Local(id) == "automation:wallet-sweep"
		}) {
			return fmt.Errorf("only %v", ids)
		}
		return nil
	})
	return ids
}

// advance moves the ledger's clock and stops at everything due on the way. If one request is too short, it continues as
// the node says.
func (e endpoint) advance(t *testing.T, by string) {
	t.Helper()
	goesOn := regexp.MustCompile(`To continue, send advance_to (\S+Z)\.`)
	request := map[string]any{"advance_by": by}
	await(t, "the clock has come there", func() error {
		answer := e.change(t, adminUser, "", "/v0/dev/clock", request)
		told := goesOn.FindStringSubmatch(answer.body)
		if answer.status != http.StatusServiceUnavailable || told == nil {
			answer.ok(t, nil)
			return nil
		}
		var shown devapi.ClockResponse
		require.NoError(t, e.admin().Get(t.Context(), "/v0/dev/clock", &shown))
		target, err := time.Parse(time.RFC3339Nano, told[1])
		require.NoError(t, err)
		if request = map[string]any{"advance_to": told[1]}; !time.Time(shown.LedgerTime).Before(target) {
			request = map[string]any{"advance_by": "1ms"}
		}
		return errors.New(answer.body)
	})
}

// preapprovedUntil is the end of a party's preapproval.
func (e endpoint) preapprovedUntil(t *testing.T, party string) string {
	t.Helper()
	var found struct {
		Preapproval struct {
			Contract struct {
				Payload struct{ ExpiresAt string }
			}
		} `json:"transfer_preapproval"`
	}
	require.NoError(t, e.admin().Get(t.Context(), "/v0/admin/transfer-preapprovals/by-party/"+party, &found))
	require.NotEmpty(t, found.Preapproval.Contract.Payload.ExpiresAt)
	return found.Preapproval.Contract.Payload.ExpiresAt
}

// neglectedNode is a node with contracts that wait for months, and their parties.
type neglectedNode struct {
	*upNode
	alice, bob, till string
	dave, erin       account
	coin             client.Coin
}

// neglect starts a node with a preapproval, open offers and transfers, a sweep, merging for an owner, and a request to
// buy traffic that nobody can grant yet.
func neglect(t *testing.T) *neglectedNode {
	t.Helper()
	n := &neglectedNode{upNode: up(t, dataDir(t), "--clock", "simulated")}
	n.alice, n.bob, n.till = n.onboard(t, "alice"), n.onboard(t, "bob"), n.onboard(t, "till")
	n.dave, n.erin = newAccount(t, n.endpoint, n.info.DSO, "dave", "dave"), newAccount(t, n.endpoint, "", "erin", "erin")
	var err error
	n.coin, err = n.admin().FindCoin(t.Context(), n.info.DSO)
	require.NoError(t, err)
	n.change(t, "alice", "", "/v0/wallet/tap", map[string]any{"amount": "10"}).ok(t, nil)
	n.change(t, operatorUser, "", "/v0/wallet/tap", map[string]any{"amount": "10"}).ok(t, nil)
	n.change(t, "bob", "", "/v0/wallet/transfer-preapproval", nil).ok(t, nil)
	n.change(t, "alice", "", transferOffers, offerTo(n.bob, "25.5", "order")).ok(t, nil)
	n.change(t, "alice", "", "/v0/wallet/token-standard/transfers", map[string]any{
		"receiver_party_id": n.till, "amount": "300", "description": "rent", "tracking_id": "rent",
		"expires_at": time.Now().Add(2 * time.Hour).UnixMicro(),
	}).ok(t, nil)
	n.create(t, n.dave,
		"#splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationProposal",
		map[string]any{"delegation": map[string]any{
			"operator": n.info.Operator, "owner": n.dave.party(), "meta": map[string]any{"values": map[string]any{}},
		}})
	n.create(t, n.erin, "#splice-wallet:Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest", map[string]any{
		"dso": n.info.DSO, "endUserParty": n.erin.party(), "trackingId": "more", "trafficAmount": "200000",
		"expiresAt": time.Now().Add(72 * time.Hour).UTC().Format(time.RFC3339Nano),
		"memberId":  "PAR::" + participantOf(t, n.endpoint), "synchronizerId": synchronizerOf(t, n.endpoint),
		"migrationId": "0",
	})
	n.change(t, "till", "", "/v0/wallet/tap", map[string]any{"amount": "500"}).ok(t, nil)
	n.sweep(t, true)
	await(t, "a sweep", func() error {
		if open := n.offersOf(t, "till"); open != 1 {
			return fmt.Errorf("%d offers", open)
		}
		return nil
	})
	return n
}

// create creates a contract in the name of an account.
func (n *neglectedNode) create(t *testing.T, as account, template string, payload map[string]any) {
	t.Helper()
	_, err := as.SubmitAndWait(t.Context(), client.Commands{
		CommandID: "create-" + as.user, ActAs: as.parties, Commands: []client.Command{
			{Create: &client.Create{TemplateID: template, CreateArguments: payload}},
		},
	})
	require.NoError(t, err)
}

// sweep turns the sweep of the till to Bob, by offers, on or off.
func (n *neglectedNode) sweep(t *testing.T, on bool) {
	t.Helper()
	require.NoError(t, n.admin().Call(t.Context(), http.MethodPut, "/v0/admin/automation/settings/sweeps/"+n.till,
		map[string]any{"enabled": on, "max_balance_usd": "100", "min_balance_usd": "10", "receiver": n.bob}, nil))
}

// offersOf counts the open offers that a user sees.
func (n *neglectedNode) offersOf(t *testing.T, user string) int {
	t.Helper()
	return len(n.openOffers(t, user))
}

// merged waits until Dave's coin is one contract.
func (n *neglectedNode) merged(t *testing.T) {
	t.Helper()
	await(t, "Dave's coin is merged", func() error {
		end, err := n.dave.LedgerEnd(t.Context())
		if err != nil {
			return err
		}
		held, err := n.dave.ActiveContracts(t.Context(), end, n.dave.party(), client.AmuletTemplate)
		if err == nil && len(held) != 1 {
			err = fmt.Errorf("%d holdings", len(held))
		}
		return err
	})
}

func TestRepair_RestartsWorkflowsThatTemporalLost(t *testing.T) {
	t.Parallel()
	const contracts = 6 // preapproval, three transfers, a delegation, a request
	n := neglect(t)
	temporal := temporalClient(t, n.info.TemporalAddress, "default")
	before, planned := followed(t, temporal, contracts), schedules(t, temporal)
	until := n.preapprovedUntil(t, n.bob)
	n.interrupt(t)

	loseTemporal(t, n.dir)
	n.upNode = up(t, n.dir, "--clock", "simulated")
	n.dave, n.erin = n.dave.on(n.endpoint), n.erin.on(n.endpoint)
	temporal = temporalClient(t, n.info.TemporalAddress, "default")
	repaired := run(t, nil, "repair", "--data-dir", n.dir)
	require.Equal(t, 0, repaired.exitCode(t), "%s", repaired.stderr)
	require.Contains(t, repaired.stdout.String(),
		fmt.Sprintf("florin: %d workflows check their contracts again", contracts))
	require.Equal(t, before, followed(t, temporal, contracts))
	require.Equal(t, planned, schedules(t, temporal))
	require.Equal(t, 1, n.offersOf(t, "till"), "no second sweep")

	// Due actions happen once.
	for i := range 11 {
		_, err := n.dave.SubmitAndWait(t.Context(), n.dave.tap(n.coin, fmt.Sprint("mint-", i), 1))
		require.NoError(t, err)
	}
	n.merged(t)
	require.Equal(t, "1700.0000000000", n.spendable(t, "alice"))
	n.advance(t, "150m")
	require.Equal(t, "2000.0000000000", n.spendable(t, "alice"), "nobody accepted the transfer")
	require.Equal(t, 1, n.offersOf(t, "till"), "another sweep after an offer has expired")
	expired := n.tracked(t, "alice", transferOffers, "order")
	require.Equal(t, "failed", expired.Status)

	n.sweep(t, false)
	n.change(t, adminUser, "", "/v0/admin/users", map[string]any{"name": "erin", "party_id": n.erin.party()}).ok(t, nil)
	n.change(t, "erin", "", "/v0/wallet/tap", map[string]any{"amount": "10"}).ok(t, nil)
	n.advance(t, "25h")
	require.EqualValues(t, 200_000, n.bought(t), "she has a wallet now")
	require.Equal(t, until, n.preapprovedUntil(t, n.bob))
	n.advance(t, "61d")
	require.NotEqual(t, until, n.preapprovedUntil(t, n.bob), "less than thirty days were left")
	require.EqualValues(t, 200_000, n.bought(t), "once")
	left := followed(t, temporal, 2)
	for id := range left {
		require.Regexp(t, "^[0-9a-f]{8}:(preapproval|merge-delegation):", id)
	}
	requireCleanAudit(t, n.upNode)
	n.interrupt(t)
}
