package e2e_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/devnet/testenv"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/workflows"
)

// installation is a PostgreSQL database and a Temporal namespace, which several nodes can share.
type installation struct {
	databaseURL, temporalAddress, namespace string
}

// ledger is the prefix of the ledger's names in Temporal.
func (i installation) ledger(t *testing.T) workflowid.Ledger {
	t.Helper()
	record := dbtest.Open(t, i.databaseURL)
	node, founded, err := record.Node(t.Context())
	require.NoError(t, err)
	require.True(t, founded)
	database, err := record.DatabaseID(t.Context())
	require.NoError(t, err)
	return workflowid.LedgerOf(node.ParticipantID, database)
}

func (i installation) environment() []string {
	return []string{
		"FLORIN_DATABASE_URL=" + i.databaseURL, "FLORIN_TEMPORAL_ADDRESS=" + i.temporalAddress,
		"FLORIN_TEMPORAL_NAMESPACE=" + i.namespace,
	}
}

// install makes a migrated database and a namespace, ready for nodes.
func install(t *testing.T) installation {
	t.Helper()
	i := installation{
		databaseURL: dbtest.Empty(t), temporalAddress: testenv.Temporal(t, workflows.SearchAttributes()),
		namespace: "e2e-" + strings.ToLower(rand.Text()[:12]),
	}
	migrated := run(t, i.environment(), "migrate")
	require.Equal(t, 0, migrated.exitCode(t), "it said: %s", migrated.stderr)
	registerNamespace(t, i)
	return i
}

func registerNamespace(t *testing.T, i installation) {
	t.Helper()
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: i.temporalAddress})
	require.NoError(t, err)
	defer namespaces.Close()
	require.NoError(t, namespaces.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: i.namespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}))
}

// temporalClient connects to a namespace until the test ends.
func temporalClient(t *testing.T, address, namespace string) client.Client {
	t.Helper()
	connected, err := client.DialContext(context.WithoutCancel(t.Context()), client.Options{
		HostPort: address, Namespace: namespace,
	})
	require.NoError(t, err)
	t.Cleanup(connected.Close)
	return connected
}
