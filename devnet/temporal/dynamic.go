package temporal

import (
	"maps"
	"sync/atomic"
	"time"

	"go.temporal.io/server/common/dynamicconfig"
)

const (
	// refreshWhileStarting makes a new namespace and its search attributes known to every service at once.
	refreshWhileStarting = 50 * time.Millisecond
	// refreshAfterwards suits namespaces that hardly ever change.
	refreshAfterwards = 10 * time.Second
)

// dynamicConfig is the server's dynamic configuration: fixed values, except for the one that is only short while the
// server starts.
type dynamicConfig struct {
	starting, settled dynamicconfig.StaticClient
	isSettled         atomic.Bool
}

// GetValue implements dynamicconfig.Client.
func (d *dynamicConfig) GetValue(key dynamicconfig.Key) []dynamicconfig.ConstrainedValue {
	if d.isSettled.Load() {
		return d.settled.GetValue(key)
	}
	return d.starting.GetValue(key)
}

// settle ends the starting phase.
func (d *dynamicConfig) settle() { d.isSettled.Store(true) }

func newDynamicConfig() *dynamicConfig {
	settled := dynamicconfig.StaticClient{
		dynamicconfig.NamespaceCacheRefreshInterval.Key(): refreshAfterwards,

		// Nothing leaves the machine.
		dynamicconfig.EnableServerVersionCheck.Key(): false,
	}
	starting := maps.Clone(settled)
	starting[dynamicconfig.NamespaceCacheRefreshInterval.Key()] = refreshWhileStarting
	return &dynamicConfig{starting: starting, settled: settled}
}
