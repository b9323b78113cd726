package temporal

import (
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"

	"github.com/florinledger/florin/devnet/temporalchild"
)

const (
	clusterName     = "active"
	defaultStore    = "default"
	visibilityStore = "visibility"
	disabled        = "disabled"
)

// serverConfig is the static configuration.
func serverConfig(cfg temporalchild.Config, connections pools, a addresses) *config.Config {
	return &config.Config{
		Global: config.Global{
			Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: "127.0.0.1"},
		},
		Persistence: config.Persistence{
			DefaultStore:     defaultStore,
			VisibilityStore:  visibilityStore,
			NumHistoryShards: cfg.HistoryShards,
			DataStores: map[string]config.DataStore{
				defaultStore:    {SQL: store(mainDatabase, connections.main)},
				visibilityStore: {SQL: store(visibilityDatabase, connections.visibility)},
			},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: a.frontend.String()},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services: map[string]config.Service{
			"frontend": service(a.frontend),
			"history":  service(a.history),
			"matching": service(a.matching),
			"worker":   service(a.worker),
		},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: disabled},
			Visibility: config.VisibilityArchival{State: disabled},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: disabled},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: disabled},
		}},
		PublicClient: config.PublicClient{HostPort: a.frontend.String()},
	}
}

func service(address netip.AddrPort) config.Service {
	return config.Service{RPC: config.RPC{GRPCPort: int(address.Port()), BindOnIP: address.Addr().String()}}
}

// store configures a store on the connections of a pool.
func store(name string, pool *pgxpool.Pool) *config.SQL {
	return &config.SQL{PluginName: postgresql.PluginNamePGX, DatabaseName: name, Connect: session(pool)}
}
