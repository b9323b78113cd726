package workflows

import (
	"go.temporal.io/sdk/workflow"
)

// The task queues of Temporal on which the node's workers look for work. Each has slots of its own in every worker, so
// that work of one class never waits for a slot that another class has.
const (
	// SubmissionQueue is for what somebody waits for: submissions, and the onboarding of external parties. Workflows of
	// all kinds that were started before there were other queues are on it too.
	SubmissionQueue = "florin"
	// LifecycleQueue is for the workflows that look after contracts.
	LifecycleQueue = "florin-lifecycles"
	// AutomationQueue is for what the node does by itself for wallets and the network.
	AutomationQueue = "florin-automation"
)

// The names of workflows that are recorded in histories and Schedules.
const (
	submitCommands       = "SubmitCommands"
	onboardExternalParty = "OnboardExternalParty"
	runAutomation        = "RunAutomation"
)

// Queue is a task queue, what is started on it, and how much of that runs at once.
type Queue struct {
	// Name is the task queue's.
	Name string
	// Workflows are those that are started on the queue, by their names.
	Workflows map[string]any
	// Slots bounds the tasks of workflows, and the activities, that one process runs at once.
	Slots int
}

const (
	// submissionSlots is large: commits queue up behind the lock of the ledger's head anyway, and workflow tasks are
	// cheap.
	submissionSlots = 64
	// lifecycleSlots is small: nobody waits for them, and each competes with submissions for the lock of the head.
	lifecycleSlots = 6
	// automationSlots is enough for a run of each kind that a Schedule has started and another one that was due, so that
	// no kind waits for another.
	automationSlots = 32
)

// Queues is the one place that decides on which queue a workflow runs, and how many of them at once.
func Queues() []Queue {
	lifecycles := map[string]any{}
	for name, run := range Lifecycles() {
		lifecycles[name] = run
	}
	return []Queue{
		{Name: SubmissionQueue, Slots: submissionSlots, Workflows: map[string]any{
			submitCommands: SubmitCommands, onboardExternalParty: OnboardExternalParty,
		}},
		{Name: LifecycleQueue, Slots: lifecycleSlots, Workflows: lifecycles},
		{Name: AutomationQueue, Slots: automationSlots, Workflows: map[string]any{runAutomation: RunAutomation}},
	}
}

// queueOf is the task queue of a workflow; for those that only other versions know, the one that all have had.
func queueOf(name string) string {
	for _, queue := range Queues() {
		if _, ok := queue.Workflows[name]; ok {
			return queue.Name
		}
	}
	return SubmissionQueue
}

// leavesQueue reports whether a run has to go on as a new one, on the queue that its workflow has today. It is asked
// before each look, whose number makes the question a new one: runs that began before the question existed replay
// without it, and leave at the first look after that.
func leavesQueue(ctx workflow.Context, look int) bool {
	info := workflow.GetInfo(ctx)
	if info.TaskQueueName != SubmissionQueue || queueOf(info.WorkflowType.Name) == SubmissionQueue {
		return false
	}
	return workflow.GetVersion(ctx, versionOwnQueue(look), workflow.DefaultVersion, 1) != workflow.DefaultVersion
}
