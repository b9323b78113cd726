package telemetry

// temporalList is the metrics of Temporal's SDK that a process keeps, under the names that the SDK's documents give them
// in Prometheus. They tell whether this process reaches Temporal and keeps up; the server has more of its own.
var temporalList = []Metric{
	{
		"temporal_local_activity_execution_failed_total", Counter, "Failed attempts of activities, by activity.",
		[]string{"activity_type"},
		Workers,
	},
	{
		"temporal_local_activity_execution_latency_seconds", Histogram, "Duration of activities, by activity.",
		[]string{"activity_type"},
		Workers,
	},
	{"temporal_num_pollers", Gauge, "Polls for tasks that are open.", []string{"poller_type", "task_queue"}, Workers},
	{
		"temporal_request_failure_total", Counter, "Failed requests to Temporal, by gRPC method and code.",
		[]string{"operation", "status_code"},
		Everyone,
	},
	{
		"temporal_request_latency_seconds", Histogram, "Duration of requests to Temporal, by gRPC method.",
		[]string{"operation"},
		Everyone,
	},
	{"temporal_request_total", Counter, "Requests to Temporal, by gRPC method.", []string{"operation"}, Everyone},
	{"temporal_sticky_cache_size", Gauge, "Workflows that the worker keeps in memory.", nil, Workers},
	{
		"temporal_worker_task_slots_available", Gauge, "Free slots of the worker, by kind of task and task queue.",
		[]string{"worker_type", "task_queue"},
		Workers,
	},
	{
		"temporal_worker_task_slots_used", Gauge, "Used slots of the worker, by kind of task and task queue.",
		[]string{"worker_type", "task_queue"},
		Workers,
	},
	{"temporal_workflow_failed_total", Counter, "Failed workflows.", []string{"workflow_type"}, Workers},
	{
		"temporal_workflow_task_execution_failed_total", Counter,
		"Workflow tasks that the worker could not do, by workflow.",
		[]string{"workflow_type"},
		Workers,
	},
	{
		"temporal_workflow_task_schedule_to_start_latency_seconds", Histogram,
		"Time that workflow tasks wait for a worker, by task queue.",
		[]string{"task_queue"},
		Workers,
	},
}
