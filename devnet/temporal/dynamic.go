package temporal

import (
	"maps"
	"sync/atomic"
	"time"

	"go.temporal.io/server/common/dynamicconfig"

	"github.com/florinledger/florin/devnet/temporalchild"
)

// refreshWhileStarting shows a new namespace and its search attributes to every service at once.
const refreshWhileStarting = 50 * time.Millisecond

// dynamicConfig is the server's dynamic configuration. Its values are fixed, except the refresh interval, which is
// short during the start.
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

		// There is one cluster, and nobody makes Nexus endpoints.
		dynamicconfig.ClusterMetadataRefreshInterval.Key():                      10 * time.Minute,
		dynamicconfig.MatchingNexusEndpointsRefreshInterval.Key():               5 * time.Minute,
		dynamicconfig.ReplicationProcessorSchedulerWorkerCount.Key():            1,
		dynamicconfig.ReplicationLowPriorityProcessorSchedulerWorkerCount.Key(): 1,
		dynamicconfig.ArchivalProcessorSchedulerWorkerCount.Key():               1,

		// Nobody reads these statistics: there are no metrics, and no other host takes over.
		dynamicconfig.MatchingBacklogMetricsEmitInterval.Key():        time.Duration(0),
		dynamicconfig.PersistenceHealthSignalAggregationEnabled.Key(): false,
		dynamicconfig.PersistenceHealthSignalMetricsEnabled.Key():     false,
		dynamicconfig.HistoryHealthSignalMetricsEnabled.Key():         false,

		// By default a shard writes one thing at a time, but here one shard has all the work.
		dynamicconfig.ShardIOConcurrency.Key(): 32,

		// The default keeps 128000 finished workflows in memory for an hour.
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key(): 4096,

		// The server lists a workflow when it starts, when its search attributes change and when it ends; it skips the first
		// two if the workflow has ended meanwhile. So the server looks for such tasks twice a second, and takes many at once.
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key(): 2,
		dynamicconfig.VisibilityTaskBatchSize.Key():       2000,

		// A task queue needs no partitions in one process; fewer partitions need fewer polls.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
		dynamicconfig.MatchingEphemeralDataUpdateInterval.Key(): 5 * time.Minute, // 0 spins after the end of a queue

		// A server at rest writes each task queue as often as this. After a crash it reads the tasks since then again, and
		// drops those that are done.
		dynamicconfig.MatchingUpdateAckInterval.Key(): 5 * time.Minute,

		// A stopping worker says so, and the server answers its polls at once. Otherwise it could give a task to a dropped
		// poll, and nobody does the task until it times out.
		dynamicconfig.EnableCancelWorkerPollsOnShutdown.Key(): true,

		// No other client needs protection from long lists and bursts.
		dynamicconfig.FrontendRPS.Key():                                  100_000,
		dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():           100_000,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 1000,
		dynamicconfig.HistoryRPS.Key():                                   100_000,
		dynamicconfig.MatchingRPS.Key():                                  100_000,

		// One workflow may have many submissions, and queries find it by the parties and command ids of each.
		dynamicconfig.SearchAttributesSizeOfValueLimit.Key(): 2 * temporalchild.AttributeBytes,
		dynamicconfig.SearchAttributesTotalSizeLimit.Key():   8 * temporalchild.AttributeBytes,

		// Few workers for background jobs of the server.
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
