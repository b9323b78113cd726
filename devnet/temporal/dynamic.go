package temporal

import (
	"maps"
	"sync/atomic"
	"time"

	"go.temporal.io/server/common/dynamicconfig"

	"github.com/florinledger/florin/devnet/temporalchild"
)

// refreshWhileStarting makes a new namespace and its search attributes known to every service at once.
const refreshWhileStarting = 50 * time.Millisecond

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

func newDynamicConfig(namespaceRefresh time.Duration) *dynamicConfig {
	settled := dynamicconfig.StaticClient{
		dynamicconfig.NamespaceCacheRefreshInterval.Key(): namespaceRefresh,

		// Nothing leaves the machine.
		dynamicconfig.EnableServerVersionCheck.Key(): false,

		// A shard writes one thing at a time unless told otherwise, and then one shard does the work of many.
		dynamicconfig.ShardIOConcurrency.Key(): 32,

		// The default keeps 128000 finished workflows in memory for an hour.
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key(): 4096,

		// One process has nothing to spread a task queue over; fewer partitions mean fewer polls.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,

		// A worker that stops says so, and then its polls are answered at once, with a task or without: those that it drops
		// otherwise may have been given a task, which nobody does until it times out.
		dynamicconfig.EnableCancelWorkerPollsOnShutdown.Key(): true,

		// Nobody shares this server, so nobody needs protection from somebody's lists and bursts.
		dynamicconfig.FrontendRPS.Key():                                  100_000,
		dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():           100_000,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 1000,
		dynamicconfig.HistoryRPS.Key():                                   100_000,
		dynamicconfig.MatchingRPS.Key():                                  100_000,

		// One workflow may carry many submissions and is found by the parties and command ids of each.
		dynamicconfig.SearchAttributesSizeOfValueLimit.Key(): 2 * temporalchild.AttributeBytes,
		dynamicconfig.SearchAttributesTotalSizeLimit.Key():   8 * temporalchild.AttributeBytes,

		// Background jobs of the server itself: enough of each, and no more.
		dynamicconfig.TransferProcessorSchedulerWorkerCount.Key():             32,
		dynamicconfig.TimerProcessorSchedulerWorkerCount.Key():                32,
		dynamicconfig.VisibilityProcessorSchedulerWorkerCount.Key():           32,
		dynamicconfig.MemoryTimerProcessorSchedulerWorkerCount.Key():          8,
		dynamicconfig.WorkerScannerMaxConcurrentActivityTaskPollers.Key():     1,
		dynamicconfig.WorkerScannerMaxConcurrentWorkflowTaskPollers.Key():     2,
		dynamicconfig.WorkerParentCloseMaxConcurrentActivityTaskPollers.Key(): 1,
		dynamicconfig.WorkerParentCloseMaxConcurrentWorkflowTaskPollers.Key(): 2,
	}
	starting := maps.Clone(settled)
	starting[dynamicconfig.NamespaceCacheRefreshInterval.Key()] = refreshWhileStarting
	return &dynamicConfig{starting: starting, settled: settled}
}
