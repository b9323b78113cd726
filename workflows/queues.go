package workflows

// The task queues on which a ledger's workers look for work; in Temporal, [workflowid.Ledger.Name] names them. Each has
// slots of its own in every worker, so that work of one class never waits for a slot that another class has.
const (
	// SubmissionQueue is for what somebody waits for: submissions, and the onboarding of external parties.
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
	// Name is the task queue's, in the ledger.
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

// Queues are all task queues, each with the workflows that start on it.
func Queues() []Queue {
	all := map[string]any{
		submitCommands: SubmitCommands, onboardExternalParty: OnboardExternalParty, runAutomation: RunAutomation,
	}
	for name, run := range Lifecycles() {
		all[name] = run
	}
	queues := []Queue{
		{Name: SubmissionQueue, Slots: submissionSlots},
		{Name: LifecycleQueue, Slots: lifecycleSlots},
		{Name: AutomationQueue, Slots: automationSlots},
	}
	for i := range queues {
		queues[i].Workflows = map[string]any{}
		for name, run := range all {
			if queueOf(name) == queues[i].Name {
				queues[i].Workflows[name] = run
			}
		}
	}
	return queues
}

// queueOf decides on which queue a workflow runs.
func queueOf(name string) string {
	switch _, isLifecycle := Lifecycles()[name]; {
	case isLifecycle:
		return LifecycleQueue
	case name == runAutomation:
		return AutomationQueue
	default:
		return SubmissionQueue
	}
}
